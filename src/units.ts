/**
 * Time inside loadline is an integer count of microseconds since the start of the run, in a plain
 * number: 2^53 of them are 285 years. People speak seconds, so scenarios and results do; the
 * conversion happens here and nowhere else.
 */

/** Microseconds in a second. */
export const US_PER_S = 1_000_000;

/** Microseconds in a millisecond. */
export const US_PER_MS = 1_000;

/** Seconds to whole microseconds, rounded to the nearest. */
export function usFromS(seconds: number): number {
  return Math.round(seconds * US_PER_S);
}

/** Microseconds to seconds. */
export function sFromUs(us: number): number {
  return us / US_PER_S;
}

/** Microseconds to milliseconds. */
export function msFromUs(us: number): number {
  return us / US_PER_MS;
}

/** The earlier of two instants: a step of `Math.min` that need not look for what is no number. */
export function earlierUs(aUs: number, bUs: number): number {
  // biome-ignore lint/complexity/useMathMinMax: asked several times for each event of millions
  return aUs < bUs ? aUs : bUs;
}

/** The later of two instants. */
export function laterUs(aUs: number, bUs: number): number {
  // biome-ignore lint/complexity/useMathMinMax: as above
  return aUs > bUs ? aUs : bUs;
}
