/** Moments and draws of service times and holds. */
import type { Rng } from '../random.ts';
import { US_PER_S } from '../units.ts';
import type { ClassSpec, Distribution, TokenService } from './types.ts';

/** Tokens of one request. */
export interface TokenCounts {
  readonly inTokens: number;
  readonly outTokens: number;
}

/** English prose has about four characters to a token; no tokenizer is asked. */
const CHARACTERS_PER_TOKEN = 4;

/** Tokens that a request of this class carries when nothing was recorded for it. */
export function tokensOf(
  spec: Pick<ClassSpec, 'prompt' | 'maxTokens' | 'inTokens' | 'outTokens'>,
): TokenCounts {
  const estimate = Math.max(1, Math.ceil(spec.prompt.length / CHARACTERS_PER_TOKEN));
  return { inTokens: spec.inTokens ?? estimate, outTokens: spec.outTokens ?? spec.maxTokens };
}

/** Seconds that a per-token service needs: overhead, prompt / prefill rate, one gap for each output token. */
export function tokenServiceS({ tokens }: TokenService, counts: TokenCounts): number {
  return tokens.overheadS + counts.inTokens / tokens.prefillPerS + counts.outTokens * tokens.gapS;
}

/** Mean in seconds. A service per token needs the tokens of its request. */
export function meanS(service: Distribution | TokenService, counts: TokenCounts): number {
  if ('tokens' in service) return tokenServiceS(service, counts);
  if ('fixed' in service) return service.fixed;
  if ('uniform' in service) return (service.uniform[0] + service.uniform[1]) / 2;
  if ('exponential' in service) return service.exponential;
  if ('lognormal' in service) return service.lognormal.mean;
  if ('gamma' in service) return service.gamma.mean;
  if ('bimodal' in service) return mixed(service.bimodal, (mean) => mean);
  return average(service.empirical);
}

/** Variance in seconds squared; a service per token has none beyond that of its tokens. */
export function varianceS2(service: Distribution | TokenService): number {
  if ('tokens' in service || 'fixed' in service) return 0;
  if ('uniform' in service) return (service.uniform[1] - service.uniform[0]) ** 2 / 12;
  if ('exponential' in service) return service.exponential ** 2;
  if ('lognormal' in service) return service.lognormal.scv * service.lognormal.mean ** 2;
  if ('gamma' in service) return service.gamma.scv * service.gamma.mean ** 2;
  if ('bimodal' in service) {
    const { scv } = service.bimodal;
    return mixed(service.bimodal, (x) => x * x * (1 + scv)) - mixed(service.bimodal, (x) => x) ** 2;
  }
  const mean = average(service.empirical);
  return average(service.empirical.map((value) => (value - mean) ** 2));
}

/** The longest value that can be drawn, in seconds; null where there is no bound. */
export function maxS(service: Distribution | TokenService, counts: TokenCounts): number | null {
  if ('tokens' in service) return tokenServiceS(service, counts);
  if ('fixed' in service) return service.fixed;
  if ('uniform' in service) return service.uniform[1];
  if ('bimodal' in service) {
    const { first, second, share, scv } = service.bimodal;
    if (scv !== 0) return null;
    return Math.max(share < 1 ? first : 0, share > 0 ? second : 0);
  }
  return 'empirical' in service ? service.empirical.reduce((a, b) => Math.max(a, b)) : null;
}

/** The least value that can be drawn, in seconds; 0 where there is no bound. */
export function minS(service: Distribution | TokenService, counts: TokenCounts): number {
  if ('tokens' in service) return tokenServiceS(service, counts);
  if ('fixed' in service) return service.fixed;
  if ('uniform' in service) return service.uniform[0];
  if ('bimodal' in service) {
    const { first, second, share, scv } = service.bimodal;
    if (scv !== 0) return 0;
    return Math.min(share < 1 ? first : Infinity, share > 0 ? second : Infinity);
  }
  return 'empirical' in service ? service.empirical.reduce((a, b) => Math.min(a, b)) : 0;
}

/**
 * One draw in whole microseconds, at least 1. The hot path of every schedule: the commonest
 * distributions are asked for first and nothing is allocated.
 */
export function drawUs(distribution: Distribution, rng: Rng): number {
  const us = Math.round(drawS(distribution, rng) * US_PER_S);
  return Math.max(us, 1);
}

function drawS(distribution: Distribution, rng: Rng): number {
  if ('uniform' in distribution) {
    const [from, to] = distribution.uniform;
    return from + (to - from) * rng.uniform();
  }
  if ('exponential' in distribution) return distribution.exponential * rng.exponential();
  if ('fixed' in distribution) return distribution.fixed;
  if ('lognormal' in distribution) return drawLognormal(distribution.lognormal, rng);
  if ('gamma' in distribution) {
    return distribution.gamma.mean * rng.gamma(1 / distribution.gamma.scv);
  }
  if ('bimodal' in distribution) return drawBimodal(distribution.bimodal, rng);
  const values = distribution.empirical;
  return values[Math.floor(rng.uniform() * values.length)] ?? 0;
}

/** Mean and squared coefficient of variation to the normal beneath: sigma^2 = ln(1 + scv). */
function drawLognormal({ mean, scv }: { mean: number; scv: number }, rng: Rng): number {
  const sigma2 = Math.log(1 + scv);
  return mean * Math.exp(Math.sqrt(sigma2) * rng.normal() - sigma2 / 2);
}

type Bimodal = Extract<Distribution, { bimodal: unknown }>['bimodal'];

function drawBimodal({ first, second, share, scv }: Bimodal, rng: Rng): number {
  const mean = rng.uniform() < share ? second : first;
  return scv === 0 ? mean : mean * rng.exponential();
}

function mixed({ first, second, share }: Bimodal, of: (mean: number) => number): number {
  return (1 - share) * of(first) + share * of(second);
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
