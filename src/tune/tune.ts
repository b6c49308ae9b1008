import { shortSloOf } from '../scenario/short-slo.ts';
import type { Scenario } from '../scenario/types.ts';
import { apartOf, withApart } from './apart.ts';
import { type Baselines, toldBaselines, withPresentRuns } from './baselines.ts';
import { affordableOf } from './cure.ts';
import { type Decision, decide, decideAgain } from './decide.ts';
import type { Evaluate } from './evaluate.ts';
import { expiryOf } from './expiry.ts';
import { type Found, find } from './find.ts';
import { losersOf } from './floors.ts';
import { intervalsOf } from './interval.ts';
import { keepsPresent } from './keep-present.ts';
import { withLogBands } from './log-bands.ts';
import { lossSplitOf, slotsToBuy } from './loss.ts';
import { mixedGates, narrowed } from './narrow.ts';
import { leastLate } from './nothing-allowed.ts';
import { refusePoint, refuseUnfit, unitOf } from './params.ts';
import { plateauOf } from './plateau.ts';
import { recommend } from './recommend.ts';
import type { Draft } from './recommend-parts.ts';
import { remembering } from './remember.ts';
import type { TuneRequest } from './request.ts';
import { withLoosening } from './restart-text.ts';
import { loosened } from './restarts.ts';
import { HOLDS, sensitivityOf } from './sensitivity.ts';
import { isCapacity, underSetting, valueAt, withoutRules } from './setting.ts';
import { subjectOf } from './sweep.ts';
import { runNotes, shortSloNotes, toldTried } from './tell.ts';
import { tooLongOf } from './too-long.ts';
import type { ScenarioFigures, SlotsElsewhere, TriedSetting, TuneDocument } from './types.ts';
import { type WayOut, wayOutOf } from './way-out.ts';
import { anyArrived, byScenario, inScenarios, LATE_LIMIT, meanAt, type Trial } from './weigh.ts';

/**
 * From scenarios to the setting that can be defended, with everything that stands beside it.
 * @throws UserError where a path or a value does not fit a scenario, and where there is one setting
 */
export async function tune(request: TuneRequest): Promise<TuneDocument> {
  const { scenarios, axes, objective, replications } = request;
  refusePoint(axes);
  refuseUnfit(scenarios, axes);
  const evaluate = remembering(request.evaluate);
  const names = scenarios.map(({ name }) => name);
  const common = { objective, replications, evaluate };
  request.doing?.(`looking for the best ${axes.map(({ path }) => path).join(', ')}`);
  const { found, decision } = await findAndDecide(request, evaluate);
  const { paths, bases, floors, trials, choice, few } = found;
  const baselines = withPresentRuns(found.baselines, scenarios, objective);
  const { chosen, at } = decision;
  const [present, base] = [scenarios[at], bases[at]];
  if (present === undefined || base === undefined) throw new Error('no scenario to tune');

  // Capacity is what a threshold cannot save: more of it is no part of the best threshold.
  const ofThreshold = trials.filter(({ setting }) =>
    paths.filter(isCapacity).every((path) => setting[path] === valueAt(present, path)),
  );
  const all = [...ofThreshold, ...baselines.rules.map(({ trial }) => trial)];
  const tight = bestScenario(present, base, all, ofThreshold, baselines.present, at);
  const { best, loosening } = await loosened(present, tight, replications, evaluate);
  const told = chosen === undefined ? null : chosen;
  const isTold = isToldIn(present, baselines.present.runs[at]);
  const advice = adviceOf(request, found, decision, baselines);
  const advised = keepsPresent(advice) ? baselines.present : told;
  request.doing?.('what is lost to what, other logs and worlds, and the slots that are needed');
  const [{ split, goodput }, tooLong, interval, needed, sensitivity, banded] = await Promise.all([
    lossSplitOf(present, best, replications, evaluate),
    tooLongOf(best, replications, evaluate),
    told === null
      ? {}
      : intervalsOf(
          // Worlds that are played once are not worth remembering.
          { ...common, evaluate: request.evaluate, axes, ...judgedIn(found) },
          judgedIn(found).trials,
          told.setting,
          request.arrivals,
        ),
    slotsIn(request, found, decision, evaluate),
    advised === null
      ? []
      : sensitivityOf(
          {
            ...{ present, base },
            advised: advised === baselines.present ? null : advised.setting,
            others: trials.map(({ setting }) => setting),
            affordable: affordableOf(choice.judged, advised, at),
          },
          { maxBreach: objective.maxBreach, evaluate, replications: few },
        ),
    bandedIn(request, found, advice.chosen),
  ]);
  const draft = {
    schemaVersion: 1 as const,
    kind: 'tune' as const,
    loadline: request.loadline,
    origin: request.origin,
    seed: present.seed,
    replications,
    fewReplications: few,
    objective: objective.type,
    maxBreach: objective.maxBreach,
    params: axes,
    lossSplit: isTold ? { scenario: present.name, goodput, ...split, tooLong } : null,
    ...advice,
    chosen: advice.chosen === null ? null : { ...advice.chosen, interval, byScenario: banded },
    expiry: expiryOf(request.today, request.measuredOn),
    replicas: request.replicas,
    tried: toldTried(choice, names),
    slotsNeeded: needed[at]?.slotsNeeded ?? null,
    slotsElsewhere: needed.filter((_, s) => s !== at),
    limits: { late: objective.maxBreach ?? LATE_LIMIT, below: HOLDS },
    sensitivity,
    losers:
      told === null
        ? []
        : losersOf(floors, at, told.runs, baselines.present.runs, baselines.noGate.runs),
    verification:
      told === null
        ? []
        : ((await request.verify?.(underSetting(base, told.setting), told.setting, present)) ?? []),
    notes: [...request.notes, ...shortSloNotes(scenarios), ...runNotes(trials, baselines, names)],
    offered: offeredIn(baselines.present, at),
  };
  const wayOut = await wayOutFor(draft, present, found, { ...request, evaluate });
  const recommendation = withApart(
    withLoosening(recommend(draft, present, wayOut), loosening, present),
    apartOf(found, decision, request),
  );
  const { keep: _keep, offered: _offered, gates: _gates, shortSlo: _slo, ...rest } = draft;
  return { ...rest, recommendation };
}

