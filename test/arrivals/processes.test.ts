import { describe, expect, it } from 'vitest';
import { atTimes } from '../../src/arrivals/at.ts';
import { constantTimes } from '../../src/arrivals/constant.ts';
import { gammaTimes } from '../../src/arrivals/gamma.ts';
import { poissonTimes } from '../../src/arrivals/poisson.ts';
import { expectedBy, type Rate, rateOf, steadyRate } from '../../src/arrivals/rate.ts';
import { scvOf } from '../../src/arrivals/trace/figures.ts';
import { drawsAt, type Rng, streamKey } from '../../src/random.ts';

const rngOf = (seed: number): Rng => drawsAt(streamKey(seed, 'gap'));
const BURSTS = [{ fromS: 120, toS: 240, factor: 2 }];

function meanAndVariance(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) };
}

/** Counts of many runs. */
function counts(times: (seed: number) => readonly number[], runs: number): number[] {
  return Array.from({ length: runs }, (_, seed) => times(seed).length);
}

/**
 * Gaps in units of the expected count: of unit rate whatever the rate did. Instants are whole
 * microseconds, which shows where a gap is a few of them long; a point of a Poisson process lies
 * anywhere in its microsecond with equal chance, so putting it there undoes the rounding exactly.
 */
function changedGaps(rate: Rate, timesUs: readonly number[]): number[] {
  const rng = rngOf(99);
  const unrounded = timesUs.map((atUs) => Math.max(0, atUs + rng.uniform() - 0.5));
  const expected = unrounded.sort((a, b) => a - b).map((atUs) => expectedBy(rate, atUs / 1e6));
  return expected.map((count, i) => count - (expected[i - 1] ?? 0));
}

/** Kolmogorov-Smirnov distance from the unit exponential, times the root of n: above 1.95 is one in a thousand. */
function ksFromExponential(gaps: readonly number[]): number {
  const sorted = [...gaps].sort((a, b) => a - b);
  const distances = sorted.map((gap, i) => {
    const cdf = 1 - Math.exp(-gap);
    return Math.max(cdf - i / sorted.length, (i + 1) / sorted.length - cdf);
  });
  return Math.max(...distances) * Math.sqrt(sorted.length);
}

describe('Poisson arrivals', () => {
  const runbook = steadyRate(0.8, BURSTS, 300);

  it('have the mean and the variance of a Poisson count, bursts and all', () => {
    const { mean, variance } = meanAndVariance(
      counts((s) => poissonTimes(runbook, rngOf(s)), 4000),
    );
    expect(Math.abs(mean - 336)).toBeLessThan(4 * Math.sqrt(336 / 4000));
    // Index of dispersion 1: neither a fixed count nor a clumped one.
    expect(Math.abs(variance / mean - 1)).toBeLessThan(4 * Math.sqrt(2 / 4000));
  });

  it('have independent counts inside and outside of a window', () => {
    const runs = Array.from({ length: 4000 }, (_, s) => poissonTimes(runbook, rngOf(s)));
    const inside = runs.map((times) => times.filter((t) => t >= 120e6 && t < 240e6).length);
    const outside = runs.map((times, i) => times.length - inside[i]!);
    const [a, b] = [meanAndVariance(inside), meanAndVariance(outside)];
    expect(Math.abs(a.mean - 192)).toBeLessThan(4 * Math.sqrt(192 / 4000));
    expect(Math.abs(b.mean - 144)).toBeLessThan(4 * Math.sqrt(144 / 4000));
    const products = inside.map((x, i) => (x - a.mean) * (outside[i]! - b.mean));
    const correlation = meanAndVariance(products).mean / Math.sqrt(a.variance * b.variance);
    expect(Math.abs(correlation)).toBeLessThan(4 / Math.sqrt(4000));
  });

  it.each([0.01, 0.8, 50, 2000, 20_000])(
    'have exponential time-changed gaps at %d/s',
    (ratePerS) => {
      const durationS = 20_000 / ratePerS;
      const bursts = [{ fromS: durationS * 0.3, toS: durationS * 0.6, factor: 3 }];
      const rate = steadyRate(ratePerS, bursts, durationS);
      const times = poissonTimes(rate, rngOf(11));
      expect(Math.abs(times.length - rate.total)).toBeLessThan(4 * Math.sqrt(rate.total));
      const gaps = changedGaps(rate, times);
      expect(ksFromExponential(gaps)).toBeLessThan(1.95);
      expect(Math.abs((scvOf(gaps) ?? 0) - 1)).toBeLessThan(0.08);
    },
  );

  it('follow a ramp', () => {
    const rate = rateOf({ fromPerS: 0, toPerS: 200 }, [], 300);
    const times = poissonTimes(rate, rngOf(3));
    expect(Math.abs(times.length - 30_000)).toBeLessThan(4 * Math.sqrt(30_000));
    expect(ksFromExponential(changedGaps(rate, times))).toBeLessThan(1.95);
  });

  it('are whole microseconds in order, inside the run', () => {
    const times = poissonTimes(steadyRate(20_000, [], 2), rngOf(5));
    expect(times.every((t) => Number.isInteger(t) && t >= 0 && t < 2e6)).toBe(true);
    expect(times.every((t, i) => t >= (times[i - 1] ?? 0))).toBe(true);
  });
});

describe('constant arrivals', () => {
  it('begin at the start and keep even gaps', () => {
    const expected = [0, 100_000, 200_000, 300_000, 400_000, 500_000, 600_000, 700_000];
    expect(constantTimes(steadyRate(10, [], 0.8))).toEqual(expected);
  });

  it('come closer in a window, at the very edge of it', () => {
    const rate = steadyRate(1, [{ fromS: 2, toS: 4, factor: 2 }], 6);
    const seconds = constantTimes(rate).map((atUs) => atUs / 1e6);
    expect(seconds).toEqual([0, 1, 2, 2.5, 3, 3.5, 4, 5]);
  });
});

describe('gamma arrivals', () => {
  it.each([0.1, 0.25, 1, 4])('of burstiness %d have gaps of SCV 1/burstiness', (burstiness) => {
    const rate = steadyRate(100, BURSTS, 600);
    const gaps = changedGaps(rate, gammaTimes(rate, burstiness, rngOf(2))).slice(1);
    expect(Math.abs((scvOf(gaps) ?? 0) * burstiness - 1)).toBeLessThan(0.08);
  });

  it.each([0.1, 4])('of burstiness %d offer the rate even in a short run', (burstiness) => {
    const rate = steadyRate(1, [], 20);
    const { mean, variance } = meanAndVariance(
      counts((s) => gammaTimes(rate, burstiness, rngOf(s)), 6000),
    );
    expect(Math.abs(mean - 20)).toBeLessThan(4 * Math.sqrt(variance / 6000));
  });

  it('of burstiness 1 are Poisson', () => {
    const rate = steadyRate(100, BURSTS, 300);
    expect(ksFromExponential(changedGaps(rate, gammaTimes(rate, 1, rngOf(8))))).toBeLessThan(1.95);
  });
});

describe('listed arrivals', () => {
  it('come in order, keep their places in the list, and end with the run', () => {
    const { timesUs, places } = atTimes([5, 1, 10, 1, 2.5], 10);
    expect(timesUs).toEqual([1e6, 1e6, 2.5e6, 5e6]);
    expect(places).toEqual([1, 3, 4, 0]);
  });
});
