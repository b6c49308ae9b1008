import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowSink } from '../../src/engine/sim/sink.ts';
import { type SimOptions, simulate } from '../../src/engine/sim.ts';
import type { LeaseRow, RequestRow, Row, StateRow } from '../../src/ledger/rows.ts';
import { parseScenario, type ScenarioInput } from '../../src/scenario/schema.ts';

function play(input: ScenarioInput, options: Omit<SimOptions, 'sink'> = {}) {
  const rows: Row[] = [];
  const scenario = parseScenario({ name: 'test', ...input });
  const end = simulate(scenario, { ...options, sink: rowSink((row) => rows.push(row)) });
  return {
    end,
    rows,
    requests: rows.filter((row): row is RequestRow => row.kind === 'request'),
    leases: rows.filter((row): row is LeaseRow => row.kind === 'lease'),
    states: rows.filter((row): row is StateRow => row.kind === 'state'),
  };
}

const bySeq = (rows: readonly RequestRow[]) => rows.toSorted((a, b) => a.seq - b.seq);
const outcomes = (rows: readonly RequestRow[]) => bySeq(rows).map((row) => row.outcome);
const at = (...atS: number[]) => ({ process: 'at' as const, atS });
const fixed = (seconds: number) => ({ service: { fixed: seconds }, slots: 0 });

