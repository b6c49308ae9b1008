import { usFromS } from '../units.ts';

/**
 * Arrivals at listed instants (seconds, any order). What lies at or after the end of the run, or
 * before its start, is left out. `places` are positions in the list: the draws of an arrival stay
 * with it when another is added after it.
 */
export function atTimes(
  atS: readonly number[],
  durationS: number,
): { timesUs: number[]; places: number[] } {
  const timesUs = atS.map(usFromS);
  const endUs = usFromS(durationS);
  const places = placesInOrder(timesUs).filter((place) => {
    const atUs = timesUs[place] ?? -1;
    return atUs >= 0 && atUs < endUs;
  });
  return { timesUs: places.map((place) => timesUs[place] ?? 0), places };
}

/** Positions of the values in rising order; equal values keep their order. */
export function placesInOrder(values: readonly number[]): number[] {
  return values.map((_, place) => place).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
}
