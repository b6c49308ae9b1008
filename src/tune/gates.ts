/** Whose gate is to be changed, and whose is not: scenarios may be of one gate or of several. */
import { isOff } from '../result/setting-value.ts';
import type { Scenario } from '../scenario/types.ts';
import { FLAT } from './choose.ts';
import { RULES, ruleAt, type Setting, valueAt } from './setting.ts';
import { meanOf, type Objective, type Trial, unservedOf } from './weigh.ts';

/** A difference in lateness below this is none, of the served. */
const SAME_BREACH = 0.0025;

/** What becomes of one limit. */
export interface LimitChange {
  readonly path: string;
  /** null: off. */
  readonly before: unknown;
  readonly after: unknown;
}

/** One gate as it is now, in the scenarios that have it, and what becomes of it. */
export interface GateAdvice {
  readonly scenarios: readonly Scenario[];
  readonly action: 'keep' | 'set';
  /** What is tuned, then the rules that go off with it. */
  readonly changes: readonly LimitChange[];
}

/** What is tuned, and the rules that are on and not tuned: those go off where a rule is tuned. */
export function changesOf(
  scenario: Scenario,
  paths: readonly string[],
  setting: Setting,
): LimitChange[] {
  const tuned = paths.map((path) => ({
    path,
    before: valueAt(scenario, path) ?? null,
    after: setting[path] ?? null,
  }));
  if (paths.every((path) => ruleAt(path) === undefined)) return tuned;
  const others = RULES.map((rule) => `gate.${rule}`).filter(
    (path) => !paths.includes(path) && !isOff(path, valueAt(scenario, path) ?? null),
  );
  const off = others.map((path) => ({ path, before: valueAt(scenario, path), after: null }));
  return [...tuned, ...off];
}

/** Scenarios whose gates have the same rules, and the same values of what is tuned, are of one gate. */
export function gatesOf(scenarios: readonly Scenario[], paths: readonly string[]): Scenario[][] {
  const all = [...new Set([...paths, ...RULES.map((rule) => `gate.${rule}`)])];
  const groups = new Map<string, Scenario[]>();
  for (const scenario of scenarios) {
    const key = JSON.stringify(all.map((path) => valueAt(scenario, path) ?? null));
    groups.set(key, [...(groups.get(key) ?? []), scenario]);
  }
  return [...groups.values()];
}

/** Of the scenario with this index: what is asked of a gate that is not the only one. */
interface Judge {
  readonly present: Trial;
  readonly chosen: Trial;
  readonly objective: Objective;
  readonly allowedIn: (trial: Trial, scenario: number) => boolean;
}

/**
 * Whether a gate's present setting stays beside a setting that is chosen for several gates: it is
 * allowed in this scenario, and the chosen one gains less than .01 of offered there, or serves no more
 * in time, so that who is let in is then late.
 */
function stays({ present, chosen, objective, allowedIn }: Judge, s: number): boolean {
  if (!allowedIn(present, s)) return false;
  const [now, then] = [meansIn(present, s), meansIn(chosen, s)];
  const lost = (of: typeof now) => (objective.type === 'admit' ? of.unserved : 1 - of.goodput);
  const gainsNothing = lost(now) - lost(then) <= FLAT && now.breach <= then.breach + SAME_BREACH;
  if (gainsNothing) return true;
  const isNoLater = now.breach <= then.breach;
  return now.goodput >= then.goodput && (isNoLater || now.unserved - then.unserved <= FLAT);
}

function meansIn({ runs, breach, goodput }: Trial, s: number) {
  const unserved = (runs[s] ?? []).flatMap((run) => unservedOf(run) ?? []);
  return {
    unserved: meanOf(unserved),
    breach: meanOf(breach[s] ?? []),
    goodput: meanOf(goodput[s] ?? []),
  };
}

/**
 * What becomes of each gate. One gate is changed or kept as a whole; of several each is judged by
 * its own scenarios, for none has to give up what serves it well for the others' sake.
 * @param keep whether the chosen setting is the present one
 */
export function adviseGates(
  scenarios: readonly Scenario[],
  paths: readonly string[],
  keep: boolean,
  judge: Judge,
): GateAdvice[] {
  const groups = gatesOf(scenarios, paths);
  return groups.map((group) => {
    const [first] = group;
    const changes = first === undefined ? [] : changesOf(first, paths, judge.chosen.setting);
    const isSame = changes.every(({ before, after }) => before === after);
    const isKept =
      groups.length === 1
        ? keep
        : isSame || group.every((scenario) => stays(judge, scenarios.indexOf(scenario)));
    return { scenarios: group, action: isKept ? 'keep' : 'set', changes };
  });
}

/**
 * The scenario that the advice is told of: the one that binds, or, where its gate is not changed, of
 * those that are the one in which the chosen setting serves least.
 */
export function toldIn(
  gates: readonly GateAdvice[],
  scenarios: readonly Scenario[],
  chosen: Trial,
  binding: number,
): number {
  const changed = gates.filter(({ action }) => action === 'set').flatMap((gate) => gate.scenarios);
  const indices = changed.map((scenario) => scenarios.indexOf(scenario)).sort((a, b) => a - b);
  if (indices.length === 0 || indices.includes(binding)) return binding;
  const served = (s: number) => meanOf(chosen.goodput[s] ?? []);
  return indices.reduce((a, b) => (served(b) < served(a) ? b : a));
}
