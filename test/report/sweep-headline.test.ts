import { describe, expect, it } from 'vitest';
import { sweepSummary } from '../../src/report/sweep-headline.ts';
import type { SweepDocument, SweepSetting } from '../../src/tune/types.ts';

interface Shown {
  readonly goodput: number;
  readonly busy?: number | null;
  readonly slots?: number;
}

function documentOf(
  path: string,
  values: readonly (number | null)[],
  shown: readonly Shown[],
): SweepDocument {
  const settings = values.map((value, i) => {
    const { goodput, busy = 0.99, slots = 0.99 } = shown[i] ?? { goodput: 0 };
    const figures = { rates: { goodput, breach: 0.1 }, utilization: { busy, slots } };
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
      'The other 30 % no setting here serves while slots compute 99 % of the time: it takes slots, not a threshold.',
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

  it('says at which edge of what was tried the best stands', () => {
    expect(headline('gate.maxWaitS', [5, 10, 20], RISING)).toContain(
      'at the edge of what was tried',
    );
    expect(evidence('gate.maxWaitS', [5, 10, 20], RISING)).toContain(
      'maxWaitS 20 s is the greatest, try greater ones',
    );
    const falling = RISING.toReversed();
    expect(evidence('gate.maxWaitS', [5, 10, 20], falling)).toContain('5 s is the smallest');
  });

  it('knows no edge at 0, beside a rule that is off, of a load, or where nothing is lost', () => {
    const falling = RISING.toReversed();
    expect(headline('gate.queueCapacity', [0, 10, 20], falling)).not.toContain('edge');
    expect(headline('gate.maxWaitS', [5, 10, 1e9], RISING)).not.toContain('edge');
    expect(headline('gate.maxWaitS', [5, 1e9, 20], falling)).toContain('edge');
    expect(headline('gate.maxWaitS', [5, null, 20], RISING)).not.toContain('edge');
    expect(headline('arrivals.ratePerS', [5, 10, 20], RISING)).not.toContain('edge');
    expect(headline('gate.maxWaitS', [5, 20], [{ goodput: 0.9 }, { goodput: 0.99 }])).toBe(
      'Most is served in time with maxWaitS 20 s: 99.0 % of offered, 10.0 % of the served late.',
    );
  });

  it('calls a rule that is off by that word', () => {
    expect(headline('gate.ageRejectS', [5, 10, 1e9], RISING)).toContain('with ageRejectS off:');
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
