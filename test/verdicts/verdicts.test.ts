import { describe, expect, it } from 'vitest';
import type { Change, Facts, Forecast, HeldLease, Loss, Window } from '../../src/verdicts/facts.ts';
import { verdictsOf } from '../../src/verdicts/verdicts.ts';

const CALM: Window = {
  ...{ fromS: 95, toS: 100, queueAgeS: 0, queued: 0, leased: 1, busy: 0.5, slackS: 455 },
  completed: 1,
};
const LEAK: Window = {
  ...CALM,
  queueAgeS: 395,
  queued: 6,
  leased: 2,
  busy: 0.05,
  slackS: 60,
  completed: 0,
};
const FULL: Window = { ...CALM, queueAgeS: 30, queued: 9, leased: 2, busy: 1 };

function session(name: string, fromS: number, rest: Partial<HeldLease> = {}): HeldLease {
  return { name, kind: 'interactive', fromS, toS: null, lastReadS: fromS, tokens: 4, ...rest };
}

function facts(rest: Partial<Facts> = {}): Facts {
  return {
    source: 'observed',
    isLive: true,
    distrust: [],
    rerun: 'npx loadline bench night --seed 1',
    slots: 2,
    sloS: 480,
    batch: { deadlineS: 480, expectedS: 25 },
    hasInteractive: false,
    rules: {
      ...{ slackRejectS: 90, holdRejectS: 60, slackAdmitS: 180, retryBudget: null },
      ...{ killWindowS: null, rejectInteractive: true, limits: {} },
    },
    leases: [],
    retries: [],
    served: null,
    adminUrl: 'http://127.0.0.1:9',
    foresee: () => undefined,
    ...rest,
  };
}

const FORECAST: Forecast = {
  ...{ offered: 100, rejection: 0.2, breach: 0, goodput: 0.8 },
  ...{ batchInTime: 6, batch: 6 },
};

const actions = (windows: readonly Window[], of: Facts) =>
  verdictsOf(windows, of).map(({ action }) => action);

describe('a hold leak', () => {
  const leases = [session('dbg-2', 1), session('dbg-1', 0), session('new', 95)];

  it('is low compute beside an old queue while sessions hold: name them, the longest held first', () => {
    const [first] = verdictsOf([LEAK], facts({ leases }));
    expect(first).toMatchObject({
      action: 'do-not-scale',
      headline: 'DO NOT SCALE. END SESSIONS dbg-1, dbg-2. [observed, t = 100 s]',
      signal: 'cpu_busy_ratio',
      value: 0.05,
      threshold: 0.3,
    });
    expect(first?.evidence).toBe(
      'Slots 2/2 leased | upstream CPU 5 % | oldest batch 395 s of 480 | slack 60 s | a hold leak since t = 95 s: dbg-1 held 100 s, client read nothing for 100 s; dbg-2 held 99 s, client read nothing for 99 s',
    );
    expect(first?.commands.slice(0, 2)).toEqual([
      'curl -sf -X DELETE http://127.0.0.1:9/admin/leases/dbg-1',
      'curl -sf -X DELETE http://127.0.0.1:9/admin/leases/dbg-2',
    ]);
    expect(first?.expect).toBe('the oldest job ends in 25 s, in time (wait 60 s: it is late)');
  });

  it('says what ending all, ending one and waiting would come to', () => {
    const foresee = (change: Change) => {
      if (change.type !== 'end-holds') return undefined;
      const inTime = change.names.length === 1 ? 4 : change.atS > 110 ? 5 : 6;
      return { ...FORECAST, batchInTime: inTime };
    };
    const [first] = verdictsOf([LEAK], facts({ leases, foresee }));
    expect(first?.expect).toBe(
      '6 of 6 batch jobs in time (end only one: 4 of 6; wait 15 s: the first miss)',
    );
  });

  it('begins above 60 s of age and below .3 of compute, and not at them', () => {
    const no = facts({ leases, rules: { ...facts().rules, slackRejectS: 10 } });
    expect(actions([{ ...LEAK, queueAgeS: 60 }], no)).not.toContain('do-not-scale');
    expect(actions([{ ...LEAK, busy: 0.3 }], no)).not.toContain('do-not-scale');
    expect(actions([{ ...LEAK, queueAgeS: 60.1, busy: 0.29 }], no)).toContain('do-not-scale');
  });

  it('is taken at its worst in a run', () => {
    const early = { ...LEAK, fromS: 70, toS: 75, queueAgeS: 70 };
    const of = facts({ leases, isLive: false, source: 'simulated' });
    expect(verdictsOf([early, LEAK, CALM], of)[0]?.headline).toContain('t = 100 s');
  });

  it('ends leases by names that a shell and a URL stand', () => {
    const [first] = verdictsOf([LEAK], facts({ leases: [session('chat #12', 0)] }));
    expect(first?.commands[0]).toMatch(/admin\/leases\/chat%20%2312$/);
  });

  it('is not claimed where nobody holds: then the wait is elsewhere', () => {
    const [first] = verdictsOf([LEAK], facts());
    expect(first).toMatchObject({ action: 'do-not-scale', signal: 'queue_age_seconds' });
    expect(first?.headline).toMatch(/FIND WHAT THE QUEUE WAITS FOR/);
  });
});

