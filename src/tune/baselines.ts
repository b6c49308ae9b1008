import { isDeepStrictEqual } from 'node:util';
import { type Axis, rangeValues } from '../scenario/axis.ts';
import type { Scenario } from '../scenario/types.ts';
import { choose } from './choose.ts';
import { pairedDifference } from './paired.ts';
import { evaluateSettings, type SearchRequest, search } from './search.ts';
import {
  type RuleName,
  underSetting,
  withoutAnyRule,
  withoutRules,
  withoutTuned,
} from './setting.ts';
import type { Baseline } from './types.ts';
import { byScenario, type Objective, type Trial, trialOf } from './weigh.ts';

/** The present setting, a gate without any rule, and what each rule for the queue does with the others off. */
export interface Baselines {
  readonly present: Trial;
  readonly noGate: Trial;
  readonly rules: readonly RuleBest[];
}

export interface RuleBest {
  readonly name: Baseline['name'];
  readonly rule: RuleName;
  readonly trial: Trial;
  readonly allowed: boolean;
  readonly atEdge: boolean;
}

const RULE_BASELINES: readonly (readonly [Baseline['name'], RuleName])[] = [
  ['depth cap', 'queueCapacity'],
  ['age rule', 'ageRejectS'],
  ['wait limit', 'maxWaitS'],
  ['predicted wait', 'predictedWaitS'],
];
/** Values of a rule: up to twice the SLO, in sixtieths of it; for a queue, up to six times the slots. */
const SLO_PARTS = 60;
const SLOS = 2;
const QUEUE_SLOTS = 6;
const COARSE = 10;

type Request = Omit<SearchRequest, 'coarse' | 'axes' | 'bestOnly'>;

/**
 * The ends that every setting stands between.
 * @param paths what is tuned: `untuned` is the gate without it, which a floor is measured by. What other
 *   rules take from a group is none of the setting's doing.
 */
export async function presentAndNone(
  request: Omit<Request, 'refuse'>,
  paths: readonly string[],
): Promise<{ present: Trial; noGate: Trial; untuned: Trial }> {
  const { scenarios } = request;
  const worlds = [
    scenarios,
    scenarios.map(withoutAnyRule),
    scenarios.map((scenario) => withoutTuned(scenario, paths)),
  ];
  const trials = await Promise.all(
    worlds.map((of) => evaluateSettings({ ...request, scenarios: of }, [{}])),
  );
  const [present, noGate, untuned] = trials.flat();
  if (present === undefined || noGate === undefined || untuned === undefined) {
    throw new Error('a setting has no trial');
  }
  return { present, noGate, untuned };
}

/**
 * The best value of each rule, all of them searched at once.
 * @param known trials of a rule that is searched already, over the same replications or more
 */
export async function bestOfRules(
  request: Request,
  known: { readonly rule: RuleName; readonly trials: Promise<readonly Trial[]> } | undefined,
): Promise<RuleBest[]> {
  const scenarios = request.scenarios.map(withoutRules);
  const searched = async (rule: RuleName) => {
    const axes = [ruleAxis(rule, scenarios)];
    const asked = { ...request, scenarios, axes, coarse: COARSE, bestOnly: true };
    return (await search(asked)).trials;
  };
  return Promise.all(
    RULE_BASELINES.map(async ([name, rule]) => {
      const trials = known?.rule === rule ? await known.trials : await searched(rule);
      return bestOf(name, rule, trials, request);
    }),
  );
}

/**
 * A rule whose best value is the present gate has the runs of that, which are more: a setting has one
 * figure in a scenario, not two.
 */
export function withPresentRuns(
  { present, rules, ...rest }: Baselines,
  scenarios: readonly Scenario[],
  objective: Objective,
): Baselines {
  const shared = ({ trial }: RuleBest): Trial => {
    const isPresent = scenarios.map((scenario) =>
      isDeepStrictEqual(underSetting(withoutRules(scenario), trial.setting).gate, scenario.gate),
    );
    if (!isPresent.includes(true)) return trial;
    const runs = trial.runs.map((own, s) => {
      const more = present.runs[s] ?? [];
      return isPresent[s] === true && more.length > own.length ? more : own;
    });
    return trialOf(trial.setting, runs, objective);
  };
  return { present, ...rest, rules: rules.map((rule) => ({ ...rule, trial: shared(rule) })) };
}

/** The best that is allowed; where none is, the nearest miss. */
function bestOf(
  name: Baseline['name'],
  rule: RuleName,
  trials: readonly Trial[],
  { objective, refuse }: Request,
): RuleBest {
  const { chosen, judged } = choose(trials, objective, refuse);
  const least = judged.reduce((a, b) => (b.miss < a.miss ? b : a));
  const { trial } = chosen ?? least;
  const atEdge = trial === trials[0] || trial === trials.at(-1);
  return { name, rule, trial, allowed: chosen !== undefined, atEdge };
}

function ruleAxis(rule: RuleName, scenarios: readonly Scenario[]): Axis {
  const path = `gate.${rule}`;
  if (rule === 'queueCapacity') {
    const slots = Math.max(...scenarios.map(({ gate }) => gate.slots));
    const step = Math.max(1, Math.round((QUEUE_SLOTS * slots) / 96));
    return { path, values: rangeValues({ from: 0, to: QUEUE_SLOTS * slots, step }) };
  }
  const sloS = Math.max(...scenarios.map((scenario) => scenario.sloS));
  const values = Array.from({ length: SLO_PARTS * SLOS }, (_, i) =>
    Number((((i + 1) * sloS) / SLO_PARTS).toPrecision(4)),
  );
  return { path, values };
}

/**
 * As a document tells them: gain is what the chosen setting serves more, in the binding scenario.
 * @param places the scenarios, by index, in which a rule has to be allowed
 */
export function toldBaselines(
  { present, noGate, rules }: Baselines,
  names: readonly string[],
  allowedIn: (trial: Trial, scenario: number) => boolean,
  chosen: Trial | undefined,
  binding: number,
  places: readonly number[],
): Baseline[] {
  const told = (name: Baseline['name'], trial: Trial, atEdge = false): Baseline => {
    const each = names.map((_, s) => allowedIn(trial, s));
    const gains = names.map((_, s) => (chosen === undefined ? null : gainOver(chosen, trial, s)));
    return {
      name,
      setting: trial.setting,
      byScenario: byScenario(names, trial.runs),
      allowed: places.every((s) => each[s] === true),
      allowedIn: each,
      gain: gains[binding] ?? null,
      gainIn: gains,
      runsIn: trial.runs.map(({ length }) => length),
      atEdge,
    };
  };
  return [
    told('present', present),
    told('no gate', noGate),
    ...rules.map(({ name, trial, atEdge }) => told(name, trial, atEdge)),
  ];
}

function gainOver(chosen: Trial, other: Trial, scenario: number) {
  const goodput = ({ runs }: Trial) =>
    (runs[scenario] ?? []).map((run) => run['rates.goodput'] ?? null);
  return pairedDifference(goodput(chosen), goodput(other));
}
