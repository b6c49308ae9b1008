import { describe, expect, it } from 'vitest';
import { drawsAt, streamKey } from '../../src/random.ts';
import { jointBand, liesInside } from '../../src/tune/inside.ts';

describe('a measured share', () => {
  it('may be one request away from a band without width', () => {
    expect(liesInside(1 / 256, [0, 0], 1 / 256)).toBe(true);
    expect(liesInside(2 / 256, [0, 0], 1 / 256)).toBe(false);
    expect(liesInside(0.1, [0.2, 0.3], 0.01)).toBe(false);
  });

  it('without a grain is held to the band itself', () => {
    expect(liesInside(2, [1, 2], 0)).toBe(true);
    expect(liesInside(2.01, [1, 2], 0)).toBe(false);
    expect(liesInside(0.99, [1, 2], 0)).toBe(false);
  });
});

describe('the band of figures that are judged together', () => {
  const runs = Array.from({ length: 1001 }, (_, i) => i);

  it('is 95 % of the runs for a figure alone, and wider beside others', () => {
    expect(jointBand(runs, 1)).toEqual([25, 975]);
    expect(jointBand(runs, 5)).toEqual([5, 995]);
  });

  it('calls at most one sound run in twenty wrong by any of six figures', () => {
    const draw = (run: number, figure: number) =>
      drawsAt(streamKey(7, `figure ${figure}`), run, 0).uniform();
    const bands = [0, 1, 2, 3, 4, 5].map((figure) =>
      jointBand(
        Array.from({ length: 1000 }, (_, run) => draw(run, figure)),
        6,
      ),
    );
    let wrong = 0;
    for (let run = 5000; run < 7000; run++) {
      const isOutside = bands.some(
        (band, figure) => band === null || !liesInside(draw(run, figure), band, 0),
      );
      if (isOutside) wrong++;
    }
    expect(wrong / 2000).toBeLessThan(0.07);
    expect(wrong / 2000).toBeGreaterThan(0.03);
  });

  it('is nothing where fewer than two runs have the figure', () => {
    expect(jointBand([1], 6)).toBeNull();
  });
});
