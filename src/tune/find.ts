import type { Scenario } from '../scenario/types.ts';
import { type Baselines, bestOfRules, presentAndNone } from './baselines.ts';
import { refuseBoth, refuseUnobservedSlots } from './beyond-observed.ts';
import type { Choice, Refuse } from './choose.ts';
import type { Evaluate } from './evaluate.ts';
import { evidenceOf } from './evidence.ts';
import { type Floor, floorsOf, refuseBelow } from './floors.ts';
import type { TuneRequest } from './request.ts';
import { search } from './search.ts';
import { ruleAt, tunedBase } from './setting.ts';
import type { Evidence } from './types.ts';
import type { Trial } from './weigh.ts';

/** Points of the first grid on a lone axis. */
export const COARSE = 16;
/** Replications of what is only compared roughly. */
const FEW = 50;

/** What was played to find a setting, and what may not be chosen. */
export interface Found {
  readonly paths: readonly string[];
  /** The scenarios with the rules off that are not tuned. */
  readonly bases: readonly Scenario[];
  readonly floors: readonly Floor[];
  readonly refuse: Refuse;
  readonly trials: readonly Trial[];
  readonly choice: Choice;
  readonly baselines: Baselines;
  readonly evidence: Evidence;
  /** The scenarios that the choice is made in, by index, and `refuse` judges in: all, or those whose gate changes. */
  readonly places: readonly number[];
  /** Replications of what is only compared roughly. */
  readonly few: number;
}

/** Plays the present setting and none, then searches the axes and every rule beside them. */
export async function find(
  { scenarios, axes, objective, replications, arrivals, floor }: TuneRequest,
  evaluate: Evaluate,
): Promise<Found> {
  const common = { objective, replications, evaluate };
  const paths = axes.map(({ path }) => path);
  const { untuned, ...ends } = await presentAndNone({ scenarios, ...common }, paths);
  const classNames = [...new Set(scenarios.flatMap(({ classes }) => Object.keys(classes)))];
  const floors = floorsOf(classNames, ends.present.runs, untuned.runs, floor);
  const names = scenarios.map(({ name }) => name);
  const refuse = refuseBoth(refuseBelow(floors, names), refuseUnobservedSlots(scenarios, arrivals));
  const bases = scenarios.map((scenario) => tunedBase(scenario, paths));
  const few = Math.min(FEW, replications);
  const tuned = axes.length === 1 ? ruleAt(axes[0]?.path ?? '') : undefined;
  // What does not wait for another is asked for at once, so that no thread stands idle.
  const searched = search({ ...common, scenarios: bases, axes, refuse, coarse: COARSE });
  const known =
    tuned === undefined ? undefined : { rule: tuned, trials: searched.then((of) => of.trials) };
  const [{ trials, choice }, rules] = await Promise.all([
    searched,
    bestOfRules({ ...common, scenarios, refuse, replications: few }, known),
  ]);
  const evidence = evidenceOf(scenarios, arrivals, ends.present.runs);
  return {
    ...{ paths, bases, floors, refuse, trials, choice, evidence, few },
    places: scenarios.map((_, s) => s),
    baselines: { ...ends, rules },
  };
}
