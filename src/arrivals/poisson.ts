import type { Rng } from '../random.ts';
import type { Rate } from './rate.ts';
import { timeChanged } from './time-change.ts';

/** Poisson arrivals at a rate that may vary: exponential gaps, time-changed. Microseconds. */
export function poissonTimes(rate: Rate, rng: Rng): number[] {
  return timeChanged(rate, rng.exponential(), () => rng.exponential());
}