it('a pool at its limit says for how much of the time, where that is not all of it', () => {
  const served = { goodput: 0.8, rejection: 0.2, breach: 0 } as never;
  const of = (windows: readonly Window[]) => verdictsOf(windows, facts({ served }))[0]?.evidence;
  const idle = { ...FULL, leased: 1, queued: 0, busy: 0.4 };
  expect(of([FULL, idle, FULL, FULL])).toContain(
    '| slots full and somebody waiting for 75 % of the time, upstream CPU 100 % then |',
  );
  expect(of([FULL])).toContain('slots full and somebody waiting all the time, upstream CPU 100 %');
});

describe('the rows on single sessions', () => {
  it('reject interactive below the line of slack while a session is held long', () => {
    const of = facts({ leases: [session('dbg-1', 0)] });
    const low = { ...LEAK, busy: 0.9, slackS: 89 };
    expect(actions([low], of)).toContain('reject-interactive');
    expect(actions([{ ...low, slackS: 90 }], of)).not.toContain('reject-interactive');
    expect(actions([low], facts({ leases: [session('dbg-1', 41)] }))).not.toContain(
      'reject-interactive',
    );
  });

  it('give the command only where the rule is off', () => {
    const off = { ...facts().rules, slackRejectS: null };
    const find = (of: Facts) =>
      verdictsOf([LEAK], of).find(({ action }) => action === 'reject-interactive');
    // What nobody does is not undone either.
    expect(find(facts({ leases: [session('dbg-1', 0)] }))).toMatchObject({
      ...{ first: expect.stringMatching(/^nothing: the rule is on/), commands: [], undo: '' },
    });
    const given = find(facts({ leases: [session('dbg-1', 0)], rules: off }));
    expect(given?.commands).toEqual([
      `curl -sf -X PUT http://127.0.0.1:9/admin/policy -d '{"slackRejectS":90,"rejectInteractive":true}'`,
    ]);
    expect(given?.undo).toMatch(/^curl .*"rejectInteractive":false/);
  });

  it('shed the client that was retried more than twice', () => {
    const retries = [
      { name: 'a', retries: 2 },
      { name: 'b', retries: 3 },
    ];
    expect(verdictsOf([CALM], facts({ retries }))[0]).toMatchObject({
      action: 'shed-client',
      headline: 'SHED b. [observed]',
      value: 3,
      threshold: 2,
    });
    expect(actions([CALM], facts({ retries: retries.slice(0, 1) }))).not.toContain('shed-client');
  });

  it('kill the lease whose tokens grow while no batch completes', () => {
    const stalled = { ...LEAK, fromS: 30 };
    const reading = session('dbg-1', 0, { lastReadS: 99, tokens: 800 });
    expect(verdictsOf([stalled], facts({ leases: [reading] }))[1]).toMatchObject({
      action: 'kill-lease',
      value: 800,
    });
    expect(actions([stalled], facts({ leases: [session('dbg-1', 0)] }))).not.toContain(
      'kill-lease',
    );
    const soon = { ...LEAK, fromS: 41 };
    expect(actions([soon], facts({ leases: [reading] }))).not.toContain('kill-lease');
  });

  it('admit where slack is above 180 s and a slot is free', () => {
    const of = facts({ hasInteractive: true });
    expect(actions([CALM], of)).toEqual(['admit-interactive']);
    expect(verdictsOf([CALM], of)[0]).toMatchObject({ commands: [], undo: '' });
    expect(actions([{ ...CALM, slackS: 180 }], of)).toEqual(['no-action']);
    expect(actions([{ ...CALM, leased: 2 }], of)).toEqual(['no-action']);
  });
});

