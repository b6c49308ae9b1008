import { describe, expect, it } from 'vitest';
import { sweepSummary } from '../../src/report/sweep-headline.ts';
import type { Health } from '../../src/result/types.ts';
import type { SweepDocument, SweepSetting } from '../../src/tune/types.ts';

interface Shown {
  readonly goodput: number;
  readonly busy?: number | null;
  readonly slots?: number;
  /** Requests of 100 that failed after a preempt, and by which code. */
  readonly lostTo?: number;
  readonly failedBy?: Readonly<Record<string, number>>;
  readonly perTask?: number;
  readonly completed?: number;
  readonly abandoned?: number;
}

function documentOf(
  path: string,
  values: readonly (number | null)[],
  shown: readonly Shown[],
): SweepDocument {
  const settings = values.map((value, i) => {
    const { goodput, busy = 0.99, slots = 0.99, ...preempted } = shown[i] ?? { goodput: 0 };
    const { lostTo = 0, perTask = 0, failedBy = {}, completed, abandoned } = preempted;
    const figures = {
      ...{ rates: { goodput, breach: 0.1 }, utilization: { busy, slots } },
      ...{
        outcomes: { offered: 100, completed: completed ?? null, abandoned: abandoned ?? 0 },
        tokens: { redoneShare: 0.07 },
      },
      ...{ lostToPreempts: lostTo, failedBy, preemptsPerTask: { mean: perTask } },
    };
    return { setting: { [path]: value }, figures } as unknown as SweepSetting;
  });
  return { axes: [{ path, values }], settings } as unknown as SweepDocument;
}

const plain = (text: string) => text.replaceAll('\u00a0', ' ');
const headline = (...of: Parameters<typeof documentOf>) =>
  plain(sweepSummary(documentOf(...of)).headline);
const evidence = (...of: Parameters<typeof documentOf>) =>
  plain(sweepSummary(documentOf(...of)).evidence.join(' '));

const RISING = [{ goodput: 0.3 }, { goodput: 0.5 }, { goodput: 0.7 }];