describe('the wire', () => {
  it('a streamed answer begins with its service, any other when it ends', () => {
    for (const stream of [true, false]) {
      const { requests } = play({
        arrivals: at(0, 0),
        classes: { a: { stream } },
        gate: { slots: 1 },
        model: { ...fixed(4), firstTokenS: 1 },
      });
      const [first, second] = bySeq(requests);
      expect(first).toMatchObject({ firstByteUs: stream ? 0 : 4e6, endUs: 4e6, waitUs: 0 });
      expect(second).toMatchObject({
        firstByteUs: stream ? 4e6 : 8e6,
        firstTokenUs: stream ? 5e6 : null,
        doorUs: 0,
        waitUs: 4e6,
        heldUs: 4e6,
        endUs: 8e6,
      });
    }
  });

  it('a completion frees its slot for an arrival at the same instant', () => {
    const { requests } = play({
      arrivals: at(0, 4),
      gate: { slots: 1, queueCapacity: 0 },
      model: fixed(4),
    });
    expect(outcomes(requests)).toEqual(['completed', 'completed']);
  });

  it('a completion saves the one whose wait ends at the same instant', () => {
    const { requests } = play({
      arrivals: at(0, 0, 0),
      gate: { slots: 1, maxWaitS: 4 },
      model: fixed(4),
    });
    expect(outcomes(requests)).toEqual(['completed', 'completed', 'expired']);
    expect(bySeq(requests)[2]).toMatchObject({ endUs: 4e6, code: 'max_wait', waitUs: null });
  });

  it('an expiry makes room before an arrival at the same instant', () => {
    const { requests } = play({
      arrivals: at(0, 0, 3),
      gate: { slots: 1, maxWaitS: 3, queueCapacity: 1 },
      model: fixed(4),
    });
    expect(outcomes(requests)).toEqual(['completed', 'expired', 'completed']);
  });

  it('a caller without patience leaves the queue, and works no slot', () => {
    const { requests, leases } = play({
      arrivals: at(0, 0, 0),
      classes: { a: { patience: { fixed: 5 } } },
      gate: { slots: 1 },
      model: fixed(4),
    });
    expect(outcomes(requests)).toEqual(['completed', 'completed', 'abandoned']);
    expect(leases.map((lease) => lease.ended)).toEqual(['completed', 'completed']);
  });

  it('a refusal is tried again, and not before the server asked', () => {
    const { requests } = play({
      arrivals: at(0, 1),
      classes: { a: { retry: { max: 9, budget: null } } },
      gate: { slots: 1, queueCapacity: 0, retryAfterS: 5 },
      model: fixed(3),
    });
    const second = bySeq(requests)[1]!;
    expect(second).toMatchObject({ outcome: 'completed', attempts: 2, sentUs: 1e6 });
    expect(second.doorUs).toBeGreaterThanOrEqual(6e6);
  });

  it('a hold keeps its slot until the caller hangs up, and that is a completion', () => {
    const { requests, leases } = play({
      arrivals: at(0, 0),
      classes: { a: { kind: 'interactive', hold: { fixed: 60 }, mayQueue: true } },
      gate: { slots: 1 },
      model: fixed(4),
    });
    expect(bySeq(requests).map((row) => row.endUs)).toEqual([60e6, 120e6]);
    expect(outcomes(requests)).toEqual(['completed', 'completed']);
    expect(leases[0]).toMatchObject({ ended: 'cancelled', fromUs: 0, toUs: 60e6, lastReadUs: 0 });
  });

  it('holds that begin together make their first token together, however many slow each other', () => {
    const { requests } = play({
      arrivals: at(0, 0, 0, 20),
      classes: { a: { hold: { fixed: 5 } } },
      gate: { slots: 3 },
      model: { ...fixed(30), firstTokenS: 1, slowdown: { perRequest: 1, from: 1 } },
    });
    expect(bySeq(requests).map((row) => row.firstTokenUs)).toEqual([3e6, 3e6, 3e6, 21e6]);
  });

  it('work that needs no time and whose caller leaves as it begins is over once', () => {
    const busyUs: number[] = [];
    const { requests, rows } = play({
      classes: {
        holds: { arrivals: at(0), hold: { fixed: 5 }, service: { fixed: 9 } },
        none: { arrivals: at(0, 0), timeoutS: 5 },
        after: { arrivals: at(6, 6, 6), service: { fixed: 2 } },
      },
      gate: { slots: 1 },
      model: { service: { tokens: { prefillPerS: 1e12, gapS: 0 } } },
    });
    for (const row of rows) if (row.kind === 'busy') busyUs.push(row.computeUs);
    expect(outcomes(requests).slice(0, 3)).toEqual(['completed', 'failed', 'failed']);
    expect(busyUs.at(-1)).toBe(11e6);
  });

  it('an answer that begins in the moment in which patience ends is waited for', () => {
    const { requests } = play({
      classes: {
        holds: { arrivals: at(0), hold: { fixed: 5 } },
        waits: { arrivals: at(1), patience: { fixed: 4 } },
      },
      gate: { slots: 2 },
      model: { ...fixed(9), slots: 1 },
    });
    expect(bySeq(requests)).toMatchObject([
      { outcome: 'completed', endUs: 5e6 },
      { outcome: 'completed', firstByteUs: 5e6, endUs: 14e6 },
    ]);
  });

  it('a hold that the gate ends is killed', () => {
    const { requests, leases } = play({
      arrivals: at(0),
      classes: { a: { kind: 'interactive', hold: { fixed: 60 } } },
      gate: { slots: 1, maxHoldS: 10 },
      model: fixed(4),
    });
    expect(requests[0]).toMatchObject({ outcome: 'killed', code: 'max_hold', heldUs: 10e6 });
    expect(leases[0]).toMatchObject({ ended: 'killed' });
  });

  it('a hold whose tokens grow while batch work waits is killed within a second of the window', () => {
    const { requests } = play({
      arrivals: null,
      classes: {
        debug: { kind: 'interactive', arrivals: at(0), hold: { fixed: 500 }, maxTokens: 4000 },
        batch: { arrivals: at(1) },
      },
      gate: { slots: 1, killWindowS: 30 },
      model: fixed(100),
    });
    const killed = requests.find((row) => row.class === 'debug')!;
    expect(killed).toMatchObject({ outcome: 'killed', code: 'no_progress' });
    expect(killed.endUs).toBeGreaterThanOrEqual(31e6);
    expect(killed.endUs).toBeLessThan(35e6);
  });

  it('without a gate the model makes them wait', () => {
    const { requests, states } = play(
      { arrivals: at(0, 0), gate: { slots: 9 }, model: { service: { fixed: 4 }, slots: 1 } },
      { direct: true },
    );
    expect(bySeq(requests).map((row) => row.endUs)).toEqual([4e6, 8e6]);
    expect(requests[1]).toMatchObject({ doorUs: null, waitUs: null, heldUs: null });
    expect(states).toEqual([]);
  });

  it('more than may be in flight is not sent', () => {
    const { requests } = play({ arrivals: at(0, 0, 0), maxInFlight: 2, model: fixed(4) });
    expect(outcomes(requests)).toEqual(['completed', 'completed', 'unsent']);
    expect(bySeq(requests)[2]).toMatchObject({ sentUs: null, attempts: 0 });
  });

  it('an operator can change the gate in the middle of a run', () => {
    const { requests } = play(
      { arrivals: at(0, 0, 10), gate: { slots: 1 }, model: fixed(20) },
      { script: [{ atUs: 5e6, to: 'gate', input: { type: 'configure', policy: { slots: 2 } } }] },
    );
    expect(bySeq(requests).map((row) => row.waitUs)).toEqual([0, 5e6, 10e6]);
  });
});

