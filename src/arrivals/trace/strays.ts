import { US_PER_S } from '../../units.ts';

const DAY_US = 86_400 * US_PER_S;
/** A silence of a day is one in a log of weeks; beside gaps of seconds it is a wrong time stamp. */
const TIMES_THE_MEDIAN = 1000;
/** More rows than this share are a second stretch of the log, not a mistake in it. */
const FEW = 0.05;

/** Rows whose time stamps lie so far from all others that they can hardly be meant. */
export interface Strays {
  /** Place of one of them among the rows as they were given. */
  readonly place: number;
  readonly count: number;
  /** From the others, in days. */
  readonly days: number;
}

/**
 * The few rows before or after a gap that is absurd against the others; null where there are none.
 * @param timesUs in any order
 */
export function straysOf(timesUs: readonly number[]): Strays | null {
  const places = timesUs.map((_, place) => place);
  places.sort((a, b) => (timesUs[a] ?? 0) - (timesUs[b] ?? 0) || a - b);
  const sorted = places.map((place) => timesUs[place] ?? 0);
  const gaps = sorted.slice(1).map((atUs, i) => atUs - (sorted[i] ?? 0));
  const absurd = absurdFrom(gaps);
  let found: Strays | null = null;
  gaps.forEach((gap, i) => {
    const before = i + 1;
    const count = Math.min(before, sorted.length - before);
    if (gap < absurd || count > Math.max(1, FEW * sorted.length)) return;
    const isBefore = before < sorted.length - before;
    const place = places[isBefore ? i : i + 1] ?? 0;
    if (gap / DAY_US > (found?.days ?? 0)) found = { place, count, days: gap / DAY_US };
  });
  return found;
}

/** Two gaps have no median worth the name. */
function absurdFrom(gaps: readonly number[]): number {
  const median = gaps.length < 3 ? 0 : (gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 0);
  return Math.max(DAY_US, TIMES_THE_MEDIAN * median);
}
