/** From what a closed loop measured to a model that scenarios can use, with its evidence. */
import { quantileOf } from '../result/statistics.ts';
import type { Distribution, TokenService } from '../scenario/types.ts';
import { type Concurrency, concurrencyFit, stretch } from './concurrency.ts';
import { type NamedFit, namedFits } from './named-fits.ts';
import { type Observed, observedOf, type Sample } from './sample.ts';
import { type TokenFit, tokenFit } from './token-fit.ts';

/** One number of connections. */
export interface Level {
  readonly connections: number;
  readonly samples: readonly Sample[];
  /** Connections that broke, and requests that got no answer in time. */
  readonly errors: number;
  /** Seconds, as the server asked with a 429; null: it did not. */
  readonly retryAfterS: number | null;
  /** It was interrupted: its throughput is that of a part. */
  readonly isCut?: boolean;
}

export interface LevelFigures {
  readonly connections: number;
  readonly n: number;
  readonly perS: number;
  readonly meanS: number | null;
  readonly p95S: number | null;
  readonly limited: number;
  readonly failed: number;
  readonly isCut?: true;
}

export interface RateLimit {
  readonly connections: number;
  /** 429s / answers at that level. */
  readonly share: number;
  readonly retryAfterS: number | null;
}

/** The part of a scenario's `model` that is known after a calibration. */
export interface FittedModel {
  readonly service: Distribution | TokenService;
  readonly slots: number;
  readonly slowdown: { readonly perRequest: number; readonly from: number };
}

export interface Calibration {
  readonly model: FittedModel;
  /** It was cut short: what is here was measured until then. */
  readonly interrupted: boolean;
  readonly n: number;
  readonly roundTripS: number;
  readonly levels: readonly LevelFigures[];
  /** Connections beyond which throughput grew by less than a twentieth; null: not met. */
  readonly knee: number | null;
  readonly limit: RateLimit | null;
  readonly concurrency: Concurrency & { readonly r2: number | null };
  /** Service times as they are without load: quantiles, 0 to 1 in hundredths. */
  readonly quantilesS: readonly number[];
  /** The best first. */
  readonly named: readonly NamedFit[];
  readonly tokens: TokenFit | null;
  /** What was chosen, and why. */
  readonly because: string;
}

/** Growth of throughput from one level to the next below which it has stopped. */
export const LEAST_GROWTH = 1.05;
/** A named distribution stands where a worse fit than this would be rarer than one in a hundred. */
const LEAST_P = 0.01;
/** Tokens explain the service where they explain this share of its variance. */
const LEAST_R2 = 0.9;
const FEWEST = 20;

/** undefined: too few answers to say anything. */
export function calibrationOf(
  levels: readonly Level[],
  roundTripS: number,
): Calibration | undefined {
  const observed = levels.flatMap(({ samples }) => observedAt(samples, roundTripS));
  if (observed.length < FEWEST) return undefined;
  const { concurrency, r2 } = concurrencyFit(observed);
  const served = observed.map(({ latencyS, inService, inTokens, outTokens }) => ({
    serviceS: latencyS / stretch(concurrency, inService),
    ...{ inTokens, outTokens },
  }));
  const alone = serviceTimes(served, observed, concurrency);
  const named = namedFits(alone);
  const tokens = tokenFit(served);
  const { service, because } = chosen(alone, named, tokens);
  const figures = levels.map((level) => figuresOf(level));
  return {
    model: { service, ...slotsAndSlowdown(concurrency) },
    interrupted: levels.some(({ isCut }) => isCut === true),
    n: observed.length,
    roundTripS,
    levels: figures,
    knee: kneeOf(wholeLevels(figures)),
    limit: limitOf(levels),
    concurrency: { ...concurrency, r2 },
    quantilesS: quantiles(alone, 100),
    named,
    tokens,
    because,
  };
}

/** Levels at which something was refused are not the server's: what was answered there is left out. */
function observedAt(samples: readonly Sample[], roundTripS: number): Observed[] {
  if (samples.some(({ status }) => status === 429)) return [];
  const answered = samples.filter(({ status }) => status < 300);
  return observedOf(answered, roundTripS);
}

