import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  beyondQuantile,
  exceededFor,
  histogramOf,
  moments,
  niceWidth,
  quantileOf,
  scvOf,
  student95,
  studentWithin,
} from '../../src/result/statistics.ts';

const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 });
const ascending = (list: readonly number[]) => Float64Array.from(list).sort();

describe('student95', () => {
  it('agrees with the printed tables', () => {
    const table = { 1: 12.7062, 2: 4.30265, 4: 2.77645, 9: 2.26216, 30: 2.04227, 199: 1.97196 };
    for (const [df, t] of Object.entries(table)) expect(student95(Number(df))).toBeCloseTo(t, 4);
  });

  it('approaches the normal quantile and holds 95 % for every count of runs', () => {
    expect(student95(100_000)).toBeCloseTo(1.95996, 4);
    for (let df = 1; df < 60; df++) expect(studentWithin(student95(df), df)).toBeCloseTo(0.95, 10);
  });
});

describe('quantiles', () => {
  it('have as many values beyond them as is said', () => {
    const law = fc.property(
      fc.integer({ min: 1, max: 3000 }),
      fc.constantFrom(0.5, 0.95, 0.99),
      (n, p) => {
        const sorted = Float64Array.from({ length: n }, (_, i) => i);
        const at = quantileOf(sorted, p) ?? Number.NaN;
        const beyond = sorted.filter((value) => value > at).length;
        // At a whole index a last bit decides on which side of its own value the quantile lies.
        expect(Math.abs(beyondQuantile(n, p) - beyond)).toBeLessThanOrEqual(
          Math.abs(at - Math.round(at)) < 1e-9 ? 1 : 0,
        );
      },
    );
    fc.assert(law);
    expect([0, 1, 100, 101, 303].map((n) => beyondQuantile(n, 0.99))).toEqual([0, 0, 1, 1, 4]);
  });

  it('rise with p and lie between the least and the greatest', () => {
    const law = fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (list, p) => {
      const sorted = ascending(list);
      const at = quantileOf(sorted, p) ?? Number.NaN;
      expect(at).toBeGreaterThanOrEqual(sorted[0] as number);
      expect(at).toBeLessThanOrEqual(sorted.at(-1) as number);
      expect(quantileOf(sorted, Math.min(1, p + 0.1))).toBeGreaterThanOrEqual(at);
    });
    fc.assert(law);
  });

  it('are null of nothing', () => {
    expect(quantileOf([], 0.5)).toBeNull();
  });
});

it('puts every value in exactly one bin of a histogram, where it belongs', () => {
  const law = fc.property(values, fc.integer({ min: 1, max: 60 }), (list, bins) => {
    const histogram = histogramOf(ascending(list), bins);
    expect(histogram.reduce((sum, bin) => sum + bin.n, 0)).toBe(list.length);
    expect(histogram.length).toBeLessThanOrEqual(bins + 2);
    for (const { fromS, toS, n } of histogram) {
      const inside = list.filter(
        (value) => value >= fromS * (1 - 1e-6) && value <= toS * (1 + 1e-6),
      );
      expect(inside.length).toBeGreaterThanOrEqual(n);
    }
  });
  fc.assert(law);
});

it('takes round widths that cover the span', () => {
  expect([niceWidth(300, 150), niceWidth(0.3, 3), niceWidth(7, 10), niceWidth(0, 5)]).toEqual([
    2, 0.1, 1, 1,
  ]);
});

it('gives equal values exactly their value and no variance', () => {
  fc.assert(
    fc.property(
      fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
      fc.integer({ min: 1, max: 50 }),
      (value, n) => {
        expect(moments(Array(n).fill(value))).toEqual({
          n,
          mean: value === 0 ? 0 : value,
          variance: 0,
        });
      },
    ),
  );
});

it('knows the scv of a constant and of two values', () => {
  expect(scvOf([3, 3, 3])).toBe(0);
  expect(scvOf([1, 3])).toBe(0.5);
  expect(scvOf([1])).toBeNull();
});

it('finds what ramps exceeded for a time: their measure above it is that time', () => {
  const ramps = fc.array(fc.tuple(fc.nat(1000), fc.integer({ min: 1, max: 1000 })), {
    minLength: 1,
  });
  fc.assert(
    fc.property(ramps, fc.double({ min: 0.01, max: 0.99, noNaN: true }), (list, share) => {
      const from = Float64Array.from(list, ([start]) => start);
      const to = Float64Array.from(list, ([start, length]) => start + length);
      const time = share * list.reduce((sum, [, length]) => sum + length, 0);
      const x = exceededFor(from, to, time);
      const above = list.reduce((sum, [s, l]) => sum + Math.max(0, s + l - Math.max(s, x)), 0);
      expect(above).toBeCloseTo(time, 6);
    }),
  );
});
