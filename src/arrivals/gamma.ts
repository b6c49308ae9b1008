import type { Rng } from '../random.ts';
import type { Rate } from './rate.ts';
import { timeChanged } from './time-change.ts';

/**
 * Gamma gaps, time-changed; their squared coefficient of variation is 1 / burstiness. The run starts
 * in the middle of a gap (a uniform part of one that is drawn by its length, hence of shape + 1):
 * starting with a whole gap would offer more than the rate when burstiness is below 1.
 * @param burstiness the gamma shape, 1e-4 or more; 1 is Poisson, below 1 is burstier
 * @returns microseconds in rising order
 */
export function gammaTimes(rate: Rate, burstiness: number, rng: Rng): number[] {
  const lengthBiased = (rng.gamma(burstiness + 1) * (burstiness + 1)) / burstiness;
  return timeChanged(rate, rng.uniform() * lengthBiased, () => rng.gamma(burstiness));
}
