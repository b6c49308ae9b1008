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
  const noise = noiseOf(one, other);
  return gained.some(
    (value, s) =>
      value > (noise[s]?.goodput ?? GRAIN) && (spared[s] ?? 0) > (noise[s]?.breach ?? GRAIN),
  );
}

/** Of one scenario: what a difference must exceed. */
interface Noise {
  readonly goodput: number;
  readonly breach: number;
}

const known = new WeakMap<Trial, WeakMap<Trial, readonly Noise[]>>();

/** By scenario. A bootstrap asks hundreds of times for the same two. */
function noiseOf(one: Trial, other: Trial): readonly Noise[] {
  const ofOne = known.get(one) ?? new WeakMap<Trial, readonly Noise[]>();
  known.set(one, ofOne);
  const before = ofOne.get(other);
  if (before !== undefined) return before;
  const noise = one.goodput.map((goodput, s) => ({
    goodput: halfWidth(goodput, other.goodput[s]),
    breach: halfWidth(one.breach[s], other.breach[s]),
  }));
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
