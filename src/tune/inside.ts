import type { Replicated } from '../result/types.ts';

/**
 * Whether a measured figure lies in the predicted band, give or take its grain: a share of n
 * requests cannot be told apart below 1/n, and where the limit on the wait and the longest service
 * add up to the SLO, one request that is milliseconds late on the wire is one breach.
 * @param grain in the unit of the figure; 0: none
 */
export function liesInside(measured: number, [lo, hi]: Replicated['band'], grain: number): boolean {
  return measured >= lo - grain && measured <= hi + grain;
}
