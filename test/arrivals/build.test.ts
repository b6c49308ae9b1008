import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import type { Arrival } from '../../src/arrivals/schedule.ts';
import { replicationSeed } from '../../src/random.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const rush = {
  durationS: 300,
  arrivals: { process: 'poisson', ratePerS: 0.8, bursts: [{ fromS: 120, toS: 240, factor: 2 }] },
  classes: {
    small: { share: 0.7, prompt: 'Review this diff', maxTokens: 256 },
    large: { share: 0.3, prompt: 'Review', maxTokens: 512 },
  },
  gate: { slots: 16 },
  model: { service: { uniform: [5, 30] } },
};

const build = (input: object, seed?: number) => buildSchedule(parseScenario(input), seed).arrivals;

/** Service by class and place: what a change elsewhere must not move. */
function services(arrivals: readonly Arrival[]): Map<string, number> {
  return new Map(arrivals.map((a) => [`${a.class}/${a.keySeq}`, a.demand.serviceUs]));
}

function expectSameWhereShared(a: Map<string, number>, b: Map<string, number>): number {
  let shared = 0;
  for (const [place, serviceUs] of a) {
    if (!b.has(place)) continue;
    expect(b.get(place)).toBe(serviceUs);
    shared++;
  }
  return shared;
}

describe('a schedule', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(build(rush, 7)).toEqual(build(rush, 7));
    expect(build(rush, 7)).not.toEqual(build(rush, 8));
    expect(buildSchedule(parseScenario({ ...rush, seed: 7 })).seed).toBe(7);
  });

  it('counts seq by time and assigns classes by share', () => {
    const arrivals = Array.from({ length: 40 }, (_, k) =>
      build(rush, replicationSeed(1, k)),
    ).flat();
    const small = arrivals.filter((a) => a.class === 'small').length / arrivals.length;
    expect(Math.abs(small - 0.7)).toBeLessThan(4 * Math.sqrt((0.7 * 0.3) / arrivals.length));
    build(rush).forEach((a, i) => {
      expect(a.seq).toBe(i);
    });
  });

  it('draws services over the whole of their distribution, with tokens of the class', () => {
    const arrivals = Array.from({ length: 40 }, (_, k) =>
      build(rush, replicationSeed(1, k)),
    ).flat();
    const s = arrivals.map((a) => a.demand.serviceUs / 1e6);
    const mean = s.reduce((sum, x) => sum + x, 0) / s.length;
    expect(Math.abs(mean - 17.5)).toBeLessThan((4 * 25) / Math.sqrt(12 * s.length));
    expect([Math.min(...s) >= 5, Math.max(...s) <= 30]).toEqual([true, true]);
    const small = arrivals.find((a) => a.class === 'small');
    expect(small?.demand).toMatchObject({ inTokens: 4, outTokens: 256, holdUs: 0 });
  });

  it('refuses more arrivals than fit into memory, whatever they come from', () => {
    const huge = [
      { ratePerS: 1e9 },
      { ratePerS: 1e308 },
      { ratePerS: 1, bursts: [{ fromS: 0, toS: 1, factor: 1e12 }] },
      { process: 'ramp', fromPerS: 0, toPerS: 1e9 },
      { process: 'constant', ratePerS: 1e9 },
      { process: 'gamma', ratePerS: 1e9, burstiness: 0.5 },
    ];
    for (const arrivals of huge) {
      expect(() => build({ arrivals, durationS: 2 })).toThrow(/at most 5000000 in a run, got /);
    }
    expect(() => build({ arrivals: { ratePerS: 1 }, durationS: 1e9 })).toThrow(/got 1.00e\+9/);
  });

  it('moves no service and no instant when the gate changes', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 64 }), (seed, slots) => {
        const gate = { slots, maxWaitS: slots, ageRejectS: 5 };
        expect(build({ ...rush, gate }, seed)).toEqual(build(rush, seed));
      }),
      { numRuns: 20 },
    );
  });

  it('moves no service and no instant when shares change', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 99 }), (seed, percent) => {
        const share = percent / 100;
        const classes = {
          small: { ...rush.classes.small, share },
          large: { ...rush.classes.large, share: 1 - share },
        };
        const [a, b] = [build({ ...rush, classes }, seed), build(rush, seed)];
        expect(a.map((x) => x.atUs)).toEqual(b.map((x) => x.atUs));
        expect(expectSameWhereShared(services(a), services(b))).toBeGreaterThan(0);
      }),
      { numRuns: 20 },
    );
  });

  it('moves nothing of a class when another with its own process is added', () => {
    const own = { arrivals: { ratePerS: 2 }, service: { exponential: 3 } };
    const more = build({ ...rush, classes: { ...rush.classes, probe: own } }, 3);
    const before = services(build(rush, 3));
    const after = services(more.filter((a) => a.class !== 'probe'));
    expect(after).toEqual(before);
    expect(more.filter((a) => a.class === 'probe').length).toBeGreaterThan(500);
    expect(more.every((a, i) => a.seq === i && a.atUs >= (more[i - 1]?.atUs ?? 0))).toBe(true);
  });

  it('keeps the longer run a continuation of the shorter', () => {
    const short = build(rush, 4);
    const bursts = rush.arrivals.bursts;
    const long = build({ ...rush, durationS: 400, arrivals: { ...rush.arrivals, bursts } }, 4);
    expect(long.slice(0, short.length)).toEqual(short);
  });

  it('breaks ties by the order of the scenario, its own process first', () => {
    const at = (...atS: number[]) => ({ process: 'at', atS });
    const arrivals = build({
      durationS: 10,
      arrivals: at(1, 2),
      classes: { b: { arrivals: at(1, 2) }, a: { arrivals: at(2, 1, 1) }, main: { share: 1 } },
    });
    expect(arrivals.map((x) => `${x.atUs / 1e6}${x.class}${x.keySeq}`)).toEqual([
      '1main0',
      '1b0',
      '1a1',
      '1a2',
      '2main1',
      '2b1',
      '2a0',
    ]);
  });

  it('computes a service from tokens and draws a hold', () => {
    const service = { tokens: { prefillPerS: 100, gapS: 0.02, overheadS: 0.5 } };
    const classes = {
      lease: { prompt: 'x'.repeat(80), maxTokens: 50, service, hold: { uniform: [100, 200] } },
    };
    const [first] = build({ durationS: 60, arrivals: { process: 'at', atS: [1] }, classes });
    expect(first?.demand).toMatchObject({ serviceUs: 1_700_000, inTokens: 20, outTokens: 50 });
    expect(first?.demand.holdUs).toBeGreaterThanOrEqual(100e6);
  });
});