describe('overload', () => {
  const served = { offered: 100, rejection: 0.25, breach: 0, goodput: 0.75 };
  const rules = { ...facts().rules, limits: { maxWaitS: 30 } };
  /** Best at a wait of 30 s; each slot more brings ten points. */
  const foresee = (change: Change): Forecast | undefined => {
    if (change.type !== 'gate') return undefined;
    const { maxWaitS = 30, slots = 2 } = change.set;
    const lost = maxWaitS === null ? 0.25 : Math.abs((maxWaitS ?? 0) - 30) / 100;
    const more = 0.1 * ((slots ?? 2) - 2);
    return { ...FORECAST, goodput: Math.min(1, 0.82 - lost + more) };
  };
  const run = facts({ isLive: false, source: 'simulated', served, rules, foresee, sloS: 60 });

  it('keeps a threshold that none beats, and says how many slots would end the loss', () => {
    const [first] = verdictsOf([FULL], run);
    expect(first).toMatchObject({
      action: 'add-slots',
      headline: 'KEEP maxWaitS 30. ADD SLOTS: 2 -> 4. [simulated; not yet verified live]',
    });
    expect(first?.evidence).toContain('best of the settings tried 82 % (maxWaitS 30)');
    expect(first?.evidence).toContain('no gate 57 %');
    expect(first?.commands).toEqual([
      `curl -sf -X PUT http://127.0.0.1:9/admin/policy -d '{"slots":4}'`,
    ]);
    expect(first?.undo).toContain('{"slots":2}');
  });

  it.each([
    [10, 1, 'of 10 seeds (this run has one of them)'],
    [10, 4, 'of 10 seeds (this run has 4 of them)'],
    [10, 10, 'of 10 seeds (this run has the same)'],
    [10, 20, 'of 10 seeds (this run has 20, these among them)'],
    [1, 1, 'by simulation of the arrivals of this run'],
    [1, 20, 'by simulation of the first seed of this run'],
  ])('says how a forecast over %i seeds and a run of %i are related', (runs, seeds, text) => {
    const over = (change: Change) => {
      const forecast = foresee(change);
      return forecast && { ...forecast, runs };
    };
    const [first] = verdictsOf([FULL], { ...run, seeds, foresee: over });
    expect(first?.evidence).toContain(
      `predicted${runs > 1 ? ', as the mean over the arrivals' : ''} ${text}`,
    );
  });

  it('is not called wrong by what it promises, and names what is predicted and what was seen', () => {
    const [first] = verdictsOf([FULL], run);
    expect(first?.wrongIf).toBe(
      'slots are not full in the next burst before you add any, or with 4 slots goodput falls short of 100 % by more than 10 points',
    );
    expect(first?.expect).toContain(
      'about 20 % are turned away (predicted; in this run it was 25 %)',
    );
  });

  it('sets a better one, with the way back', () => {
    const bad = (change: Change) =>
      foresee(
        change.type === 'gate' ? { ...change, set: { maxWaitS: 45, ...change.set } } : change,
      );
    const of = { ...run, rules: { ...rules, limits: { maxWaitS: 45 } }, foresee: bad };
    const [first] = verdictsOf([FULL], of);
    expect(first).toMatchObject({ action: 'set-threshold' });
    expect(first?.headline).toMatch(/^SET maxWaitS 30 \(now maxWaitS 45\)\. ADD SLOTS/);
    expect(first?.commands[0]).toContain('{"maxWaitS":30}');
    expect(first?.undo).toContain('{"maxWaitS":45,"slots":2}');
  });

  it.each([0.3, 0.5, 12.5, 25, 62])(
    'names a wait as its command sets it, with an SLO of %s s',
    (sloS) => {
      const half = (change: Change): Forecast | undefined => {
        const { maxWaitS = null } = change.type === 'gate' ? change.set : {};
        const lost = maxWaitS === null ? 0.5 : Math.abs(maxWaitS - 0.5 * sloS) / sloS;
        return { ...FORECAST, goodput: 0.9 - lost };
      };
      const present = { depthMultiple: 2.25 };
      const of = { ...run, sloS, rules: { ...rules, limits: present }, foresee: half };
      const [first] = verdictsOf([FULL], of);
      const said = /^SET maxWaitS (\S+) \(now depthMultiple 2\.25\)/.exec(
        first?.headline ?? '',
      )?.[1];
      expect(Number(said)).toBe(0.5 * sloS);
      expect(first?.commands[0]).toContain(`"maxWaitS":${said}}`);
      expect(first?.evidence).toContain(`(maxWaitS ${said})`);
    },
  );

  it('orders the fewest slots that bring what the most bring, where none are enough', () => {
    const ceiling = (change: Change) => {
      const forecast = foresee(change);
      return forecast && { ...forecast, goodput: Math.min(0.9, forecast.goodput) };
    };
    const [first] = verdictsOf([FULL], { ...run, foresee: ceiling });
    expect(first?.headline).toContain('ADD SLOTS: 2 -> 3.');
    expect(first?.first).toContain('3 at a time (still not enough, and up to 16 bring no more)');
    expect(first?.commands).toEqual([
      `curl -sf -X PUT http://127.0.0.1:9/admin/policy -d '{"slots":3}'`,
    ]);
  });

  it('names neither a threshold nor slots where every service outlasts the SLO', () => {
    const late = { ...served, breach: 1, goodput: 0 };
    const shortSlo = { sloS: 0.05, serviceS: 0.5 };
    const of = { ...run, served: late, shortSlo };
    for (const window of [FULL, CALM]) {
      const [first, ...others] = verdictsOf([window], of);
      expect(first?.headline).toMatch(/^THE SLO IS SHORTER THAN ANY SERVICE\./);
      expect(first?.evidence).toContain('takes 0.5 s, the SLO is 0.05 s');
      expect(first?.commands).toEqual([]);
      expect(others).toEqual([]);
    }
  });

  it('does not sell slots that do not help', () => {
    const flat = (change: Change) => {
      const forecast = foresee({
        ...change,
        type: 'gate',
        set: { ...('set' in change ? change.set : {}), slots: 2 },
      });
      return forecast;
    };
    expect(verdictsOf([FULL], { ...run, foresee: flat })[0]?.headline).toContain(
      'MORE SLOTS DO NOT HELP',
    );
  });

  it('never keeps a setting that loses many as if all were well', () => {
    const stuck = () => ({ ...FORECAST, goodput: 0.02, breach: 0.9 });
    const [first] = verdictsOf([FULL], { ...run, foresee: stuck });
    expect(first).toMatchObject({ action: 'find-cause' });
    expect(first?.headline).toMatch(
      /^NO THRESHOLD HELPS\. MORE SLOTS DO NOT HELP\. FIND WHAT LIMITS THE ENDPOINT\./,
    );
    const fine = () => ({ ...FORECAST, goodput: 0.96 });
    expect(verdictsOf([FULL], { ...run, foresee: fine })[0]?.headline).toMatch(/^KEEP maxWaitS 30/);
  });

  it('is not told from a leak where compute is unknown', () => {
    const blind = { ...FULL, busy: null };
    expect(actions([blind], run)).toEqual(['cannot-tell']);
    expect(actions([blind], facts())).toEqual(['cannot-tell']);
  });

  it('is nothing while nothing is lost', () => {
    expect(actions([FULL], { ...run, served: { ...served, goodput: 0.99 } })).toEqual([
      'no-action',
    ]);
  });

  it('is told of a gate that runs, from the present moment', () => {
    expect(verdictsOf([FULL], facts())[0]).toMatchObject({ action: 'add-slots', value: 30 });
  });
});

