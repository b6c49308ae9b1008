/** Where the loss of a finished run went, by simulations of the same arrivals with one thing changed. */
import { numberOf } from '../result/figure.ts';
import { asWritten } from '../result/json.ts';
import type { Result } from '../result/types.ts';
import { shortSloOf } from '../scenario/short-slo.ts';
import type { Scenario } from '../scenario/types.ts';
import { lossSplitOf } from '../tune/loss.ts';
import { looserRestarts } from '../tune/restarts.ts';
import { evaluateSettings } from '../tune/search.ts';
import { type Setting, underSetting, withoutAnyRule, withoutRules } from '../tune/setting.ts';
import { meanAt } from '../tune/weigh.ts';
import { createEvaluator } from './evaluate.ts';
import { withNotes } from './free-capacity.ts';

/** Limits on the wait, on age and on predicted wait that are tried, as shares of the SLO. */
const SLO_SHARES = [0.15, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1];
/** Bounds of the queue that are tried, in slots. */
const SLOT_SHARES = [0, 0.5, 1, 2, 4];
/** Runs behind the choice of the best setting, fewer where a run is long. */
const MOST_RUNS = 10;
/** What all runs may hold together: about a second on one processor. Counted, not timed: same seed, same result. */
const MOST_ATTEMPTS = 60_000;
/** Memory is looked at token by token. */
const COST_OF_MEMORY = 5;

const { evaluate } = createEvaluator(1);

/**
 * The same result with its loss split. A run that cannot be trusted, that lost nothing or that drove
 * somebody's endpoint (no simulation speaks for it) has none; nor has one too long to be simulated
 * again dozens of times, whose notes say so. Of the digits that are written, so that a reader of the
 * file can work it out again.
 */
export async function withLossSplit(run: Result): Promise<Result> {
  if (!isSplit(run)) return run;
  const result = asWritten(run);
  const { scenario, schedule } = result;
  const settings = settingsOf(scenario.resolved);
  const runs = Math.min(MOST_RUNS, Math.floor(MOST_ATTEMPTS / (costOf(result) * settings.length)));
  if (runs < 1) {
    const why = `loss split not worked out: ${schedule.count} arrivals are too many to simulate again`;
    return withNotes(result, [`${why}; loadline tune works it out`]);
  }
  const best = await bestOf(scenario.resolved, settings, runs);
  const { split, goodput } = await lossSplitOf(
    scenario.resolved,
    best,
    // One run is told as it was; of more the first few, with their intervals.
    result.replications === 1 ? 1 : Math.min(result.replications, Math.max(2, runs)),
    evaluate,
  );
  return withNotes({ ...result, lossSplit: split }, notesOn(result, goodput));
}

function isSplit({ engine, environment, health, rates, scenario }: Result): boolean {
  const isOurs = engine === 'sim' || (engine === 'live' && environment.target === 'stub');
  const goodput = numberOf(rates.goodput);
  if (!isOurs || environment.direct || health.status !== 'ok') return false;
  // Where no service keeps the SLO nothing is lost to a threshold, or to missing capacity.
  return goodput !== null && goodput < 1 && shortSloOf(scenario.resolved) === undefined;
}

/** What one run takes to play, in attempts of the simplest kind. */
export function costOf({ schedule, attempts, scenario }: Result): number {
  const { type } = scenario.resolved.model.preempts;
  const each = type === 'memory' ? COST_OF_MEMORY : 1;
  return each * Math.max(1, schedule.count, numberOf(attempts.total) ?? 0);
}

/**
 * The rules that keep a queue short, each alone, at round values; and looser restart rules, whose
 * refusals are the gate's doing and not the upstream's.
 */
function settingsOf(scenario: Scenario): Setting[] {
  const { sloS, gate } = scenario;
  const seconds = (share: number) => Number((share * sloS).toPrecision(6));
  return [
    {},
    ...looserRestarts(scenario),
    ...SLO_SHARES.flatMap((share) => [
      { 'gate.maxWaitS': seconds(share) },
      { 'gate.predictedWaitS': seconds(share) },
      { 'gate.ageRejectS': seconds(share) },
    ]),
    ...SLOT_SHARES.map((share) => ({ 'gate.queueCapacity': Math.round(share * gate.slots) })),
  ];
}

/** Whatever serves most in time; the present setting where nothing that was tried serves more. */
async function bestOf(
  present: Scenario,
  settings: readonly Setting[],
  replications: number,
): Promise<Scenario> {
  const base = withoutRules({ ...present, gate: { ...present.gate, mode: 'enforce' } });
  const objective = { type: 'goodput', maxBreach: null } as const;
  const tried = await evaluateSettings(
    { scenarios: [base], objective, replications, evaluate },
    settings,
  );
  const alone = async (scenario: Scenario) => {
    const scenarios = [scenario];
    const [now] = await evaluateSettings({ scenarios, objective, replications, evaluate }, [{}]);
    return meanAt(now?.runs[0] ?? [], 'rates.goodput') ?? 0;
  };
  const open = withoutAnyRule(base);
  const [now, ungated] = [await alone(present), await alone(open)];
  let best = ungated > now ? open : present;
  let most = Math.max(now, ungated);
  for (const { setting, runs } of tried) {
    const goodput = meanAt(runs[0] ?? [], 'rates.goodput') ?? 0;
    if (goodput <= most) continue;
    most = goodput;
    best = underSetting(base, setting);
  }
  return best;
}

/** The parts add up to the loss that was simulated: of a live run, or of fewer runs, not the one shown. */
function notesOn({ engine, replications }: Result, goodput: number): string[] {
  if (engine === 'sim' && replications === 1) return [];
  const lost = (100 * (1 - goodput)).toFixed(1);
  return [`loss split: simulations of the same arrivals lose ${lost} % of offered`];
}
