import { quantileSorted } from 'simple-statistics';

/** The exact quantile (linear between two values) of an ascending array; null of an empty one. */
export function quantileOf(ascending: ArrayLike<number>, p: number): number | null {
  if (ascending.length === 0) return null;
  // The library reads only length and index; its type asks for a plain array.
  return quantileSorted(ascending as unknown as number[], p);
}

/**
 * How many of `n` values lie beyond their exact quantile `p` (0 to 1, linear between the two
 * nearest): with three of them a percentile is an anecdote. 0 of none.
 */
export function beyondQuantile(n: number, p: number): number {
  const last = Math.round(n) - 1;
  return last < 0 ? 0 : last - Math.floor(last * p);
}

/** Mean and sample variance by Welford's recurrence: equal values give exactly their value and 0. */
export function moments(values: Iterable<number>): { n: number; mean: number; variance: number } {
  let n = 0;
  let mean = 0;
  let squares = 0;
  for (const value of values) {
    n++;
    const delta = value - mean;
    mean += delta / n;
    squares += delta * (value - mean);
  }
  return { n, mean, variance: n > 1 ? squares / (n - 1) : 0 };
}

/** Squared coefficient of variation of positive values; null below two of them or without a mean. */
export function scvOf(values: Iterable<number>): number | null {
  const { n, mean, variance } = moments(values);
  return n < 2 || mean === 0 ? null : variance / (mean * mean);
}

/**
 * P(|T| <= t) of Student's distribution with a whole number of degrees of freedom: the finite
 * series of Abramowitz and Stegun, 26.7.3 and 26.7.4.
 */
export function studentWithin(t: number, df: number): number {
  const theta = Math.atan(t / Math.sqrt(df));
  const cos = Math.cos(theta);
  const odd = df % 2 === 1;
  let term = odd ? cos : 1;
  let sum = df === 1 ? 0 : term;
  for (let k = odd ? 3 : 2; k <= df - 2; k += 2) {
    term *= ((k - 1) / k) * cos * cos;
    sum += term;
  }
  return odd ? (2 / Math.PI) * (theta + Math.sin(theta) * sum) : Math.sin(theta) * sum;
}

const half95 = new Map<number, number>();

/** The t that holds 95 % of Student's distribution between -t and t. `df`: a whole number from 1. */
export function student95(df: number): number {
  const known = half95.get(df);
  if (known !== undefined) return known;
  let low = 1.9;
  let high = 12.8;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (studentWithin(middle, df) < 0.95) low = middle;
    else high = middle;
  }
  half95.set(df, high);
  return high;
}

/** A nanosecond; below it a span is none. */
const SMALLEST_SPAN = 1e-9;

/** A round width (1, 2 or 5 times a power of ten) that covers `span` in at most `bins` bins. */
export function niceWidth(span: number, bins: number): number {
  if (!(span > SMALLEST_SPAN)) return 1;
  const raw = span / bins;
  const power = 10 ** Math.floor(Math.log10(raw));
  // A hair of slack: 0.3 / 3 is not above 0.1 for a reader.
  const step = [1, 2, 5].find((multiple) => raw <= multiple * power * (1 + 1e-9)) ?? 10;
  return Number((step * power).toPrecision(12));
}

/** Counts in bins of a round width from 0; every value is in exactly one bin. */
export function histogramOf(
  ascending: ArrayLike<number>,
  bins: number,
): { fromS: number; toS: number; n: number }[] {
  const last = ascending.length - 1;
  if (last < 0) return [];
  const width = niceWidth(ascending[last] ?? 0, bins);
  const counts: number[] = [];
  for (let i = 0; i <= last; i++) {
    const bin = Math.max(0, Math.floor((ascending[i] ?? 0) / width + 1e-9));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return Array.from(counts, (n, i) => ({
    fromS: edge(i, width),
    toS: edge(i + 1, width),
    n: n ?? 0,
  }));
}

function edge(i: number, width: number): number {
  return Number((i * width).toPrecision(12));
}

/**
 * The x that ramps of slope 1 exceeded for the given total time. `from` and `to` are where each
 * ramp began and ended, so that it spent `to - from` on its way. 0 where they never spent so long.
 */
export function exceededFor(from: Float64Array, to: Float64Array, time: number): number {
  const starts = from.slice().sort();
  const ends = to.slice().sort();
  let s = starts.length - 1;
  let e = ends.length - 1;
  let level = ends[e] ?? 0;
  let spent = 0;
  // Downwards: below an end its ramp counts, below a start no longer.
  for (let open = 0; e >= 0 || s >= 0; ) {
    const next = Math.max(ends[e] ?? -1, starts[s] ?? -1);
    const gained = open * (level - next);
    if (open > 0 && spent + gained >= time) return level - (time - spent) / open;
    spent += gained;
    level = next;
    if ((ends[e] ?? -1) === next) {
      open++;
      e--;
    } else {
      open--;
      s--;
    }
  }
  return 0;
}
