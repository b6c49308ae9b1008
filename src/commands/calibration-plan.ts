/** What a calibration will send, and how long it takes at most, before and while it does. */
import { figuresOf, type Level } from '../calibrate/calibration.ts';
import { plannedRequests } from '../calibrate/measure.ts';

/** Of the best throughput that was met. */
export const BELOW_KNEE = 0.5;
/** Of the open loop at the end. */
export const OPEN_REQUESTS = 60;
export const LONGEST_LEVEL_S = 600;
export const LEAST_PER_CONNECTION = 12;

interface Bounds {
  readonly maxConnections: number;
  readonly requests: number;
  readonly maxRequests: number;
}

/** Requests of each level. */
export function planOf(
  { maxConnections, requests, maxRequests }: Bounds,
  shapes: number,
): number[] {
  return plannedRequests({
    mostConnections: maxConnections,
    requestsPerLevel: requests,
    leastPerConnection: LEAST_PER_CONNECTION,
    mostRequests: maxRequests,
    shapes: Array.from({ length: shapes }),
  });
}

/** Nothing is known yet of the endpoint: what bounds the time, and an example. */
export function firstLine(plan: readonly number[]): string {
  const most = Math.ceil((plan.length * LONGEST_LEVEL_S) / 60);
  const [first = 0] = plan;
  return `at most ${plan.length} levels of ${LONGEST_LEVEL_S / 60} min each, ${most} min; the first asks ${first} times in turn: ${Math.ceil(first / 60)} min with answers of 1 s`;
}

/**
 * What is left at most once the speed of a level is known: the next is at least as fast, or it is
 * the last.
 * @param met levels so far; undefined where none is left
 */
export function leftLine(plan: readonly number[], level: Level, met: number): string | undefined {
  const { perS } = figuresOf(level);
  const left = plan.slice(met);
  if (left.length === 0 || perS === 0) return undefined;
  const seconds = left.reduce(
    (sum, requests) => sum + Math.min(LONGEST_LEVEL_S, requests / perS),
    0,
  );
  const open = OPEN_REQUESTS / (BELOW_KNEE * perS);
  return `at most ${duration(seconds + open)} more`;
}

function duration(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}
