import { quantileOf } from '../result/statistics.ts';
import type { Replicated } from '../result/types.ts';

/** How often a sound prediction may be called wrong, by any of its figures. */
const FALSE_ALARMS = 0.05;

/**
 * The band of one of `figures` figures that are judged together: 95 % of sound runs lie inside all
 * of theirs. With a band of 95 % for each, a quarter of the runs with six figures would be outside one.
 * @param runs the figure in each predicted run
 * @returns null of fewer than two
 */
export function jointBand(runs: readonly number[], figures: number): Replicated['band'] | null {
  const outside = FALSE_ALARMS / figures;
  const ascending = Float64Array.from(runs).sort();
  const lo = quantileOf(ascending, outside / 2);
  const hi = quantileOf(ascending, 1 - outside / 2);
  return lo === null || hi === null || ascending.length < 2 ? null : [lo, hi];
}

/**
 * The band of a share of n requests, wider by one of them at each end, so that it is never a point: a
 * share cannot be told apart below 1/n, and where the limit on the wait and the longest service add
 * up to the SLO, one request that is milliseconds late on the wire is one breach.
 */
export function giveOrTakeOne([lo, hi]: Replicated['band'], n: number): Replicated['band'] {
  const grain = 1 / Math.max(1, n);
  return [Math.max(0, lo - grain), Math.min(1, hi + grain)];
}

/** Whether a measured figure lies in the predicted band. */
export function liesInside(measured: number, [lo, hi]: Replicated['band']): boolean {
  return measured >= lo && measured <= hi;
}
