import type { Figures } from '../result/figures.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Evaluate, Evaluation } from './evaluate.ts';

type Runs = readonly Figures[];

/**
 * Plays nothing twice: a tuner asks for the present setting in its baselines, its loss split and
 * its curve of slots. Replication k does not depend on how many there are, so fewer runs are the
 * beginning of more. What was played is kept as long as the function is.
 */
export function remembering(evaluate: Evaluate): Evaluate {
  const known = new Map<string, { readonly replications: number; readonly runs: Promise<Runs> }>();
  const keyOf = keys();
  return async (evaluation) => {
    const { scenarios, replications } = evaluation;
    const all = scenarios.map((scenario) => ({ scenario, key: keyOf(scenario, evaluation) }));
    const fresh = new Map<string, Scenario>();
    for (const { scenario, key } of all) {
      if ((known.get(key)?.replications ?? 0) < replications) fresh.set(key, scenario);
    }
    if (fresh.size > 0) {
      const played = evaluate({ ...evaluation, scenarios: [...fresh.values()] });
      for (const [i, key] of [...fresh.keys()].entries()) {
        known.set(key, { replications, runs: played.then((of) => of[i] ?? []) });
      }
    }
    const runs = await Promise.all(all.map(({ key }) => known.get(key)?.runs ?? []));
    return runs.map((of) => of.slice(0, replications));
  };
}

/**
 * Scenarios that are played alike have one key. Arrivals, classes and services may be long (a
 * recorded run), so these are told apart by identity, which the settings of one scenario share.
 */
function keys(): (scenario: Scenario, evaluation: Evaluation) => string {
  const numbers = new WeakMap<object, number>();
  let next = 0;
  const numberOf = (part: object | null) => {
    if (part === null) return -1;
    const number = numbers.get(part) ?? next++;
    numbers.set(part, number);
    return number;
  };
  return (scenario, { figures, slowPhases = 1, holds = true }) => {
    const { arrivals, classes, model, ...rest } = scenario;
    const { service, ...ofModel } = model;
    const parts = [arrivals, classes, service].map(numberOf);
    return JSON.stringify([parts, ofModel, rest, figures, slowPhases, holds]);
  };
}
