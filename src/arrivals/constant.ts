import type { Rate } from './rate.ts';
import { timeChanged } from './time-change.ts';

/** Even gaps, the first arrival at the start; a window makes them shorter or longer. Microseconds. */
export function constantTimes(rate: Rate): number[] {
  return timeChanged(rate, 0, () => 1);
}
