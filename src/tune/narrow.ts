/** Where some gates keep what they have, the search is for the others alone: nobody is to pay for who gains nothing. */
import { shortSloOf } from '../scenario/short-slo.ts';
import type { Scenario } from '../scenario/types.ts';
import { bestOfRules, type RuleBest } from './baselines.ts';
import { refuseBoth, refuseUnobservedSlots } from './beyond-observed.ts';
import type { Choice } from './choose.ts';
import type { Decision } from './decide.ts';
import type { Evaluate } from './evaluate.ts';
import { COARSE, type Found } from './find.ts';
import { floorsIn, refuseBelow } from './floors.ts';
import type { GateAdvice } from './gates.ts';
import type { TuneRequest } from './request.ts';
import { evaluateSettings, search } from './search.ts';
import { ruleAt } from './setting.ts';
import type { Trial } from './weigh.ts';

/**
 * The gates as they are kept or changed, where there are some of each: as was decided for all of them;
 * where nothing suits all, those whose present setting is allowed stay. undefined: nothing to tell apart.
 */
export function mixedGates(
  { chosen, gates, allowedIn }: Decision,
  { evidence, baselines }: Found,
  scenarios: readonly Scenario[],
): readonly GateAdvice[] | undefined {
  const isHopeless = scenarios.some((scenario) => shortSloOf(scenario) !== undefined);
  const isAllowed = (gate: GateAdvice) =>
    gate.scenarios.every((one) => allowedIn(baselines.present, scenarios.indexOf(one)));
  const mixed =
    chosen !== undefined
      ? gates
      : gates.map((gate): GateAdvice => ({ ...gate, action: isAllowed(gate) ? 'keep' : 'set' }));
  const isMixed = new Set(mixed.map(({ action }) => action)).size > 1;
  return isMixed && evidence.enough && !isHopeless ? mixed : undefined;
}

/**
 * What is found for the gates that change, by their own scenarios: the best of what is tuned and of each
 * rule. Every trial is played in the other scenarios too, so that all of it can be told.
 */
export async function narrowed(
  found: Found,
  gates: readonly GateAdvice[],
  { scenarios, axes, objective, replications, arrivals }: TuneRequest,
  evaluate: Evaluate,
): Promise<Found> {
  const changed = gates.filter(({ action }) => action === 'set').flatMap((gate) => gate.scenarios);
  const places = scenarios.flatMap((scenario, s) => (changed.includes(scenario) ? [s] : []));
  const of = <T>(all: readonly T[]) => all.filter((_, s) => places.includes(s));
  const { bases, floors, few, baselines } = found;
  const refuse = refuseBoth(
    refuseBelow(
      floorsIn(floors, ...places),
      of(scenarios).map(({ name }) => name),
    ),
    refuseUnobservedSlots(scenarios, arrivals),
  );
  const common = { objective, evaluate, refuse };
  const asked = { ...common, scenarios: of(bases), axes, replications, coarse: COARSE };
  const { trials, choice } = await search(asked);
  const tuned = axes.length === 1 ? ruleAt(axes[0]?.path ?? '') : undefined;
  const known = tuned === undefined ? undefined : { rule: tuned, trials: Promise.resolve(trials) };
  const rules = await bestOfRules(
    { ...common, scenarios: of(scenarios), replications: few },
    known,
  );
  const everywhere = { objective, evaluate, scenarios: bases, replications };
  const whole = await evaluateSettings(
    everywhere,
    trials.map(({ setting }) => setting),
  );
  const wholeOf = new Map(trials.map((trial, i) => [trial, whole[i] ?? trial]));
  return {
    ...found,
    ...{ refuse, places, trials: whole },
    choice: inAll(choice, wholeOf, places),
    baselines: { ...baselines, rules: await rulesInAll(rules, wholeOf, { ...everywhere, few }) },
  };
}

/** The same choice, of trials in all scenarios. */
function inAll(
  { judged, best, chosen, binding }: Choice,
  whole: ReadonlyMap<Trial, Trial>,
  places: readonly number[],
): Choice {
  const of = (trial: Trial) => whole.get(trial) ?? trial;
  const all = judged.map((one) => ({
    ...one,
    trial: of(one.trial),
    beatenBy: one.beatenBy === null ? null : of(one.beatenBy),
  }));
  const same = (one: typeof best) => (one === undefined ? undefined : all[judged.indexOf(one)]);
  return {
    ...{ judged: all, best: same(best), chosen: same(chosen) },
    binding: places[binding] ?? binding,
  };
}

async function rulesInAll(
  rules: readonly RuleBest[],
  whole: ReadonlyMap<Trial, Trial>,
  { few, ...request }: Parameters<typeof evaluateSettings>[0] & { readonly few: number },
): Promise<RuleBest[]> {
  return Promise.all(
    rules.map(async (rule) => {
      const [played] = await evaluateSettings({ ...request, replications: few }, [
        rule.trial.setting,
      ]);
      return { ...rule, trial: whole.get(rule.trial) ?? played ?? rule.trial };
    }),
  );
}
