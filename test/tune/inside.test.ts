import { describe, expect, it } from 'vitest';
import { drawsAt, streamKey } from '../../src/random.ts';
import { giveOrTakeOne, jointBand, liesInside } from '../../src/tune/inside.ts';

describe('a measured share', () => {
  it('may be one request away from a band without width', () => {
    const band = giveOrTakeOne([0, 0], 256);
    expect(band).toEqual([0, 1 / 256]);
    expect(liesInside(1 / 256, band)).toBe(true);
    expect(liesInside(2 / 256, band)).toBe(false);
    expect(liesInside(0.1, giveOrTakeOne([0.2, 0.3], 100))).toBe(false);
    expect(giveOrTakeOne([0.9, 1], 20)).toEqual([0.85, 1]);
  });

  it('without a grain is held to the band itself', () => {
    expect(liesInside(2, [1, 2])).toBe(true);
    expect(liesInside(2.01, [1, 2])).toBe(false);
    expect(liesInside(0.99, [1, 2])).toBe(false);
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
        (band, figure) => band === null || !liesInside(draw(run, figure), band),
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
