/** Long runs of small queues, and what is measured in them. */
import { type SimOptions, simulate } from '../../src/engine/sim.ts';
import { parseScenario, type ScenarioInput } from '../../src/scenario/schema.ts';

export interface Measured {
  /** Share of the offered that was turned away. */
  readonly loss: number;
  /** Share of the offered whose caller gave up. */
  readonly abandoned: number;
  /** Of the granted, in seconds, in order. */
  readonly waitsS: readonly number[];
  readonly meanWaitS: number;
  /** Of the served, in seconds, from the intended instant. */
  readonly meanResponseS: number;
  /** Share of the offered that was not served at once. */
  readonly delayed: number;
  /** Mean wait of a class. */
  readonly waitByClass: Readonly<Record<string, number>>;
}

/** Slots 4, mean service 4 s, lambda .8, exponential: the base case of the table. */
export function queue(input: Partial<ScenarioInput> & { ratePerS?: number } = {}): ScenarioInput {
  const { ratePerS = 0.8, ...rest } = input;
  return {
    name: 'theory',
    durationS: 25_000,
    arrivals: { process: 'poisson', ratePerS },
    model: { service: { exponential: 4 }, slots: 0 },
    maxInFlight: 1e6,
    ...rest,
  };
}

/** Plays one seed; what arrives in the warm-up is dropped. */
export function measure(input: ScenarioInput, seed: number, warmupS = 1000): Measured {
  const scenario = parseScenario(input);
  const waitsS: number[] = [];
  const byClass: Record<string, { sum: number; n: number }> = {};
  let offered = 0;
  let lost = 0;
  let abandoned = 0;
  let served = 0;
  let responseUs = 0;
  let delayed = 0;
  const sink: SimOptions['sink'] = {
    request(row) {
      if (row.intendedUs < warmupS * 1e6) return;
      offered++;
      if (row.waitUs !== 0) delayed++;
      if (row.outcome === 'rejected' || row.outcome === 'expired') lost++;
      if (row.outcome === 'abandoned') abandoned++;
      if (row.waitUs === null) return;
      served++;
      responseUs += row.endUs - row.intendedUs;
      waitsS.push(row.waitUs / 1e6);
      byClass[row.class] ??= { sum: 0, n: 0 };
      const of = byClass[row.class]!;
      of.sum += row.waitUs / 1e6;
      of.n++;
    },
  };
  simulate(scenario, { seed, sink });
  waitsS.sort((a, b) => a - b);
  const means = Object.entries(byClass).map(([name, { sum, n }]) => [name, sum / n]);
  return {
    loss: lost / offered,
    abandoned: abandoned / offered,
    waitsS,
    meanWaitS: waitsS.reduce((sum, wait) => sum + wait, 0) / waitsS.length,
    meanResponseS: responseUs / served / 1e6,
    delayed: delayed / offered,
    waitByClass: Object.fromEntries(means),
  };
}

/** The value below which a share of the sorted values lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const SEEDS = [11, 12, 13, 14, 15, 16, 17, 18];
/** Two-sided 99.9 % of Student's t with 7 degrees of freedom. */
const T_999 = 5.408;

/** Mean over the seeds and the half-width of its 99.9 % interval. */
export function interval(values: readonly number[]): { mean: number; half: number } {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return { mean, half: T_999 * Math.sqrt(variance / n) };
}

/**
 * Undefined where the expected value lies in the interval of what was measured and the interval is
 * narrow enough to mean something; else what was wrong, for the test to show.
 * @param within the widest half-width, as a share of the expected value
 * @param slack by how much the expected value itself is uncertain
 */
export function verdictOn(
  values: readonly number[],
  expected: number,
  within: number,
  slack = 0,
): string | undefined {
  const { mean, half } = interval(values);
  const text = `expected ${expected}, got ${mean} ± ${half}`;
  if (half > within * expected) return `too wide: ${text}`;
  return Math.abs(mean - expected) > half + slack ? text : undefined;
}
