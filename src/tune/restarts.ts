/** Restart rules that give up more work than the preempts do: what looser ones serve is lost to a threshold. */
import type { Scenario } from '../scenario/types.ts';
import { FLAT } from './choose.ts';
import type { Evaluate } from './evaluate.ts';
import { type Setting, underSetting, withoutAnyRule } from './setting.ts';
import { goodputOf, meanOf } from './weigh.ts';

/** Looser and looser, each with what came before it, as the verdict on a run tries them. A rule that is off needs no change. */
export function looserRestarts({ gate, model }: Scenario): Setting[] {
  if (model.preempts.type === 'none') return [];
  const { maxPreempts, taskBudgetTokens, restartFraction, queueAgeFraction } = gate;
  const preempts = maxPreempts === null ? {} : { 'gate.maxPreempts': null };
  const budget = taskBudgetTokens === null ? {} : { 'gate.taskBudgetTokens': null };
  const isShared = taskBudgetTokens !== null && restartFraction < 1;
  const share = isShared ? { 'gate.restartFraction': 1 } : budget;
  const age = queueAgeFraction === null ? {} : { 'gate.queueAgeFraction': null };
  const steps: Setting[] = [
    preempts,
    { ...preempts, ...share },
    { ...preempts, ...budget },
    { ...preempts, ...budget, ...age },
  ];
  return steps.filter((setting) => Object.keys(setting).length > 0);
}

/** Looser restart rules that serve notably more than anything else that was tried. */
export interface Loosening {
  readonly setting: Setting;
  /** Of offered, with the gate otherwise as it is. */
  readonly goodput: number;
  /** The same of the gate as it is. */
  readonly present: number;
}

/**
 * The scenario that serves most in time where no rule has to stay, and the mildest loosening of the
 * restart rules of the present gate that is as good as any, where that serves notably more.
 * @param best of the settings that leave the restart rules as they are
 */
export async function loosened(
  present: Scenario,
  best: Scenario,
  replications: number,
  evaluate: Evaluate,
): Promise<{ best: Scenario; loosening: Loosening | undefined }> {
  const steps = looserRestarts(present);
  const under = (scenario: Scenario) => steps.map((setting) => underSetting(scenario, setting));
  const scenarios = [best, present, withoutAnyRule(present), ...under(present), ...under(best)];
  const runs = await evaluate({ scenarios, replications, figures: 'requests' });
  const served = runs.map((of) => meanOf(of.flatMap((run) => goodputOf(run) ?? [])));
  // The first of those that serve most.
  const at = served.indexOf(Math.max(...served));
  const [tight = 0, now = 0] = served;
  return {
    best: scenarios[at] ?? best,
    loosening: mildest(steps, served.slice(3, 3 + steps.length), tight, now),
  };
}

function mildest(
  steps: readonly Setting[],
  served: readonly number[],
  tight: number,
  present: number,
): Loosening | undefined {
  const most = Math.max(...served);
  const at = served.findIndex((goodput) => most - goodput <= FLAT);
  const [setting, goodput] = [steps[at], served[at]];
  if (setting === undefined || goodput === undefined || goodput - tight <= FLAT) return undefined;
  return { setting, goodput, present };
}
