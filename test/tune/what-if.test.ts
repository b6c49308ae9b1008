import { describe, expect, it } from 'vitest';
import { slotUsOf, withoutHold } from '../../src/tune/what-if.ts';

const demand = (serviceUs: number, holdUs: number) => ({
  ...{ serviceUs, holdUs, inTokens: 1, outTokens: 1 },
});

describe('a slot that is held', () => {
  it('is freed when its own compute is done, or its answer, whichever is less', () => {
    expect(withoutHold(demand(3_600_000, 100_000), 0.05)).toEqual(demand(5000, 0));
    expect(withoutHold(demand(2000, 100_000), 0.05)).toEqual(demand(2000, 0));
    expect(withoutHold(demand(3_600_000, 100_000), 1)).toEqual(demand(100_000, 0));
    expect(withoutHold(demand(5000, 0), 0.05)).toEqual(demand(5000, 0));
  });

  it('is taken for its hold, not for the service that it would outlast', () => {
    expect(slotUsOf(demand(3_600_000, 100_000))).toBe(100_000);
    expect(slotUsOf(demand(5000, 0))).toBe(5000);
  });
});