describe('the headline of a sweep', () => {
  it('names the best with its unit, and what it leaves for want of capacity', () => {
    const inside = [{ goodput: 0.3 }, { goodput: 0.7 }, { goodput: 0.5 }];
    expect(headline('gate.maxWaitS', [5, 10, 20], inside)).toBe(
      'Most is served in time with maxWaitS 10 s: 70.0 % of offered, 10.0 % of the served late. The other 30 % lack capacity.',
    );
    expect(evidence('gate.maxWaitS', [5, 10, 20], inside)).toBe(
      'No setting here serves them while slots compute 99 % of the time: it takes slots, not a threshold.',
    );
  });

  it('does not take held slots, or slots that are free, for missing capacity', () => {
    const held = [{ goodput: 0.5, busy: 0.1, slots: 0.9 }];
    expect(headline('gate.maxWaitS', [5], held)).toContain('held, not worked on');
    const free = [{ goodput: 0.5, busy: 0.3, slots: 0.3 }];
    expect(headline('gate.maxWaitS', [5], free)).toContain('in the rush alone, or not at all');
    const unknown = [{ goodput: 0.5, busy: null }];
    expect(headline('gate.maxWaitS', [5], unknown)).toContain('is unknown');
  });

  it('says that preempts cause a loss where they do, and which rule gave the tasks up', () => {
    const failedBy = { preempt_budget: 12, task_age: 1, timeout: 2 };
    const lost = { goodput: 0.8, busy: 0.6, slots: 0.6, lostTo: 13, perTask: 0.6, failedBy };
    for (const busy of [0.3, 0.6, 0.95]) {
      const shown = [{ ...lost, busy, slots: busy }];
      expect(headline('model.checkpointTokens', [100], shown)).toContain(
        'Of the other 20 %, 13 % are lost to preempts.',
      );
      expect(evidence('model.checkpointTokens', [100], shown)).toBe(
        'No setting here serves them: 13 % of offered fail after a preempt, given up 12 % by maxPreempts and 1 % by queueAgeFraction. It takes fewer preempts or looser restart rules, not slots or a threshold.',
      );
    }
    const all = [{ ...lost, lostTo: 19 }];
    expect(headline('model.checkpointTokens', [100], all)).toContain(
      'The other 20 % are lost to preempts.',
    );
    const noRule = [{ ...lost, failedBy: {} }];
    expect(evidence('model.checkpointTokens', [100], noRule)).toMatch(
      /fail after a preempt\. It takes fewer preempts, not slots/,
    );
    const few = [{ ...lost, lostTo: 9, busy: 0.95, perTask: 0.05 }];
    expect(headline('model.checkpointTokens', [100], few)).toContain('other 20 % lack capacity.');
  });

  it('does not decide between preempts and a rush where tasks are preempted and late, but served', () => {
    for (const busy of [0.6, 0.8]) {
      const late = [{ goodput: 0.8, busy, slots: busy, perTask: 0.6 }];
      expect(headline('model.checkpointTokens', [100], late)).toContain(
        'The other 20 % are late by preempts, or lack capacity.',
      );
      const why = evidence('model.checkpointTokens', [100], late);
      expect(why).toContain('0.60 preempts a task, 7.0 % of the tokens made again');
      expect(why).not.toMatch(/pool over time|it takes slots/);
    }
  });

  it('says at which end of what was tried the best stands, and nothing of capacity there', () => {
    expect(headline('gate.maxWaitS', [5, 10, 20], RISING)).toBe(
      'Most is served in time with maxWaitS 20 s: 70.0 % of offered, 10.0 % of the served late. The best stands at the end of what was tried.',
    );
    expect(evidence('gate.maxWaitS', [5, 10, 20], RISING)).toBe(
      'No setting tried here serves more, but maxWaitS 20 s is the greatest of them: try greater ones.',
    );
    const falling = RISING.toReversed();
    expect(evidence('gate.maxWaitS', [5, 10, 20], falling)).toContain(
      '5 s is the smallest of them: try smaller ones',
    );
    const preempted = RISING.map((each) => ({ ...each, perTask: 0.6 }));
    expect(headline('model.checkpointTokens', [50, 100, 200], preempted)).not.toContain('capacity');
  });

  it('says at an open end what no threshold could serve, where slots compute all the time', () => {
    const full = RISING.map((each) => ({ ...each, busy: 0.8, completed: 72 }));
    expect(headline('gate.maxWaitS', [5, 10, 20], full)).toContain(
      '10.0 % of the served late. At least 10 % lack capacity, whatever the threshold. The best stands at the end',
    );
    expect(evidence('gate.maxWaitS', [5, 10, 20], full)).toMatch(
      /^Slots compute 80 % of the time: a threshold can fill the rest of it and no more; the others need slots\. No setting/,
    );
    const idle = full.map((each) => ({ ...each, busy: 0.75 }));
    expect(headline('gate.maxWaitS', [5, 10, 20], idle)).not.toContain('lack capacity');
    const wasted = full.map((each) => ({ ...each, abandoned: 3 }));
    expect(headline('gate.maxWaitS', [5, 10, 20], wasted)).not.toContain('lack capacity');
    expect(headline('gate.taskBudgetTokens', [5, 10, 20], full)).not.toContain('lack capacity');
  });

  it('says to try on also where the end hardly beats its neighbour', () => {
    const flat = [{ goodput: 0.3 }, { goodput: 0.695 }, { goodput: 0.7 }];
    expect(headline('gate.maxWaitS', [5, 10, 20], flat)).toMatch(/stands at the end of what was/);
    expect(evidence('gate.maxWaitS', [5, 10, 20], flat)).toMatch(
      /try greater ones; 2 of 3 settings are within 1 % of offered of it\.$/,
    );
  });

  it('knows no end at 0, beside a rule that is off, of a load, or where nothing is lost', () => {
    const falling = RISING.toReversed();
    const end = 'at the end of what was tried';
    expect(headline('gate.queueCapacity', [0, 10, 20], falling)).not.toContain(end);
    expect(headline('gate.maxWaitS', [5, 10, 1e9], RISING)).not.toContain(end);
    expect(headline('gate.maxWaitS', [5, 1e9, 20], falling)).toContain(end);
    expect(headline('gate.maxWaitS', [5, null, 20], RISING)).not.toContain(end);
    expect(headline('arrivals.ratePerS', [5, 10, 20], RISING)).not.toContain(end);
    expect(headline('gate.restartFraction', [0.2, 0.5, 1], RISING)).not.toContain(end);
    // 0 writes no checkpoints at all, beyond the longest gap.
    expect(headline('model.checkpointTokens', [0, 100, 200], RISING)).not.toContain(end);
    expect(headline('model.checkpointTokens', [0, 100, 200], falling)).not.toContain(end);
    expect(headline('gate.maxWaitS', [5, 20], [{ goodput: 0.9 }, { goodput: 0.99 }])).toBe(
      'Most is served in time with maxWaitS 20 s: 99.0 % of offered, 10.0 % of the served late.',
    );
  });

  it('says that it takes more slots than were tried, and to try them', () => {
    expect(headline('gate.slots', [4, 8, 16], RISING)).toContain('The other 30 % lack capacity.');
    const why = evidence('gate.slots', [4, 8, 16], RISING);
    expect(why).toContain('it takes more slots than were tried');
    expect(why).toContain('slots 16 is the greatest of them: try greater ones');
  });

  it('says what a loss is once, not again in the line below', () => {
    const inside = [{ goodput: 0.1 }, { goodput: 0.21 }, { goodput: 0.1 }];
    for (const busy of [null, 0.3, 0.99]) {
      const shown = inside.map((each) => ({ ...each, busy }));
      const all = `${headline('gate.maxWaitS', [5, 10, 20], shown)} ${evidence('gate.maxWaitS', [5, 10, 20], shown)}`;
      expect(all.match(/other 79 %/g)).toHaveLength(1);
    }
  });

  it('recommends no environment, but tells the best under each', () => {
    expect(headline('model.preempts.perS', [0.005, 0.02, 0.05], RISING.toReversed())).toBe(
      'Served in time under each model.preempts.perS, of offered: 70.0 % at 0.005 per s; 50.0 % at 0.02 per s; 30.0 % at 0.05 per s.',
    );
    const path = 'arrivals.ratePerS';
    const at = (rate: number, goodputs: number[]) =>
      documentOf(
        'gate.maxWaitS',
        [5, 10],
        goodputs.map((goodput) => ({ goodput })),
      ).settings.map((each) => ({ ...each, setting: { ...each.setting, [path]: rate } }));
    const document = documentOf('gate.maxWaitS', [5, 10], []);
    const both: SweepDocument = {
      ...document,
      axes: [...document.axes, { path, values: [1, 2] }],
      settings: [...at(1, [0.9, 0.99]), ...at(2, [0.8, 0.6])],
    };
    const alike = { ...both, settings: [...at(1, [0.982, 0.983]), ...at(2, [0.8, 0.6])] };
    expect(plain(sweepSummary(alike).headline)).toBe(
      'Most is served in time with maxWaitS 5 s under each arrivals.ratePerS; of offered: 98.2 % at 1 per s; 80.0 % at 2 per s.',
    );
    expect(plain(sweepSummary(both).headline)).toBe(
      'What serves most in time depends on arrivals.ratePerS; of offered: 99.0 % at 1 per s with maxWaitS 10 s; 80.0 % at 2 per s with maxWaitS 5 s.',
    );
  });

  it('says that nothing serves, and what it is where nothing was tried', () => {
    expect(headline('gate.maxWaitS', [5, 10], [{ goodput: 0 }, { goodput: 0 }])).toBe(
      'Nothing is served in time under any setting that was tried.',
    );
    const one = documentOf('gate.maxWaitS', [5], [{ goodput: 0.8 }]);
    const [{ figures } = {} as SweepSetting] = one.settings;
    const alone = { ...one, axes: [], settings: [{ setting: {}, figures } as SweepSetting] };
    expect(plain(sweepSummary(alone).headline)).toMatch(/^As it is, served in time: 80\.0 % of/);
  });

  it('calls a rule that is off by that word', () => {
    expect(headline('gate.ageRejectS', [5, 10, 1e9], RISING)).toContain('with ageRejectS off:');
  });
});

