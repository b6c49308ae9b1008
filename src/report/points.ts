import type { Figure } from '../result/types.ts';
import type { CurvePoint } from './curve.ts';
import { isReplicated } from './format.ts';

/** The points of a curve: one for each item that has data, with its interval where it has one. */
export function pointsOf<T>(items: readonly T[], of: (item: T) => Figure): CurvePoint[] {
  return items.flatMap((item, at): CurvePoint[] => {
    const value = of(item);
    if (value === null) return [];
    if (!isReplicated(value)) return [{ at, y: value }];
    return [{ at, y: value.mean, lo: value.lo, hi: value.hi }];
  });
}
