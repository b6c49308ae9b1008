import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedBy, instants, rateOf, steadyRate } from '../../src/arrivals/rate.ts';

describe('the cumulative rate', () => {
  it('counts a window at its factor and overlapping windows at their product', () => {
    const rate = steadyRate(
      2,
      [
        { fromS: 10, toS: 30, factor: 3 },
        { fromS: 20, toS: 40, factor: 0.5 },
      ],
      50,
    );
    expect(expectedBy(rate, 10)).toBeCloseTo(20, 10);
    expect(expectedBy(rate, 20)).toBeCloseTo(20 + 60, 10);
    expect(expectedBy(rate, 30)).toBeCloseTo(20 + 60 + 30, 10);
    expect(expectedBy(rate, 40)).toBeCloseTo(20 + 60 + 30 + 10, 10);
    expect(rate.total).toBeCloseTo(140, 10);
  });

  it('clips a window that reaches beyond the run', () => {
    expect(steadyRate(1, [{ fromS: 5, toS: 100, factor: 2 }], 10).total).toBeCloseTo(15, 10);
    expect(steadyRate(1, [{ fromS: 50, toS: 100, factor: 2 }], 10).total).toBeCloseTo(10, 10);
  });

  it('of a ramp is the area under a straight line', () => {
    const rate = rateOf({ fromPerS: 0, toPerS: 10 }, [], 100);
    expect(expectedBy(rate, 50)).toBeCloseTo(125, 10);
    expect(rate.total).toBeCloseTo(500, 10);
  });

  it('has no arrival in a window of factor 0', () => {
    const instantOf = instants(steadyRate(1, [{ fromS: 10, toS: 20, factor: 0 }], 30));
    expect([9.5, 10, 10.5, 19.5, 20].map(instantOf)).toEqual([9.5, 20, 20.5, 29.5, Infinity]);
  });

  it('is undone by its inverse, whatever the windows and the ramp', () => {
    const window = fc
      .tuple(
        fc.double({ min: 0, max: 120, noNaN: true }),
        fc.double({ min: 0.1, max: 60, noNaN: true }),
      )
      .chain(([fromS, lengthS]) =>
        fc
          .double({ min: 0, max: 10, noNaN: true })
          .map((factor) => ({ fromS, toS: fromS + lengthS, factor })),
      );
    const perS = fc.double({ min: 0.01, max: 20_000, noNaN: true });
    fc.assert(
      fc.property(perS, perS, fc.array(window, { maxLength: 5 }), (fromPerS, toPerS, bursts) => {
        const rate = rateOf({ fromPerS, toPerS }, bursts, 100);
        const instantOf = instants(rate);
        const counts = Array.from({ length: 50 }, (_, i) => (rate.total * i) / 50);
        const atS = counts.map(instantOf).filter(Number.isFinite);
        const errors = atS.map((s, i) => Math.abs(expectedBy(rate, s) - (counts[i] ?? 0)));
        expect(Math.max(0, ...errors)).toBeLessThan(1e-9 * (rate.total + 1));
        expect(atS).toEqual(atS.toSorted((a, b) => a - b));
        expect(atS).toHaveLength(rate.total > 0 ? 50 : 0);
      }),
    );
  });
});
