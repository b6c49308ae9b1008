/** Settings that another one beats in goodput and in lateness both: to let people in who are then late is no gain. */
import { pairedDifference } from './paired.ts';
import type { Trial } from './weigh.ts';

/** Differences below this are noise however narrow their interval, of offered and of the served. */
const GRAIN = 0.0025;

/** Means of one trial, by scenario. */
export interface Means {
  readonly loss: readonly number[];
  readonly breach: readonly number[];
  readonly goodput: readonly number[];
}

/**
 * Whether one setting beats another: in no scenario does it serve less in time or more of them
 * late, and in one of them both differences lie beyond the noise.
 * @param means of the two, which may be those of a resample: the noise is that of all the runs
 */
export function beats(one: Trial, other: Trial, means: readonly [Means, Means]): boolean {
  const [mine, its] = means;
  const gained = mine.goodput.map((value, s) => value - (its.goodput[s] ?? 0));
  const spared = mine.breach.map((value, s) => (its.breach[s] ?? 0) - value);
  if (gained.some((value) => value < 0) || spared.some((value) => value < 0)) return false;
  return gained.some(
    (value, s) =>
      value > GRAIN &&
      (spared[s] ?? 0) > GRAIN &&
      value > noiseOf(one, other, s, 'goodput') &&
      (spared[s] ?? 0) > noiseOf(one, other, s, 'breach'),
  );
}

const known = new WeakMap<Trial, WeakMap<Trial, Map<string, number>>>();

/** Half of the 95 % interval of the paired difference. A bootstrap asks hundreds of times. */
function noiseOf(one: Trial, other: Trial, s: number, of: 'goodput' | 'breach'): number {
  const byOther = known.get(one) ?? new WeakMap<Trial, Map<string, number>>();
  known.set(one, byOther);
  const values = byOther.get(other) ?? new Map<string, number>();
  byOther.set(other, values);
  const key = `${of} ${s}`;
  const before = values.get(key);
  if (before !== undefined) return before;
  const difference = pairedDifference(Array.from(one[of][s] ?? []), Array.from(other[of][s] ?? []));
  const half = difference === null ? 0 : (difference.hi - difference.lo) / 2;
  values.set(key, half);
  return half;
}
