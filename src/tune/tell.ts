/** What was played, as a document tells it. */
import { shortSloOf } from '../scenario/short-slo.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Baselines } from './baselines.ts';
import type { Choice } from './choose.ts';
import { cellsOf, cutOffNotes } from './cut-off.ts';
import type { TriedSetting } from './types.ts';
import { anyArrived, byScenario, type Trial } from './weigh.ts';

export function toldTried({ judged }: Choice, names: readonly string[]): TriedSetting[] {
  return judged.map(({ trial, regret, flat, refused, miss, beatenBy }) => ({
    setting: trial.setting,
    byScenario: byScenario(names, trial.runs),
    regret: Number.isFinite(regret) ? regret : null,
    flat,
    refused,
    miss,
    beatenBy: beatenBy?.setting ?? null,
  }));
}

/** What a reader has to know of the runs behind the figures. */
export function runNotes(
  trials: readonly Trial[],
  { present, noGate, rules }: Baselines,
  names: readonly string[],
): string[] {
  const cells = [
    ...trials.map((trial) => ({ trial })),
    { name: 'the present setting', trial: present },
    { name: 'no gate', trial: noGate },
    ...rules,
  ];
  return [...emptyNotes(names, present), ...cutOffNotes(cellsOf(cells, names))];
}

/** Of one scenario alone the first screen says it. */
export function shortSloNotes(scenarios: readonly Scenario[]): string[] {
  if (scenarios.length < 2) return [];
  const short = scenarios.filter((scenario) => shortSloOf(scenario) !== undefined);
  return short.map(({ name }) => `${name}: no service keeps the SLO, whatever the setting`);
}

/** A scenario that says nothing beside others that do; where none does the evidence says it. */
function emptyNotes(names: readonly string[], { runs }: Trial): string[] {
  const empty = names.filter((_, s) => !anyArrived(runs[s]));
  if (empty.length === names.length) return [];
  return empty.map((name) => `${name}: no request arrived in any run, so that it binds nothing`);
}
