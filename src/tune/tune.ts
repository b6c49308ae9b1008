import type { Axis } from '../scenario/axis.ts';
import type { Scenario } from '../scenario/types.ts';
import { bestOfRules, presentAndNone, toldBaselines } from './baselines.ts';
import { refuseBoth, refuseUnobservedSlots } from './beyond-observed.ts';
import { type Choice, choose, FLAT, type Refuse } from './choose.ts';
import { cellsOf, cutOffNotes } from './cut-off.ts';
import type { Evaluate } from './evaluate.ts';
import { evidenceOf } from './evidence.ts';
import { expiryOf } from './expiry.ts';
import { floorsOf, losersOf, refuseBelow } from './floors.ts';
import { intervalsOf } from './interval.ts';
import { lossSplitOf, slotsToBuy } from './loss.ts';
import { refusePoint, unitOf } from './params.ts';
import { plateauOf } from './plateau.ts';
import { recommend } from './recommend.ts';
import { remembering } from './remember.ts';
import { search } from './search.ts';
import { sensitivityOf } from './sensitivity.ts';
import {
  isCapacity,
  ruleAt,
  type Setting,
  tunedBase,
  underSetting,
  valueAt,
  withoutRules,
} from './setting.ts';
import { subjectOf } from './sweep.ts';
import type { Origin, TuneDocument, Verification } from './types.ts';
import { byScenario, meanAt, type Objective, type Trial } from './weigh.ts';

export interface TuneRequest {
  /** A threshold must hold in each of them. */
  readonly scenarios: readonly Scenario[];
  /** Of each scenario. */
  readonly digests: readonly string[];
  /** The version that advises. */
  readonly loadline: string;
  readonly axes: readonly Axis[];
  readonly objective: Objective;
  readonly replications: number;
  /** Goodput that slots are counted for, 0 to 1. */
  readonly goodput: number;
  /** Share of its goodput that every class and size keeps, 0 to 1. */
  readonly floor: number;
  /** Observed arrivals, where the rates are known from a run; null: declared. */
  readonly arrivals: number | null;
  readonly evaluate: Evaluate;
  readonly origin: Origin;
  readonly notes: readonly string[];
  /** The day of the advice, `2026-11-29`. */
  readonly today: string;
  /** The day of the oldest run that it rests on; null: nothing was measured. */
  readonly measuredOn: string | null;
  /** Gates that share the limits; null: nobody said. */
  readonly replicas: number | null;
  /** Plays the chosen and the present setting for real, against what is predicted. */
  readonly verify?: (
    chosen: Scenario,
    setting: Setting,
    present: Scenario,
  ) => Promise<readonly Verification[]>;
}

/** Points of the first grid on a lone axis. */
const COARSE = 16;
/** Replications of what is only compared roughly. */
const FEW = 50;

/**
 * From scenarios to the setting that can be defended, with everything that stands beside it.
 * @throws UserError where a path or a value does not fit a scenario, and where there is one setting
 */
