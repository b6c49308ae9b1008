import { describe, expect, it } from 'vitest';
import { drawsAt, movableDraws, replicationSeed, streamKey } from '../src/random.ts';

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const [ma, mb] = [mean(a), mean(b)];
  const product = (x: readonly number[], mx: number, y: readonly number[], my: number) =>
    mean(x.map((value, i) => (value - mx) * (y[i]! - my)));
  return product(a, ma, b, mb) / Math.sqrt(product(a, ma, a, ma) * product(b, mb, b, mb));
}

/** Chi-square of equal cells, as deviations from its mean in standard deviations. */
function chiSquareZ(values: readonly number[], cells = 256): number {
  const counts = new Array<number>(cells).fill(0);
  for (const value of values) counts[Math.floor(value * cells)]!++;
  const expected = values.length / cells;
  const chi2 = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return (chi2 - (cells - 1)) / Math.sqrt(2 * (cells - 1));
}

const N = 100_000;
const rng = movableDraws();
const key = streamKey(1, 'service', 'small');
const firsts = (k = key, attempt = 0, from = 0, step = 1) =>
  Array.from({ length: N }, (_, i) => rng.moveTo(k, from + i * step, attempt).uniform());

describe('keyed draws', () => {
  it('are uniform over consecutive places of a stream', () => {
    expect(Math.abs(chiSquareZ(firsts()))).toBeLessThan(4);
  });

  it('are uniform in their low bits too', () => {
    const low = firsts().map((value) => (value * 2 ** 20) % 1);
    expect(Math.abs(chiSquareZ(low))).toBeLessThan(4);
  });

  it('are uniform over places that lie a power of two apart, and over attempts', () => {
    expect(Math.abs(chiSquareZ(firsts(key, 0, 0, 65_536)))).toBeLessThan(4);
    const attempts = Array.from({ length: N }, (_, i) => rng.moveTo(key, 7, i).uniform());
    expect(Math.abs(chiSquareZ(attempts))).toBeLessThan(4);
  });

  it('are uniform over consecutive seeds', () => {
    const seeds = Array.from({ length: 50_000 }, (_, i) =>
      rng.moveTo(streamKey(i, 'gap')).uniform(),
    );
    expect(Math.abs(chiSquareZ(seeds))).toBeLessThan(4);
  });

  it('do not depend on a neighbour in place, attempt, stream, class or seed', () => {
    const here = firsts();
    const neighbours = [
      firsts(key, 0, 1),
      firsts(key, 1),
      firsts(streamKey(1, 'hold', 'small')),
      firsts(streamKey(1, 'service', 'large')),
      firsts(streamKey(2, 'service', 'small')),
    ];
    // 4.5 standard deviations of the correlation of independent draws.
    for (const other of neighbours) {
      expect(Math.abs(correlation(here, other))).toBeLessThan(4.5 / Math.sqrt(N));
    }
  });

  it('do not depend on the draw before them at the same place', () => {
    const pairs = Array.from({ length: N }, (_, i) => {
      rng.moveTo(key, i);
      return [rng.uniform(), rng.uniform()] as const;
    });
    const r = correlation(
      pairs.map(([a]) => a),
      pairs.map(([, b]) => b),
    );
    expect(Math.abs(r)).toBeLessThan(4.5 / Math.sqrt(N));
  });

  it('tell places beyond 2^32 from those below', () => {
    expect(drawsAt(key, 2 ** 32 + 5).uniform()).not.toBe(drawsAt(key, 5).uniform());
  });

  it('are the same from a generator that was moved and from a new one', () => {
    rng.moveTo(key, 3).gamma(0.3);
    const moved = rng.moveTo(key, 9, 2);
    const fresh = drawsAt(key, 9, 2);
    for (let i = 0; i < 20; i++) expect(moved.normal()).toBe(fresh.normal());
  });

  it('lie strictly between 0 and 1', () => {
    const values = firsts();
    expect(values.every((value) => value > 0 && value < 1)).toBe(true);
  });

  it('are pinned, so that every platform draws the same', () => {
    const pinned = drawsAt(streamKey(42, 'service', 'small'), 7, 1);
    expect([pinned.uniform(), pinned.exponential(), pinned.normal(), pinned.gamma(0.5)]).toEqual([
      0.12565652917466974, 0.07604673112326482, 1.2149105871648849, 0.06672186381566292,
    ]);
  });
});

describe('distributions', () => {
  const draws = (draw: () => number) => {
    rng.moveTo(streamKey(5, 'moments'));
    return Array.from({ length: N }, draw);
  };
  const variance = (values: readonly number[]) => {
    const m = mean(values);
    return mean(values.map((value) => (value - m) ** 2));
  };

  it('the exponential has mean 1 and variance 1', () => {
    const values = draws(() => rng.exponential());
    expect(Math.abs(mean(values) - 1)).toBeLessThan(0.01);
    expect(Math.abs(variance(values) - 1)).toBeLessThan(0.03);
  });

  it('the normal has the moments 0, 1, 0 and 3', () => {
    const values = draws(() => rng.normal());
    expect(Math.abs(mean(values))).toBeLessThan(0.01);
    expect(Math.abs(variance(values) - 1)).toBeLessThan(0.015);
    expect(Math.abs(mean(values.map((x) => x ** 3)))).toBeLessThan(0.04);
    expect(Math.abs(mean(values.map((x) => x ** 4)) - 3)).toBeLessThan(0.1);
  });

  it.each([0.05, 0.25, 1, 4, 50])(
    'the gamma of shape %d has mean 1 and variance 1/shape',
    (shape) => {
      const values = draws(() => rng.gamma(shape));
      // Standard error of a gamma's variance: (1/shape) sqrt((2 + 6/shape) / n).
      const error = Math.sqrt((2 + 6 / shape) / N);
      expect(Math.abs(mean(values) - 1)).toBeLessThan(4.5 / Math.sqrt(shape * N));
      expect(Math.abs(variance(values) * shape - 1)).toBeLessThan(4.5 * error);
    },
  );
});

describe('seeds of replications', () => {
  it('are whole, safe, distinct and begin with the seed itself', () => {
    const seeds = Array.from({ length: 20_000 }, (_, k) => replicationSeed(1, k));
    const others = Array.from({ length: 20_000 }, (_, k) => replicationSeed(2, k));
    expect(seeds[0]).toBe(1);
    expect([...seeds, ...others].every(Number.isSafeInteger)).toBe(true);
    expect(new Set([...seeds, ...others]).size).toBe(40_000);
  });
});
