/** Settings that another one beats in goodput and in lateness both: to let people in who are then late is no gain. */
import { pairedDifference } from './paired.ts';
import type { Trial } from './weigh.ts';

/** Differences below this are none however narrow their interval, of offered and of the served. */
export const GRAIN = 0.0025;

/** Means of one trial, by scenario. */
export interface Means {
  readonly loss: readonly number[];
  readonly breach: readonly number[];
  readonly goodput: readonly number[];
}

/**
 * Whether one setting beats another: in no scenario does it serve less in time or more of them
 * late, and in one of them it spares lateness beyond the noise and serves more. How much more
 * need not be beyond the noise: to let people in who are then late is no gain where it serves nobody
 * else. To serve more alone passes nothing over: that would be half of a plateau.
 * @param means of the two, which may be those of a resample: the noise is that of all the runs
 */
export function beats(one: Trial, other: Trial, means: readonly [Means, Means]): boolean {
  const [mine, its] = means;
  const gained = mine.goodput.map((value, s) => value - (its.goodput[s] ?? 0));
  const spared = mine.breach.map((value, s) => (its.breach[s] ?? 0) - value);
  if (gained.some((value) => value < 0) || spared.some((value) => value < 0)) return false;
  const noise = noiseOf(one, other);
  return gained.some((value, s) => value > GRAIN && (spared[s] ?? 0) > (noise[s] ?? GRAIN));
}

/**
 * The same with a gain in goodput beyond the noise as well: what alone is worth turning notably more
 * away for.
 */
export function beatsBeyondNoise(
  one: Trial,
  other: Trial,
  means: readonly [Means, Means],
): boolean {
  if (!beats(one, other, means)) return false;
  const [mine, its] = means;
  const noise = noiseOf(one, other, 'goodput');
  return mine.goodput.some((value, s) => value - (its.goodput[s] ?? 0) > (noise[s] ?? GRAIN));
}

type Measure = 'breach' | 'goodput';
type Noise = readonly number[];
const known = {
  breach: new WeakMap<Trial, WeakMap<Trial, Noise>>(),
  goodput: new WeakMap<Trial, WeakMap<Trial, Noise>>(),
};

/** What a difference must exceed, by scenario. A bootstrap asks hundreds of times for the same two. */
function noiseOf(one: Trial, other: Trial, of: Measure = 'breach'): Noise {
  const ofOne = known[of].get(one) ?? new WeakMap<Trial, Noise>();
  known[of].set(one, ofOne);
  const before = ofOne.get(other);
  if (before !== undefined) return before;
  const noise = one[of].map((values, s) => halfWidth(values, other[of][s]));
  ofOne.set(other, noise);
  return noise;
}

/** Half of the 95 % interval of the paired difference, and no less than the grain. */
function halfWidth(a: Float64Array = new Float64Array(0), b = a): number {
  const known = (values: Float64Array) =>
    Array.from(values, (value) => (Number.isNaN(value) ? null : value));
  const difference = pairedDifference(known(a), known(b));
  return difference === null ? GRAIN : Math.max(GRAIN, (difference.hi - difference.lo) / 2);
}
