import type { Figures } from '../result/figures.ts';
import { replicated } from '../result/replicate.ts';
import type { Figure } from '../result/types.ts';
import type { Setting } from './setting.ts';
import type { ScenarioFigures, Weighed } from './types.ts';

/** What is to be made small: the share that is not served, or the share not served in time. */
export interface Objective {
  readonly type: 'admit' | 'goodput';
  /** Of the served, at most this share may miss the SLO; null: no condition. */
  readonly maxBreach: number | null;
}

/**
 * Of the served, the share that may be late where nobody said: the condition of the objective `admit`,
 * and what fails in a changed world under either objective.
 */
export const LATE_LIMIT = 0.05;

/** A setting and its runs, by scenario and replication. */
export interface Trial {
  readonly setting: Setting;
  readonly runs: readonly (readonly Figures[])[];
  /**
   * Loss, breach, goodput, by scenario: by replication, so that a resample need not look again. NaN
   * of a replication in which nobody arrived: nothing was lost in it, and nothing served.
   */
  readonly loss: readonly Float64Array[];
  readonly breach: readonly Float64Array[];
  readonly goodput: readonly Float64Array[];
}

export function trialOf(
  setting: Setting,
  runs: readonly (readonly Figures[])[],
  { type }: Objective,
): Trial {
  const loss = type === 'admit' ? unservedOf : lateOrUnservedOf;
  const each = (of: (run: Figures) => number | null) =>
    runs.map((ofScenario) => Float64Array.from(ofScenario, (run) => of(run) ?? Number.NaN));
  return {
    setting,
    runs,
    loss: each(loss),
    breach: each((run) => (hasArrivals(run) ? (run['rates.breach'] ?? 0) : null)),
    goodput: each(goodputOf),
  };
}

/** The trial in one scenario alone. */
export function inScenario(trial: Trial, scenario: number): Trial {
  return inScenarios(trial, [scenario]);
}

/** The trial in some of its scenarios alone. */
export function inScenarios(trial: Trial, scenarios: readonly number[]): Trial {
  const of = <T>(values: readonly T[]) => values.filter((_, s) => scenarios.includes(s));
  const { setting, runs, loss, breach, goodput } = trial;
  return {
    ...{ setting, runs: of(runs) },
    ...{ loss: of(loss), breach: of(breach), goodput: of(goodput) },
  };
}

/** Of offered; null where nobody arrived. */
export function goodputOf(run: Figures): number | null {
  return run['rates.goodput'] ?? null;
}

function hasArrivals(run: Figures): boolean {
  return goodputOf(run) !== null;
}

/** Whether anybody arrived in any of these runs. */
export function anyArrived(runs: readonly Figures[] = []): boolean {
  return runs.some(hasArrivals);
}

/**
 * 1 - served / offered: who is turned away, gives up or is never sent. Served: in time, or breached.
 * null where nobody arrived.
 */
export function unservedOf(run: Figures): number | null {
  const goodput = goodputOf(run);
  const offered = run['outcomes.offered'] ?? 0;
  if (goodput === null || offered === 0) return null;
  // Three shares that add up to 1 may miss it by a rounding.
  return Math.max(0, 1 - goodput - (run['outcomes.sloBreached'] ?? 0) / offered);
}

function lateOrUnservedOf(run: Figures): number | null {
  const goodput = goodputOf(run);
  return goodput === null ? null : 1 - goodput;
}

/** Of the numbers among them; 0 of none. */
export function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  let n = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    sum += value;
    n++;
  }
  return n === 0 ? 0 : sum / n;
}

/** The mean of a figure over runs; null where none has it. */
export function meanAt(runs: readonly Figures[], path: string): number | null {
  const values = runs.flatMap((run) => run[path] ?? []);
  return values.length === 0 ? null : meanOf(values);
}

export function weighed(runs: readonly Figures[]): Weighed {
  const at = (path: string) => over(runs.map((run) => run[path] ?? null));
  return {
    rejection: at('rates.rejection'),
    unserved: over(runs.map(unservedOf)),
    breach: at('rates.breach'),
    goodput: at('rates.goodput'),
    waitP99S: at('waitS.p99'),
    responseP95S: at('responseS.p95'),
    responseP99S: at('responseS.p99'),
    refusalP95S: at('refusalS.p95'),
  };
}

function over(values: readonly (number | null)[]): Figure {
  const numbers = values.filter((value) => value !== null);
  return numbers.length === 1 ? (numbers[0] ?? null) : replicated(Float64Array.from(numbers));
}

export function byScenario(
  names: readonly string[],
  runs: readonly (readonly Figures[])[],
): ScenarioFigures[] {
  return names.map((scenario, s) => ({ scenario, figures: weighed(runs[s] ?? []) }));
}
