import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawsAt, streamKey } from '../../src/random.ts';
import {
  drawUs,
  maxS,
  meanS,
  minS,
  tokenServiceS,
  tokensOf,
  varianceS2,
} from '../../src/scenario/distribution.ts';
import type { Distribution } from '../../src/scenario/types.ts';

const TOKENS = { inTokens: 100, outTokens: 50 };
const KEY = streamKey(7, 'service', 'test');
const N = 40_000;

const DISTRIBUTIONS: Distribution[] = [
  { fixed: 5 },
  { uniform: [5, 30] },
  { exponential: 4 },
  { lognormal: { mean: 10, scv: 1.4 } },
  { gamma: { mean: 10, scv: 0.5 } },
  { bimodal: { first: 1, second: 20, share: 0.3, scv: 1 } },
  { bimodal: { first: 1, second: 20, share: 0.3, scv: 0 } },
  { empirical: [1, 2, 3, 10] },
];

describe('draws have the stated moments', () => {
  for (const distribution of DISTRIBUTIONS) {
    it(JSON.stringify(distribution), () => {
      const draws = Array.from(
        { length: N },
        (_, seq) => drawUs(distribution, drawsAt(KEY, seq)) / 1e6,
      );
      const mean = draws.reduce((sum, x) => sum + x, 0) / N;
      const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / N;
      const standardError = Math.sqrt(varianceS2(distribution) / N);
      expect(Math.abs(mean - meanS(distribution, TOKENS))).toBeLessThanOrEqual(
        4 * standardError + 1e-6,
      );
      expect(
        Math.abs(variance / (varianceS2(distribution) || 1) - Math.sign(varianceS2(distribution))),
      ).toBeLessThan(0.1);
      const longest = maxS(distribution, TOKENS);
      if (longest !== null) expect(draws.every((x) => x <= longest)).toBe(true);
      const shortest = minS(distribution, TOKENS);
      expect(draws.every((x) => x >= shortest)).toBe(true);
      expect(shortest > 0).toBe(longest !== null);
    });
  }

  it('are whole microseconds, at least one, and the same for the same place', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...DISTRIBUTIONS, { exponential: 1e-7 }),
        fc.nat(),
        (distribution, seq) => {
          const us = drawUs(distribution, drawsAt(KEY, seq));
          expect(Number.isSafeInteger(us) && us >= 1).toBe(true);
          expect(drawUs(distribution, drawsAt(KEY, seq))).toBe(us);
        },
      ),
    );
  });
});

describe('service per token', () => {
  const service = { tokens: { prefillPerS: 1000, gapS: 0.02, overheadS: 0.5 } };

  it('is overhead, prefill and one gap for each token', () => {
    expect(tokenServiceS(service, TOKENS)).toBeCloseTo(0.5 + 0.1 + 1, 12);
    expect(meanS(service, TOKENS)).toBe(maxS(service, TOKENS));
    expect(varianceS2(service)).toBe(0);
  });

  it('estimates the prompt at four characters a token unless its length is stated', () => {
    const spec = { prompt: 'x'.repeat(9), maxTokens: 64, inTokens: null, outTokens: null };
    expect(tokensOf(spec)).toEqual({ inTokens: 3, outTokens: 64 });
    expect(tokensOf({ ...spec, inTokens: 7, outTokens: 8 })).toEqual({ inTokens: 7, outTokens: 8 });
    expect(tokensOf({ ...spec, prompt: '' }).inTokens).toBe(1);
  });
});