/** Where slots are full a latency is a wait too: only those of the others are service. */
function serviceTimes(
  served: readonly { serviceS: number }[],
  observed: readonly Observed[],
  concurrency: Concurrency,
): number[] {
  const most = concurrency.type === 'slots' ? concurrency.slots : Number.POSITIVE_INFINITY;
  const fit = served.filter((_, i) => (observed[i]?.connections ?? 0) <= most);
  return (fit.length >= FEWEST ? fit : served).map(({ serviceS }) => serviceS);
}

function slotsAndSlowdown(concurrency: Concurrency): Pick<FittedModel, 'slots' | 'slowdown'> {
  const none = { perRequest: 0, from: 0 };
  if (concurrency.type === 'slots') return { slots: concurrency.slots, slowdown: none };
  if (concurrency.type === 'constant' || concurrency.type === 'unknown')
    return { slots: 0, slowdown: none };
  const { perRequest, from } = concurrency;
  return { slots: 0, slowdown: { perRequest, from } };
}

function chosen(
  values: readonly number[],
  [best]: readonly NamedFit[],
  tokens: TokenFit | null,
): { service: Distribution | TokenService; because: string } {
  if (tokens !== null && tokens.r2 >= LEAST_R2) {
    const because = `tokens explain ${percent(tokens.r2)} of the variance of ${tokens.n} service times`;
    return { service: { tokens: tokens.tokens }, because };
  }
  if (best !== undefined && best.p >= LEAST_P) {
    const because = `${best.name} fits ${values.length} service times best: KS ${best.ks.toFixed(3)}, p ${best.p.toFixed(2)}`;
    return { service: best.distribution, because };
  }
  const ks = best === undefined ? '' : ` (${best.name}: KS ${best.ks.toFixed(3)})`;
  const because = `no named distribution fits ${values.length} service times${ks}: their quantiles instead`;
  return { service: { empirical: middles(values, 200) }, because };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function quantiles(values: readonly number[], parts: number): number[] {
  const ascending = Float64Array.from(values).sort();
  return Array.from({ length: parts + 1 }, (_, i) => quantileOf(ascending, i / parts) ?? 0);
}

/** Values of equal weight: the middles of equal parts. */
function middles(values: readonly number[], parts: number): number[] {
  const ascending = Float64Array.from(values).sort();
  const count = Math.min(parts, ascending.length);
  return Array.from({ length: count }, (_, i) => quantileOf(ascending, (i + 0.5) / count) ?? 0);
}

/** Throughput by Little's law, which connections that end at different times do not bend. */
export function figuresOf({ connections, samples, errors, isCut }: Level): LevelFigures {
  const latencies = Float64Array.from(
    samples.filter(({ status }) => status < 300),
    ({ startS, endS }) => endS - startS,
  ).sort();
  const all = samples.reduce((sum, { startS, endS }) => sum + endS - startS, 0);
  const mean = latencies.reduce((sum, each) => sum + each, 0) / latencies.length;
  const limited = samples.filter(({ status }) => status === 429).length;
  return {
    connections,
    n: latencies.length,
    perS: all === 0 ? 0 : (connections * latencies.length) / all,
    meanS: latencies.length === 0 ? null : mean,
    p95S: quantileOf(latencies, 0.95),
    limited,
    failed: samples.length - latencies.length - limited + errors,
    ...(isCut === true && { isCut }),
  };
}

/** A level that was cut off says nothing of what its connections can do. */
export function wholeLevels(levels: readonly LevelFigures[]): LevelFigures[] {
  return levels.filter(({ isCut }) => isCut !== true);
}

/** The last level before throughput stops growing. */
export function kneeOf(levels: readonly LevelFigures[]): number | null {
  for (const [i, { perS }] of levels.entries()) {
    const before = levels[i - 1];
    if (before !== undefined && perS < LEAST_GROWTH * before.perS) return before.connections;
  }
  return null;
}

function limitOf(levels: readonly Level[]): RateLimit | null {
  for (const { connections, samples, retryAfterS } of levels) {
    const limited = samples.filter(({ status }) => status === 429).length;
    if (limited > 0) return { connections, share: limited / samples.length, retryAfterS };
  }
  return null;
}
