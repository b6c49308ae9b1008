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

/** A setting and its runs, by scenario and replication. */
export interface Trial {
  readonly setting: Setting;
  readonly runs: readonly (readonly Figures[])[];
  /** Loss, breach, goodput, by scenario: by replication, so that a resample need not look again. */
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
  return {
    setting,
    runs,
    loss: runs.map((ofScenario) => Float64Array.from(ofScenario, loss)),
    breach: runs.map((ofScenario) =>
      Float64Array.from(ofScenario, (run) => run['rates.breach'] ?? 0),
    ),
    goodput: runs.map((ofScenario) =>
      Float64Array.from(ofScenario, (run) => run['rates.goodput'] ?? 0),
    ),
  };
}

/** 1 - served / offered: who is turned away, gives up or is never sent. Served: in time, or breached. */
export function unservedOf(run: Figures): number {
  const offered = run['outcomes.offered'] ?? 0;
  if (offered === 0) return 0;
  return 1 - (run['rates.goodput'] ?? 0) - (run['outcomes.sloBreached'] ?? 0) / offered;
}

function lateOrUnservedOf(run: Figures): number {
  return 1 - (run['rates.goodput'] ?? 1);
}

export function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] ?? 0;
  return values.length === 0 ? 0 : sum / values.length;
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
