import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Figures } from '../../src/result/figures.ts';
import { unservedOf } from '../../src/tune/weigh.ts';

describe('the share that is not served', () => {
  it('is never below nothing, not by a rounding either', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.nat(1000),
        fc.nat(1000),
        (offered, a, b) => {
          const inTime = Math.min(a, offered);
          const late = Math.min(b, offered - inTime);
          const run = {
            'outcomes.offered': offered,
            'outcomes.sloBreached': late,
            'rates.goodput': inTime / offered,
          } as unknown as Figures;
          const share = unservedOf(run) ?? Number.NaN;
          expect(Object.is(share, -0)).toBe(false);
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeCloseTo((offered - inTime - late) / offered, 12);
        },
      ),
    );
  });

  it('is not known where nobody came', () => {
    expect(unservedOf({ 'outcomes.offered': 0, 'rates.goodput': null } as unknown as Figures)).toBe(
      null,
    );
  });
});