describe('a loss that neither leak nor overload explains', () => {
  const idle: Window = { ...FULL, queueAgeS: 30, busy: 0.1 };
  const of = (goodput: number, rest: Partial<Facts> = {}) =>
    facts({
      isLive: false,
      served: { offered: 100, rejection: 0, breach: 0, goodput },
      hasInteractive: true,
      ...rest,
    });
  const lostBy = (kind: Loss['kind'], what: string): Partial<Facts> => ({
    lostBy: [{ kind, what, share: 0.9 }],
  });

  it('is never met with "change nothing", whatever the pool looks like', () => {
    const windows = [0, 0.3, 0.69, 0.7, 1].flatMap((busy) =>
      [0, 1, 1.9, 2].flatMap((leased) =>
        [0, 4].flatMap((queued) =>
          [0, 20, 61].map((queueAgeS) => ({ ...CALM, busy, leased, queued, queueAgeS })),
        ),
      ),
    );
    const losses: Partial<Facts>[] = [
      {},
      lostBy('refused', 'queue_capacity'),
      lostBy('refused', 'deadline_slack'),
      lostBy('failed', 'connect'),
      lostBy('other', 'late'),
    ];
    const foresee = () => FORECAST;
    for (const window of windows) {
      for (const loss of losses) {
        for (const goodput of [0, 0.03, 0.5, 0.97]) {
          for (const known of [of(goodput, loss), of(goodput, { ...loss, foresee })]) {
            const found = actions([window], known);
            expect(found, JSON.stringify({ window, loss, goodput })).not.toContain('no-action');
            expect(found).not.toContain('admit-interactive');
          }
        }
      }
    }
  });

  it('with every slot out and little compute is a wait elsewhere, no lack of slots', () => {
    const [first] = verdictsOf([idle], of(0.03, lostBy('refused', 'max_wait')));
    expect(first).toMatchObject({ action: 'find-cause', value: 0.1 });
    expect(first?.headline).toBe('FIND WHAT THE SLOTS WAIT FOR BEFORE YOU ADD ANY. [observed]');
    expect(first?.evidence).toBe(
      'Goodput 3 % of offered | turned away by max_wait 90 % | slots 2/2 leased, upstream CPU 10 % | no interactive lease is held | queue age at most 30 s',
    );
  });

  it('names what failed where the upstream fails', () => {
    const [first] = verdictsOf([CALM], of(0.1, lostBy('failed', 'connect')));
    expect(first).toMatchObject({ action: 'find-cause', commands: [] });
    expect(first?.headline).toBe('FIND WHY 90 % OF OFFERED FAILED BY connect. [observed]');
  });

  it('is overload where the gate has no queue, and refuses for want of room', () => {
    const noQueue = { ...CALM, leased: 1.8, queued: 0, busy: 0.9 };
    const slotsHelp = (change: Change) => {
      const more = change.type === 'gate' && typeof change.set['slots'] === 'number';
      return { ...FORECAST, goodput: more ? 0.99 : 0.6 };
    };
    const known = of(0.6, { ...lostBy('refused', 'queue_capacity'), foresee: slotsHelp });
    expect(actions([noQueue], known)).toEqual(['add-slots']);
    expect(actions([{ ...noQueue, busy: 0.2 }], known)).toEqual(['find-cause']);
  });

  it('is said of a gate that runs: slots out, an old queue, little compute; or that refuses all', () => {
    expect(actions([{ ...idle, queueAgeS: 61 }], facts())).not.toContain('no-action');
    expect(actions([{ ...idle, queueAgeS: 1 }], facts({ sloS: 60 }))).toEqual(['no-action']);
    expect(actions([{ ...idle, queueAgeS: 31 }], facts({ sloS: 60 }))).toEqual(['find-cause']);
    expect(verdictsOf([CALM], facts({ refuses: 'upstream_down' }))[0]?.headline).toBe(
      'THIS GATE REFUSES EVERYBODY: upstream_down. [observed]',
    );
  });
});

describe('what cannot be told', () => {
  it('is said of a run that cannot be trusted, and nothing else', () => {
    const of = facts({ distrust: ['late'], leases: [session('dbg-1', 0)] });
    expect(verdictsOf([LEAK], of)).toMatchObject([
      { action: 'untrusted', commands: ['npx loadline bench night --seed 1'] },
    ]);
  });

  it('is said where nothing was measured, or nobody came', () => {
    expect(actions([], facts())).toEqual(['cannot-tell']);
    const nobody = { offered: 0, rejection: 0, breach: 0, goodput: 0 };
    expect(actions([CALM], facts({ served: nobody }))).toEqual(['cannot-tell']);
  });
});
