import { buildSchedule } from '../arrivals/build.ts';
import type { Schedule } from '../arrivals/schedule.ts';
import type { ScriptStep } from '../engine/sim/script.ts';
import { simulate } from '../engine/sim.ts';
import { scheduleDigest, textDigest } from '../ledger/digest.ts';
import { replicationSeed } from '../random.ts';
import { CUT_OFF_TEXTS, cutOffBy } from '../result/cut-off.ts';
import type { Figures } from '../result/figures.ts';
import { createFold, type FinishContext } from '../result/fold.ts';
import { createReplicator } from '../result/replicate.ts';
import type { Result } from '../result/types.ts';
import { canonicalJson } from '../scenario/canonical.ts';
import type { Scenario } from '../scenario/types.ts';
import { US_PER_S } from '../units.ts';
import { version } from './version.ts';

export interface SimulateOptions {
  /** At least 1. */
  readonly replications?: number;
  /** No gate. */
  readonly direct?: boolean;
  /** What an operator, or a fault, does in every replication. */
  readonly script?: readonly ScriptStep[];
}

/** The result of a scenario in virtual time. Same scenario, same result to the last bit. */
export function simulateResult(scenario: Scenario, options: SimulateOptions = {}): Result {
  const schedule = buildSchedule(scenario);
  const first = simulateOne(scenario, schedule, options);
  const replications = options.replications ?? 1;
  if (replications === 1) return first.result;
  const replicator = createReplicator();
  replicator.add(first.figures, first.result.byQueueAge);
  let cut = first.isCutOff ? 1 : 0;
  for (let k = 1; k < replications; k++) {
    const seed = replicationSeed(scenario.seed, k);
    const fold = createFold({ ...scenario, seed }, { detail: 'full' });
    const { cutOff } = simulate(scenario, { ...simOptions(options), seed, sink: fold });
    if (cutOff) cut++;
    replicator.add(fold.figures(), fold.byQueueAge());
  }
  const result = replicator.finish(first.result);
  if (cut === 0) return result;
  const notes = [`${cut} of ${replications} replications were cut off`, ...result.health.notes];
  return { ...result, health: { ...result.health, status: 'interrupted', notes } };
}

function simulateOne(scenario: Scenario, schedule: Schedule, options: SimulateOptions) {
  const fold = createFold(scenario, { detail: 'full' });
  const end = simulate(scenario, { ...simOptions(options), schedule, sink: fold });
  const figures = fold.figures();
  const notes = end.cutOff ? [cutOffNote(end.endUs / US_PER_S, scenario, figures)] : [];
  const context = simContext(scenario, schedule, options);
  const result = fold.finish({ ...context, notes, interrupted: end.cutOff });
  return { result, figures, isCutOff: end.cutOff };
}

/** What went on without end, and how far the run came. */
function cutOffNote(endS: number, { durationS }: Scenario, figures: Figures): string {
  const { by, times } = cutOffBy(figures);
  const why = CUT_OFF_TEXTS[by](`, ${times} times`);
  return `cut off after ${Number(endS.toPrecision(3))} s of ${durationS} s: ${why}`;
}

function simOptions({ direct, script }: SimulateOptions) {
  return {
    ...(direct === undefined ? {} : { direct }),
    ...(script === undefined ? {} : { script }),
  };
}

/** The context of a simulation: nothing in it changes from run to run, or from machine to machine. */
function simContext(
  scenario: Scenario,
  schedule: Schedule,
  { direct }: SimulateOptions,
): FinishContext {
  return {
    engine: 'sim',
    ...identity(scenario, schedule),
    timeScale: 1,
    environment: {
      target: 'none',
      endpoint: null,
      model: null,
      direct: direct ?? false,
      loadline: version,
      node: null,
      cpus: null,
      startedAt: null,
      notes: [],
    },
  };
}

/** What was run, and on which arrivals: the same in every engine. */
export function identity(
  scenario: Scenario,
  schedule: Schedule,
): Pick<FinishContext, 'scenarioDigest' | 'seed' | 'schedule'> {
  const count = schedule.arrivals.length;
  return {
    scenarioDigest: textDigest(canonicalJson(scenario)),
    seed: scenario.seed,
    schedule: {
      digest: scheduleDigest(schedule),
      count,
      ratePerS: count / scenario.durationS,
    },
  };
}