export async function tune(request: TuneRequest): Promise<TuneDocument> {
  const { scenarios, axes, objective, replications } = request;
  refusePoint(axes);
  const evaluate = remembering(request.evaluate);
  const names = scenarios.map(({ name }) => name);
  const common = { objective, replications, evaluate };
  const ends = await presentAndNone({ scenarios, ...common });
  const classNames = [...new Set(scenarios.flatMap(({ classes }) => Object.keys(classes)))];
  const floors = floorsOf(classNames, ends.present.runs, ends.noGate.runs, request.floor);
  const unobserved = refuseUnobservedSlots(scenarios, request.arrivals);
  const refuse = refuseBoth(refuseBelow(floors), unobserved);
  const paths = axes.map(({ path }) => path);
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
  const evidence = evidenceOf(scenarios, request.arrivals, ends.present.runs);

  const keep = keeps(scenarios, bases, paths, choice);
  const chosen = evidence.enough ? (keep ?? choice.chosen)?.trial : undefined;
  const at = choice.binding;
  const [present, base] = [scenarios[at], bases[at]];
  if (present === undefined || base === undefined) throw new Error('no scenario to tune');

  const chosenIn = (scenario: Scenario) =>
    underSetting(scenario, chosen?.setting ?? mostServing(trials, at).setting);
  // Capacity is what a threshold cannot save: more of it is no part of the best threshold.
  const ofThreshold = trials.filter(({ setting }) =>
    paths.filter(isCapacity).every((path) => setting[path] === valueAt(present, path)),
  );
  const all = [...ofThreshold, ...rules.map(({ trial }) => trial)];
  const best = bestScenario(present, base, all, ofThreshold, ends, at);
  const told = chosen === undefined ? null : chosen;
  const tried = trials.map(({ setting }) => setting);
  const rough = { objective, evaluate, replications: few };
  const [{ split, goodput }, interval, needed, sensitivity] = await Promise.all([
    lossSplitOf(present, best, replications, evaluate),
    told === null
      ? {}
      : intervalsOf(
          // Worlds that are played once are not worth remembering.
          { ...common, evaluate: request.evaluate, scenarios: bases, axes, refuse },
          trials,
          told.setting,
          request.arrivals,
        ),
    slotsToBuy(paths, present, chosenIn(base), {
      ...{ target: request.goodput, maxBreach: objective.maxBreach },
      ...{ replications: few, evaluate },
    }),
    told === null ? [] : sensitivityOf(present, base, told.setting, tried, rough),
  ]);
  const cells = [
    ...trials.map((trial) => ({ trial })),
    { name: 'the present setting', trial: ends.present },
    { name: 'no gate', trial: ends.noGate },
    ...rules,
  ];
  const draft = {
    schemaVersion: 1 as const,
    kind: 'tune' as const,
    loadline: request.loadline,
    origin: request.origin,
    scenarios: scenarios.map((scenario, s) => subjectOf(scenario, request.digests[s] ?? '')),
    seed: present.seed,
    replications,
    objective: objective.type,
    maxBreach: objective.maxBreach,
    params: axes,
    lossSplit: { scenario: present.name, goodput, ...split },
    chosen:
      told === null
        ? null
        : {
            setting: told.setting,
            rule: paths.map((path) => path.replace(/^gate\./, '')).join(', '),
            unit: paths.map(unitOf).join(', '),
            byScenario: byScenario(names, told.runs),
            interval,
            ...plateauOf(axes, choice, told, at),
            binding: present.name,
          },
    evidence,
    expiry: expiryOf(request.today, request.measuredOn),
    replicas: request.replicas,
    tried: choice.judged.map(({ trial, regret, flat, refused, miss, beatenBy }) => ({
      setting: trial.setting,
      byScenario: byScenario(names, trial.runs),
      regret: Number.isFinite(regret) ? regret : null,
      flat,
      refused,
      miss,
      beatenBy: beatenBy?.setting ?? null,
    })),
    baselines: toldBaselines(
      { ...ends, rules },
      names,
      (trial) => isAllowed(trial, objective, refuse),
      told ?? undefined,
      at,
    ),
    slotsNeeded: needed,
    sensitivity,
    losers:
      told === null ? [] : losersOf(floors, at, told.runs, ends.present.runs, ends.noGate.runs),
    verification:
      told === null || request.verify === undefined
        ? []
        : await request.verify(chosenIn(base), told.setting, present),
    notes: [...request.notes, ...cutOffNotes(cellsOf(cells, names))],
    keep: keep !== undefined,
    offered: offeredIn(ends.present, at),
  };
  const recommendation = recommend(draft, present);
  const { keep: _keep, offered: _offered, ...rest } = draft;
  return { ...rest, recommendation };
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
      breach <= chosen.breach + 0.0025 &&
      scenarios.every((scenario) =>
        paths.every((path) => trial.setting[path] === valueAt(scenario, path)),
      ),
  );
}

function isAllowed(trial: Trial, objective: Objective, refuse: Refuse): boolean {
  return choose([trial], objective, refuse).chosen !== undefined;
}

function offeredIn({ runs }: Trial, at: number): number {
  return meanAt(runs[at] ?? [], 'outcomes.offered') ?? 0;
}

function mostServing(trials: readonly Trial[], at: number): Trial {
  const goodput = ({ runs }: Trial) => meanAt(runs[at] ?? [], 'rates.goodput') ?? 0;
  return trials.reduce((a, b) => (goodput(b) > goodput(a) ? b : a));
}

/** The scenario under whatever serves most in time: a tuned setting, the best of a rule, the present one, or none. */
function bestScenario(
  present: Scenario,
  base: Scenario,
  all: readonly Trial[],
  tuned: readonly Trial[],
  { present: now, noGate }: { readonly present: Trial; readonly noGate: Trial },
  at: number,
): Scenario {
  const best = mostServing([now, noGate, ...all], at);
  if (best === now) return present;
  if (best === noGate) return withoutRules(present);
  const from = tuned.includes(best) ? base : withoutRules(present);
  return underSetting(from, best.setting);
}
