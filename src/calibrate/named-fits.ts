/** Fits of the named distributions of a scenario to observed service times, and how good they are. */
import { cumulativeStdNormalProbability, gammaln } from 'simple-statistics';
import { moments } from '../result/statistics.ts';
import type { Distribution } from '../scenario/types.ts';
import { incompleteGamma } from './incomplete-gamma.ts';
import { kolmogorovP, kolmogorovSmirnov } from './kolmogorov.ts';

export interface NamedFit {
  readonly name: 'fixed' | 'uniform' | 'exponential' | 'lognormal' | 'gamma';
  readonly distribution: Distribution;
  /** Greatest distance between the two distribution functions (Kolmogorov and Smirnov). */
  readonly ks: number;
  /** Chance of so great a distance if the fit were true; a little too kind, because it was fitted. */
  readonly p: number;
  /**
   * Bayesian information criterion: the lower, the better; it charges for parameters. null: one
   * value has no density that it could be made of.
   */
  readonly bic: number | null;
}

/** Values that differ by less than this share of their mean are one value, as far as a timer can tell. */
const FIXED_CV = 0.02;

interface Candidate {
  readonly name: NamedFit['name'];
  readonly distribution: Distribution;
  readonly parameters: number;
  readonly cdf: (x: number) => number;
  readonly logDensity: (x: number) => number;
}

/** Every named distribution, the best first. At least 3 positive values in seconds. */
export function namedFits(values: readonly number[]): NamedFit[] {
  const ascending = Float64Array.from(values).sort();
  const { mean, variance } = moments(values);
  const cv = Math.sqrt(variance) / mean;
  const fits = candidates(ascending, mean).map((each) => fitOf(each, ascending));
  fits.sort((a, b) => a.bic - b.bic);
  if (cv > FIXED_CV) return fits;
  const fixed = {
    name: 'fixed',
    distribution: { fixed: mean },
    ks: 0,
    p: 1,
    bic: null,
  } as const;
  return [fixed, ...fits];
}

function fitOf(candidate: Candidate, ascending: Float64Array): NamedFit & { readonly bic: number } {
  const { name, distribution, parameters, cdf, logDensity } = candidate;
  const n = ascending.length;
  let likelihood = 0;
  for (const x of ascending) likelihood += logDensity(x);
  const ks = kolmogorovSmirnov(ascending, cdf);
  const bic = parameters * Math.log(n) - 2 * likelihood;
  return { name, distribution, ks, p: kolmogorovP(ks, n), bic };
}

function candidates(ascending: Float64Array, mean: number): Candidate[] {
  const logs = moments(Array.from(ascending, Math.log));
  return [
    uniformFit(ascending),
    exponentialFit(mean),
    lognormalFit(logs.mean, Math.max(logs.variance, 1e-9)),
    gammaFit(mean, logs.mean),
  ];
}

/** The ends are a gap beyond the extremes of the sample: the estimator without bias. */
function uniformFit(ascending: Float64Array): Candidate {
  const n = ascending.length;
  const least = ascending[0] ?? 0;
  const most = ascending[n - 1] ?? 0;
  const gap = (most - least) / (n - 1);
  const from = Math.max(0, least - gap);
  const to = most + gap;
  const width = Math.max(to - from, 1e-12);
  return {
    name: 'uniform',
    distribution: { uniform: [from, to] },
    parameters: 2,
    cdf: (x) => Math.min(1, Math.max(0, (x - from) / width)),
    logDensity: () => -Math.log(width),
  };
}

function exponentialFit(mean: number): Candidate {
  return {
    name: 'exponential',
    distribution: { exponential: mean },
    parameters: 1,
    cdf: (x) => 1 - Math.exp(-x / mean),
    logDensity: (x) => -Math.log(mean) - x / mean,
  };
}

function lognormalFit(mu: number, sigma2: number): Candidate {
  const sigma = Math.sqrt(sigma2);
  return {
    name: 'lognormal',
    distribution: { lognormal: { mean: Math.exp(mu + sigma2 / 2), scv: Math.expm1(sigma2) } },
    parameters: 2,
    cdf: (x) => cumulativeStdNormalProbability((Math.log(x) - mu) / sigma),
    logDensity: (x) =>
      -Math.log(x * sigma * Math.sqrt(2 * Math.PI)) - (Math.log(x) - mu) ** 2 / (2 * sigma2),
  };
}

function gammaFit(mean: number, meanLog: number): Candidate {
  const shape = gammaShape(Math.max(Math.log(mean) - meanLog, 1e-9));
  const scale = mean / shape;
  return {
    name: 'gamma',
    distribution: { gamma: { mean, scv: 1 / shape } },
    parameters: 2,
    cdf: (x) => incompleteGamma(shape, x / scale),
    logDensity: (x) =>
      (shape - 1) * Math.log(x) - x / scale - gammaln(shape) - shape * Math.log(scale),
  };
}

/** Solves ln k - digamma(k) = s; the closed form is within 1.5 %, two steps of Newton do the rest (Minka, 2002). */
function gammaShape(s: number): number {
  let k = (3 - s + Math.sqrt((s - 3) ** 2 + 24 * s)) / (12 * s);
  for (let i = 0; i < 4; i++) {
    k -= (Math.log(k) - digamma(k) - s) / (1 / k - trigamma(k));
  }
  return k;
}

/** Both by recurrence up to 10, then the asymptotic series. */
function digamma(x: number): number {
  let shift = 0;
  let z = x;
  for (; z < 10; z++) shift -= 1 / z;
  const y = 1 / (z * z);
  return shift + Math.log(z) - 1 / (2 * z) - y * (1 / 12 - y * (1 / 120 - y / 252));
}

function trigamma(x: number): number {
  let shift = 0;
  let z = x;
  for (; z < 10; z++) shift += 1 / (z * z);
  const y = 1 / (z * z);
  return shift + 1 / z + y / 2 + (y / z) * (1 / 6 - y * (1 / 30 - y / 42));
}