describe('a replayed trace', () => {
  const row = { atUs: 0, inTokens: null, outTokens: null, serviceUs: null, class: null };
  const rows = [
    { ...row, atUs: 0, class: 'large', serviceUs: 2_000_000, inTokens: 9, outTokens: 0 },
    { ...row, atUs: 4_000_000, class: 'unheard of' },
    { ...row, atUs: 700_000_000 },
  ];
  const traced = (more: object = {}) =>
    build({ ...rush, arrivals: { process: 'trace', file: 'log.csv', rows, ...more } });

  it('keeps what was recorded, draws the rest and marks it, and ends with the run', () => {
    const [first, second, ...rest] = traced();
    expect(rest).toEqual([]);
    expect(first).toMatchObject({
      class: 'large',
      demand: { serviceUs: 2e6, inTokens: 9, outTokens: 0 },
    });
    expect(first).not.toHaveProperty('drawn');
    expect(second).toMatchObject({ atUs: 4_000_000, drawn: true });
    expect(['small', 'large']).toContain(second?.class);
  });

  it('divides gaps by its speed and leaves tokens and services alone', () => {
    const fast = traced({ speed: 4 });
    expect(fast.map((a) => a.atUs)).toEqual([0, 1_000_000, 175_000_000]);
    expect(fast[0]?.demand).toEqual(traced()[0]?.demand);
  });

  it('takes no more rows than its limit', () => {
    expect(traced({ limit: 1 })).toHaveLength(1);
  });

  it('spreads tied rows with the seed, each by less than the step', () => {
    const tied = Array.from({ length: 100 }, () => ({ ...row, atUs: 1_000_000 }));
    const spread = (seed: number) =>
      build({
        ...rush,
        seed,
        arrivals: { process: 'trace', file: 'x', rows: tied, dequantiseS: 3 },
      });
    const times = spread(1).map((a) => a.atUs);
    expect(times.every((t) => t >= 1e6 && t < 4e6)).toBe(true);
    expect(new Set(times).size).toBe(100);
    expect(spread(1)).toEqual(spread(1));
    expect(spread(2).map((a) => a.atUs)).not.toEqual(times);
  });
});