describe('a sweep with runs that cannot be trusted', () => {
  const document = documentOf('gate.maxWaitS', [5, 10, 20], RISING);
  const withHealth = (...statuses: Health['status'][]): SweepDocument => ({
    ...document,
    settings: document.settings.map((each, i) => ({
      ...each,
      health: { status: statuses[i], notes: [] },
    })),
  });
  const told = (of: SweepDocument) => {
    const summary = sweepSummary(of);
    return [plain(summary.headline), ...summary.evidence.map(plain)];
  };

  it('that was cut short compares nothing, whatever its other runs were', () => {
    expect(told(withHealth('ok', 'ok', 'interrupted'))).toEqual([
      'Cut short: no comparison.',
      'Not compared: maxWaitS 20 s (interrupted).',
    ]);
  });

  it('compares the others alone, also where the best of them stands', () => {
    const [headline, ...evidence] = told(withHealth('ok', 'ok', 'generator-limited'));
    expect(headline).toContain('Most is served in time with maxWaitS 10 s: 50.0 % of offered');
    expect(evidence.at(-1)).toBe('Not compared: maxWaitS 20 s (generator-limited).');
    expect(evidence[0]).toContain('maxWaitS 10 s is the greatest');
  });

  it('compares nothing where fewer than two are left', () => {
    expect(told(withHealth('ok', 'generator-limited', 'generator-limited'))[0]).toBe(
      'Too few runs can be trusted: no comparison.',
    );
  });

  it('leaves out simulations in which somebody was never sent', () => {
    const settings = document.settings.map((each, i) => {
      const { figures } = each;
      const outcomes = { ...figures.outcomes, unsent: i === 2 ? 1 : 0 };
      return { ...each, figures: { ...figures, outcomes } };
    });
    expect(told({ ...document, settings })).toEqual([
      expect.stringContaining('maxWaitS 10 s'),
      expect.anything(),
      'Not compared: maxWaitS 20 s (requests never sent).',
    ]);
  });
});

it('tells the best of each reading of a log, and does not advise how to read it', () => {
  const path = 'gate.maxWaitS';
  const kept = documentOf(path, [5, 10], [{ goodput: 0.6 }, { goodput: 0.7 }]);
  const once = documentOf(path, [5, 10], [{ goodput: 0.995 }, { goodput: 0.99 }]);
  const read = ({ settings }: SweepDocument, value: string) =>
    settings.map((each) => ({ ...each, setting: { ...each.setting, 'arrivals.retries': value } }));
  const both: SweepDocument = {
    ...kept,
    axes: [...kept.axes, { path: 'arrivals.retries', values: ['kept', 'left-out'] }],
    settings: [...read(kept, 'kept'), ...read(once, 'left-out')],
  };
  const told = sweepSummary(both);
  expect(plain(told.headline)).toContain('maxWaitS 10 s: 70.0 % of offered');
  expect(plain(told.evidence.at(-1) ?? '')).toMatch(
    /^With the retries of the log left out: Most is served in time with maxWaitS 5 s: 99\.5 %/,
  );
  expect(JSON.stringify(told)).not.toContain('arrivals.retries');
});