describe('preempts', () => {
  const task = { maxTokens: 200, inTokens: 800, outTokens: 200 };
  const model = { ...fixed(20), preempts: { type: 'ticks' as const, ticks: 2, tickTokens: 25 } };

  it('a class that is replayed starts again on its lease', () => {
    const { requests, rows } = play({
      arrivals: at(0),
      classes: { a: { ...task, replay: true } },
      model,
    });
    expect(requests[0]).toMatchObject({
      outcome: 'completed',
      preempts: 1,
      restartTokens: 850,
      endUs: 25e6,
    });
    expect(rows.find((row) => row.kind === 'preempt')).toMatchObject({
      atUs: 5e6,
      wastedTokens: 50,
      replayed: true,
    });
  });

  it('one that is not fails with its reason', () => {
    const { requests, leases } = play({ arrivals: at(0), classes: { a: task }, model });
    expect(requests[0]).toMatchObject({ outcome: 'failed', code: 'preempt_budget', preempts: 1 });
    expect(leases[0]?.ended).toBe('preempted');
  });
});

describe('the end', () => {
  it('censors what is still there when the drain is over', () => {
    const { end, requests, leases } = play({
      durationS: 10,
      drainS: 5,
      arrivals: at(0, 1, 2),
      gate: { slots: 1 },
      model: fixed(12),
    });
    expect(end).toEqual({ endUs: 15e6, cutOff: false });
    expect(outcomes(requests)).toEqual(['completed', 'censored', 'censored']);
    expect(leases.map((lease) => lease.ended)).toEqual(['completed', 'open']);
  });

  it('comes although a request is preempted again and again', () => {
    const { end, requests } = play({
      durationS: 20,
      arrivals: at(0, 1),
      classes: { a: { replay: true } },
      model: { ...fixed(60), preempts: { type: 'rate', perS: 5 } },
    });
    expect(end.cutOff).toBe(true);
    expect(outcomes(requests)).toEqual(['censored', 'censored']);
  });

  it('comes although nobody is ever let in and all try for ever', () => {
    const { end, requests } = play({
      durationS: 20,
      arrivals: at(0, 1),
      classes: { a: { retry: { max: 1e6, budget: null, capS: 1 } } },
      gate: { mode: 'drain', retryAfterS: 0 },
    });
    expect(end.cutOff).toBe(true);
    expect(outcomes(requests)).toEqual(['rejected', 'rejected']);
  });

  it('comes although memory is far too small', () => {
    const { requests } = play({
      durationS: 20,
      arrivals: at(0, 0, 0, 0, 0),
      classes: { a: { inTokens: 50, outTokens: 100, replay: true } },
      model: { ...fixed(10), preempts: { type: 'memory', blocks: 16, blockTokens: 10 } },
    });
    expect(outcomes(requests)).toEqual(Array(5).fill('completed'));
    const tooLarge = play({
      durationS: 20,
      arrivals: at(0),
      classes: { a: { inTokens: 500, outTokens: 100, replay: true } },
      model: { ...fixed(10), preempts: { type: 'memory', blocks: 16, blockTokens: 10 } },
    });
    expect(tooLarge.requests[0]).toMatchObject({ outcome: 'failed', code: 'too_large' });
  });

  it('comes although thousands wait whom memory can never hold', () => {
    const crowd = 5000;
    const { requests, states } = play({
      maxInFlight: 1e5,
      classes: {
        fits: { arrivals: at(0), inTokens: 1, outTokens: 1 },
        large: { arrivals: at(...Array<number>(crowd).fill(1)), inTokens: 900, outTokens: 1 },
      },
      gate: { slots: 1 },
      model: { ...fixed(10), preempts: { type: 'memory', blocks: 2, blockTokens: 10 } },
    });
    expect(requests.filter(({ code }) => code === 'too_large')).toHaveLength(crowd);
    expect(states.at(-1)).toMatchObject({ atUs: 10e6, queued: 0, leased: 0 });
  });

  it('comes although all try again at once, more often than a number can double', () => {
    const { end, requests } = play({
      arrivals: at(0, 1),
      classes: { a: { retry: { max: 1e9, budget: null, baseS: 1e-9, capS: 1e-9 } } },
      gate: { mode: 'drain', retryAfterS: 0 },
    });
    expect(end.cutOff).toBe(true);
    expect(bySeq(requests)[0]).toMatchObject({ outcome: 'rejected', endUs: 0 });
  });
});