/** What is found and decided; once more for the gates that change, where others keep what they have. */
async function findAndDecide(
  request: TuneRequest,
  evaluate: Evaluate,
): Promise<{ found: Found; decision: Decision }> {
  const found = await find(request, evaluate);
  const decision = decide(found, request);
  const gates = mixedGates(decision, found, request.scenarios);
  if (gates === undefined) return { found, decision };
  const again = await narrowed(found, gates, request, evaluate);
  const second = decideAgain(again, request, { ...decision, gates });
  return second === undefined ? { found, decision } : { found: again, decision: second };
}

/** What is advised, before its price and its risk are known. */
function adviceOf(
  { scenarios, digests, axes }: TuneRequest,
  { paths, evidence, choice, places }: Found,
  { chosen, isKept: keep, gates, at, allowedIn }: Decision,
  baselines: Baselines,
) {
  const names = scenarios.map(({ name }) => name);
  const [present] = scenarios.slice(at);
  return {
    ...{ keep, gates, evidence },
    scenarios: scenarios.map((scenario, s) => subjectOf(scenario, digests[s] ?? '')),
    shortSlo: present === undefined ? undefined : shortSloOf(present),
    chosen:
      chosen === undefined
        ? null
        : {
            setting: chosen.setting,
            rule: paths.map((path) => path.replace(/^gate\./, '')).join(', '),
            unit: paths.map(unitOf).join(', '),
            byScenario: byScenario(names, chosen.runs),
            ...plateauOf(axes, choice, chosen, at),
            binding: names[at] ?? '',
          },
    baselines: evidence.arrived
      ? toldBaselines(baselines, names, allowedIn, chosen, at, places)
      : [],
  };
}

/** The figures of the chosen setting with the bands that the next run like a log needs. */
async function bandedIn(
  { arrivals, evaluate }: TuneRequest,
  { bases }: Found,
  chosen: Pick<TriedSetting, 'setting' | 'byScenario'> | null,
): Promise<ScenarioFigures[]> {
  if (chosen === null) return [];
  const advised = bases.map((base) => underSetting(base, chosen.setting));
  return withLogBands(advised, chosen.byScenario, arrivals, evaluate);
}

/** Where nobody arrives, or nobody can be served in time, nothing is lost to a threshold or to capacity. */
function isToldIn(scenario: Scenario, runs: Trial['runs'][number] | undefined): boolean {
  return anyArrived(runs) && shortSloOf(scenario) === undefined;
}

/** The slots that each scenario needs, by the gate that it has or gets. */
function slotsIn(
  { scenarios, goodput, objective }: TuneRequest,
  { paths, bases, trials, baselines, few }: Found,
  { chosen, gates, at }: Decision,
  evaluate: Evaluate,
): Promise<SlotsElsewhere[]> {
  const { setting } = chosen ?? mostServing(trials, at);
  const { maxBreach } = objective;
  return Promise.all(
    scenarios.map(async (scenario, s) => {
      const base = bases[s];
      const isTold = isToldIn(scenario, baselines.present.runs[s]);
      const gate = gates.find((one) => one.scenarios.includes(scenario));
      const slotsNeeded =
        base === undefined || !isTold
          ? null
          : await slotsToBuy(
              ...([paths, scenario, underSetting(base, setting)] as const),
              { target: goodput, maxBreach, replications: few, evaluate },
              gate?.action === 'keep',
            );
      return { scenario: scenario.name, slotsNeeded };
    }),
  );
}

/** The scenarios that the choice is made in, and the trials in these alone. */
function judgedIn({ places, bases, trials, refuse }: Found) {
  if (places.length === bases.length) return { scenarios: bases, trials, refuse };
  return {
    scenarios: bases.filter((_, s) => places.includes(s)),
    trials: trials.map((trial) => inScenarios(trial, places)),
    refuse,
  };
}

/** Only where nothing else can be ordered: it is played beside all the rest. */
async function wayOutFor(
  draft: Draft,
  present: Scenario,
  { paths, refuse, trials }: Found,
  request: TuneRequest,
): Promise<WayOut | undefined> {
  if (draft.chosen !== null || leastLate(draft, present) === undefined) return undefined;
  return wayOutOf({ ...request, refuse, paths }, trials);
}

function offeredIn({ runs }: Trial, at: number): number {
  return meanAt(runs[at] ?? [], 'outcomes.offered') ?? 0;
}

function mostServing(trials: readonly Trial[], at: number): Trial {
  const goodput = ({ runs }: Trial) => meanAt(runs[at] ?? [], 'rates.goodput') ?? 0;
  return trials.reduce((a, b) => (goodput(b) > goodput(a) ? b : a));
}

/** The scenario under whatever serves most in time: a tuned setting, the best of a rule, or the present one. */
function bestScenario(
  present: Scenario,
  base: Scenario,
  all: readonly Trial[],
  tuned: readonly Trial[],
  now: Trial,
  at: number,
): Scenario {
  const best = mostServing([now, ...all], at);
  if (best === now) return present;
  return underSetting(tuned.includes(best) ? base : withoutRules(present), best.setting);
}
