/** From what was found to what is advised: the setting, whose gate gets it, and the scenario it is told of. */

import { shortSloOf } from '../scenario/short-slo.ts';
import type { Scenario } from '../scenario/types.ts';
import { refuseBoth, refuseUnobservedSlots } from './beyond-observed.ts';
import { type Choice, choose, FLAT } from './choose.ts';
import type { Found } from './find.ts';
import { floorsIn, refuseBelow } from './floors.ts';
import { adviseGates, type GateAdvice, gatesOf, toldIn } from './gates.ts';
import type { TuneRequest } from './request.ts';
import { underSetting, valueAt } from './setting.ts';
import { inScenario, meanOf, type Trial } from './weigh.ts';

export interface Decision {
  /** undefined: nothing is allowed, too little is known, or nobody can be served in time at all. */
  readonly chosen: Trial | undefined;
  /** Whether that is the present setting. */
  readonly isKept: boolean;
  readonly gates: readonly GateAdvice[];
  /** Index of the scenario that the advice is told of. */
  readonly at: number;
  readonly allowedIn: (trial: Trial, scenario: number) => boolean;
}

export function decide(found: Found, request: TuneRequest): Decision {
  const { scenarios, objective } = request;
  const { bases, paths, choice, evidence, baselines } = found;
  const allowedIn = allowedInOf(found, request);
  const kept = keeps(scenarios, bases, paths, choice);
  const isKept = kept !== undefined;
  const hopeless = scenarios.map((scenario) => shortSloOf(scenario) !== undefined);
  const isKnown = evidence.enough && hopeless.includes(false);
  const chosen = isKnown ? (kept ?? choice.chosen)?.trial : undefined;
  if (chosen === undefined) {
    const gates = gatesOf(scenarios, paths).map(unchanged);
    const at = hopeless.includes(true) ? hopeless.indexOf(true) : choice.binding;
    return { chosen, isKept, gates, at, allowedIn };
  }
  const { present } = baselines;
  const judge = { present, chosen, objective, allowedIn };
  const stays = isKept || isEnough(judge);
  const gates = adviseGates(scenarios, paths, stays, judge);
  return { chosen, isKept, gates, at: toldIn(gates, scenarios, chosen, choice.binding), allowedIn };
}

/** The same with what was found for the gates that change alone; undefined where nothing was. */
export function decideAgain(
  found: Found,
  request: TuneRequest,
  first: Decision,
): Decision | undefined {
  const { scenarios, objective } = request;
  const { paths, choice, baselines } = found;
  const chosen = choice.chosen?.trial;
  if (chosen === undefined) return undefined;
  const { allowedIn } = first;
  const judge = { present: baselines.present, chosen, objective, allowedIn };
  const gates = adviseGates(scenarios, paths, false, judge).map((gate, i) => {
    const before = first.gates[i];
    return before?.action === 'keep' ? before : gate;
  });
  return { ...first, chosen, gates, at: toldIn(gates, scenarios, chosen, choice.binding) };
}

function unchanged(scenarios: readonly Scenario[]): GateAdvice {
  return { scenarios, action: 'keep', changes: [] };
}

/** Greatest difference in lateness that is none, of the served. */
const SAME_BREACH = 0.0025;

/**
 * Whether the present setting, under whatever rules and outside what was tried too, is allowed, loses
 * at most .01 of offered more than the chosen one and is no less safe, in every scenario.
 */
function isEnough({
  present,
  chosen,
  allowedIn,
}: {
  readonly present: Trial;
  readonly chosen: Trial;
  readonly allowedIn: Decision['allowedIn'];
}): boolean {
  return chosen.loss.every((loss, s) => {
    const [lost, late] = [present.loss[s] ?? [], present.breach[s] ?? []];
    const isAsSafe = meanOf(late) <= meanOf(chosen.breach[s] ?? []) + SAME_BREACH;
    return allowedIn(present, s) && isAsSafe && meanOf(lost) - meanOf(loss) <= FLAT;
  });
}

/**
 * The judged trial that is the present setting, where a change is not worth making: it loses at
 * most .01 of offered more than the chosen one, is no less safe, and no other rule has a part in it.
 */
function keeps(
  scenarios: readonly Scenario[],
  bases: readonly Scenario[],
  paths: readonly string[],
  { judged, chosen }: Choice,
) {
  const isPlain = scenarios.every((scenario, s) => {
    const base = bases[s];
    if (base === undefined) return false;
    const own = paths.map((path) => [path, valueAt(scenario, path)]);
    const back = underSetting(base, Object.fromEntries(own));
    return JSON.stringify(back.gate) === JSON.stringify(scenario.gate);
  });
  if (!isPlain || chosen === undefined) return undefined;
  return judged.find(
    ({ trial, refused, excess, breach }) =>
      refused === null &&
      excess - chosen.regret <= FLAT &&
      breach <= chosen.breach + SAME_BREACH &&
      scenarios.every((scenario) =>
        paths.every((path) => trial.setting[path] === valueAt(scenario, path)),
      ),
  );
}

/** Whether a trial keeps the conditions and the floors of one scenario. */
function allowedInOf({ floors }: Found, { scenarios, arrivals, objective }: TuneRequest) {
  const unobserved = refuseUnobservedSlots(scenarios, arrivals);
  const refuse = scenarios.map((_, s) => refuseBoth(refuseBelow(floorsIn(floors, s)), unobserved));
  return (trial: Trial, s: number): boolean =>
    choose([inScenario(trial, s)], objective, refuse[s] ?? unobserved).chosen !== undefined;
}