describe('laws, over random scenarios', () => {
  const seconds = (max: number) => fc.option(fc.integer({ min: 0, max }));
  const world = fc.record({
    seed: fc.nat(1e6),
    ratePerS: fc.double({ min: 0.2, max: 4, noNaN: true }),
    slots: fc.integer({ min: 1, max: 5 }),
    ageRejectS: seconds(20),
    queueCapacity: fc.option(fc.nat(9)),
    maxWaitS: seconds(20),
    maxHoldS: fc.option(fc.integer({ min: 1, max: 20 })),
    patience: fc.option(fc.integer({ min: 1, max: 20 })),
    timeoutS: fc.option(fc.integer({ min: 1, max: 40 })),
    retries: fc.nat(2),
    hold: fc.boolean(),
    modelSlots: fc.nat(3),
    perS: fc.constantFrom(0, 0.05),
    replay: fc.boolean(),
    drainS: seconds(30),
  });

  const inputOf = (w: typeof world extends fc.Arbitrary<infer T> ? T : never): ScenarioInput => ({
    durationS: 40,
    seed: w.seed,
    drainS: w.drainS,
    arrivals: { process: 'poisson', ratePerS: w.ratePerS },
    classes: {
      a: {
        share: 0.7,
        replay: w.replay,
        patience: w.patience === null ? null : { exponential: w.patience },
        retry: { max: w.retries, budget: null, onRefusal: true },
      },
      b: {
        share: 0.3,
        kind: 'interactive',
        mayQueue: true,
        timeoutS: w.timeoutS,
        hold: w.hold ? { exponential: 6 } : null,
      },
    },
    gate: {
      slots: w.slots,
      ageRejectS: w.ageRejectS,
      queueCapacity: w.queueCapacity,
      maxWaitS: w.maxWaitS,
      maxHoldS: w.maxHoldS,
    },
    model: {
      service: { exponential: 3 },
      slots: w.modelSlots,
      preempts: w.perS > 0 ? { type: 'rate', perS: w.perS } : { type: 'none' },
    },
  });

  it('every request ends once, leases never exceed slots, rows come in order of time', () => {
    fc.assert(
      fc.property(world, (w) => {
        const { requests, leases, states, rows, end } = play(inputOf(w));
        expect(new Set(requests.map((row) => row.seq)).size).toBe(requests.length);
        expect(Math.max(-1, ...requests.map((row) => row.seq))).toBe(requests.length - 1);
        for (const state of states) expect(state.leased).toBeLessThanOrEqual(w.slots);
        const ends = rows.flatMap((row) => (row.kind === 'request' ? [row.endUs] : []));
        expect(ends).toEqual(ends.toSorted((a, b) => a - b));
        expect(end.cutOff).toBe(false);
        expect(end.endUs).toBeGreaterThanOrEqual(ends.at(-1) ?? 0);
        const held = leases.filter((lease) => lease.toUs < lease.fromUs);
        expect(held).toEqual([]);
        if (w.drainS === null) {
          expect(outcomes(requests)).not.toContain('censored');
          expect(states.at(-1)?.leased ?? 0).toBe(0);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('each attempt that met the door has one decision', () => {
    fc.assert(
      fc.property(world, (w) => {
        const { requests, rows } = play(inputOf(w));
        const decisions = rows.filter((row) => row.kind === 'decision');
        const names = decisions.map((row) => `${row.seq}/${row.attempt}`);
        expect(new Set(names).size).toBe(names.length);
        expect(names.length).toBe(requests.reduce((sum, row) => sum + row.attempts, 0));
      }),
      { numRuns: 100 },
    );
  });

  it('the same scenario gives the same rows', () => {
    fc.assert(
      fc.property(world, (w) => {
        expect(play(inputOf(w)).rows).toEqual(play(inputOf(w)).rows);
      }),
      { numRuns: 30 },
    );
  });

  it('compute at the end is the work that was done', () => {
    const { rows } = play({ durationS: 500, arrivals: { process: 'poisson', ratePerS: 1 } });
    const busy = rows.filter((row) => row.kind === 'busy');
    const heldUs = rows.reduce((sum, row) => {
      return row.kind === 'lease' ? sum + row.toUs - row.fromUs : sum;
    }, 0);
    expect(busy.at(-1)?.computeUs).toBeCloseTo(heldUs, -1);
  });
});
