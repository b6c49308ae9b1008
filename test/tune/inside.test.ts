import { describe, expect, it } from 'vitest';
import { liesInside } from '../../src/tune/inside.ts';

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
