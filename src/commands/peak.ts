import type { RowSink } from '../ledger/rows.ts';

const IGNORED = () => {};

/**
 * The most requests in flight at once in a run that tells a sink of its requests: from the instant
 * each is due to its end.
 */
export function peakInFlight(play: (sink: RowSink) => void): number {
  const changes: [atUs: number, by: number][] = [];
  play({
    request: ({ intendedUs, endUs }) => changes.push([intendedUs, 1], [endUs, -1]),
    state: IGNORED,
    busy: IGNORED,
    decision: IGNORED,
    preempt: IGNORED,
  });
  changes.sort(([a, byA], [b, byB]) => a - b || byA - byB);
  let now = 0;
  let peak = 0;
  for (const [, by] of changes) {
    now += by;
    peak = Math.max(peak, now);
  }
  return peak;
}
