import { usFromS } from '../units.ts';
import { instants, type Rate } from './rate.ts';

/**
 * Arrivals of a process of unit rate, carried over to a rate that varies: exact by inversion of the
 * cumulative rate (Cinlar 1975). The count is not fixed, for a fixed count is not Poisson.
 * @param first expected count at the first arrival
 * @param nextGap expected count between an arrival and the next
 * @returns microseconds in rising order, each before the end of the run
 */
export function timeChanged(rate: Rate, first: number, nextGap: () => number): number[] {
  const instantOf = instants(rate);
  const endUs = usFromS(rate.durationS);
  const times: number[] = [];
  for (let count = first; count < rate.total; count += nextGap()) {
    const atUs = usFromS(instantOf(count));
    if (atUs >= endUs) break;
    times.push(atUs);
  }
  return times;
}
