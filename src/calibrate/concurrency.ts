/** How latency grows with the number in service: not at all, by a slow-down, or because slots are full. */
import { moments } from '../result/statistics.ts';
import type { Observed } from './sample.ts';

export type Concurrency =
  /** One number of connections says nothing of another. */
  | { readonly type: 'unknown' }
  | { readonly type: 'constant' }
  /** speed = 1 / (1 + perRequest * max(0, inService - from)), as the model has it. */
  | { readonly type: 'slowdown'; readonly perRequest: number; readonly from: number }
  /** It serves this many at once, and the others wait. */
  | { readonly type: 'slots'; readonly slots: number };

export interface ConcurrencyFit {
  readonly concurrency: Concurrency;
  /** Share of the variance of the levels' means that it explains; null with one level. */
  readonly r2: number | null;
  readonly n: number;
}

interface Scored extends Omit<ConcurrencyFit, 'r2' | 'n'> {
  readonly bic: number;
}

/**
 * Fits by least squares, weighted so that a long latency counts no more than a short one; the
 * criterion of Bayes decides between the three. A slow-down `from` below 1 cannot be told from 1:
 * nobody has seen the server with nothing to do.
 */
export function concurrencyFit(observed: readonly Observed[]): ConcurrencyFit {
  const weights = weightsOf(observed);
  const most = Math.max(1, ...observed.map(({ connections }) => connections));
  const steps = Array.from({ length: Math.max(0, most - 1) }, (_, i) => i + 1);
  const fits = [
    scored({ type: 'constant' }, observed, weights, 1),
    ...steps.map((slots) => scored({ type: 'slots', slots }, observed, weights, 2)),
    ...steps.map((from) => {
      const perRequest = slope(observed, weights, from);
      return scored({ type: 'slowdown', perRequest, from }, observed, weights, 3);
    }),
  ];
  const best = fits.reduce((a, b) => (b.bic < a.bic ? b : a));
  const hasOneLevel = new Set(observed.map(({ connections }) => connections)).size < 2;
  const concurrency: Concurrency = hasOneLevel ? { type: 'unknown' } : best.concurrency;
  return { concurrency, r2: explained(observed, concurrency), n: observed.length };
}

/** Latency over that of a request alone. */
export function stretch(concurrency: Concurrency, inService: number): number {
  switch (concurrency.type) {
    case 'unknown':
    case 'constant':
      return 1;
    case 'slots':
      return Math.max(1, inService / concurrency.slots);
    case 'slowdown':
      return 1 + concurrency.perRequest * Math.max(0, inService - concurrency.from);
  }
}

/** 1 / mean latency squared of the sample's level. */
function weightsOf(observed: readonly Observed[]): number[] {
  const means = levelMeans(observed);
  return observed.map(({ connections }) => 1 / (means.get(connections)?.latencyS ?? 1) ** 2);
}

function levelMeans(observed: readonly Observed[]) {
  const levels = new Map<number, Observed[]>();
  for (const each of observed) {
    const level = levels.get(each.connections);
    if (level === undefined) levels.set(each.connections, [each]);
    else level.push(each);
  }
  return new Map(
    [...levels].map(([connections, level]) => {
      const latencyS = moments(level.map((each) => each.latencyS)).mean;
      const inService = moments(level.map((each) => each.inService)).mean;
      return [connections, { latencyS, inService }] as const;
    }),
  );
}

function scored(
  concurrency: Concurrency,
  observed: readonly Observed[],
  weights: readonly number[],
  parameters: number,
): Scored {
  if (concurrency.type === 'slowdown' && !(concurrency.perRequest > 0)) {
    return { concurrency, bic: Number.POSITIVE_INFINITY };
  }
  const baseS = base(concurrency, observed, weights);
  let rest = 0;
  for (const [i, { latencyS, inService }] of observed.entries()) {
    rest += (weights[i] ?? 0) * (latencyS - baseS * stretch(concurrency, inService)) ** 2;
  }
  const n = observed.length;
  return { concurrency, bic: n * Math.log(Math.max(rest / n, 1e-12)) + parameters * Math.log(n) };
}

/** The service alone that fits best under a given stretch. */
function base(
  concurrency: Concurrency,
  observed: readonly Observed[],
  weights: readonly number[],
): number {
  let product = 0;
  let square = 0;
  for (const [i, { latencyS, inService }] of observed.entries()) {
    const by = stretch(concurrency, inService);
    product += (weights[i] ?? 0) * latencyS * by;
    square += (weights[i] ?? 0) * by * by;
  }
  return product / square;
}

/** Of latency = S + S p max(0, inService - from): the quotient of its two coefficients. */
function slope(observed: readonly Observed[], weights: readonly number[], from: number): number {
  let [w, x, y, xx, xy] = [0, 0, 0, 0, 0];
  for (const [i, { latencyS, inService }] of observed.entries()) {
    const weight = weights[i] ?? 0;
    const over = Math.max(0, inService - from);
    w += weight;
    x += weight * over;
    y += weight * latencyS;
    xx += weight * over * over;
    xy += weight * over * latencyS;
  }
  const determinant = w * xx - x * x;
  if (!(determinant > 0)) return 0;
  const rise = (w * xy - x * y) / determinant;
  return rise / ((y - rise * x) / w);
}

function explained(observed: readonly Observed[], concurrency: Concurrency): number | null {
  const means = [...levelMeans(observed).values()];
  if (means.length < 2) return null;
  const baseS = moments(
    means.map((each) => each.latencyS / stretch(concurrency, each.inService)),
  ).mean;
  const all = moments(means.map((each) => each.latencyS));
  const total = all.variance * (means.length - 1);
  if (total === 0) return null;
  const rest = means.reduce((sum, { latencyS, inService }) => {
    return sum + (latencyS - baseS * stretch(concurrency, inService)) ** 2;
  }, 0);
  return Math.max(0, 1 - rest / total);
}
