import { buildSchedule } from '../arrivals/build.ts';
import type { Schedule } from '../arrivals/schedule.ts';
import { type ScriptStep, simulate } from '../engine/sim.ts';
import { scheduleDigest, textDigest } from '../ledger/digest.ts';
import { replicationSeed } from '../random.ts';
import { createFold, type FinishContext } from '../result/fold.ts';
import { createReplicator } from '../result/replicate.ts';
import type { Result } from '../result/types.ts';
import { canonicalJson } from '../scenario/canonical.ts';
import type { Scenario } from '../scenario/types.ts';
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
  for (let k = 1; k < replications; k++) {
    const seed = replicationSeed(scenario.seed, k);
    const fold = createFold({ ...scenario, seed }, { detail: 'full' });
    simulate(scenario, { ...simOptions(options), seed, sink: fold });
    replicator.add(fold.figures(), fold.byQueueAge());
  }
  return replicator.finish(first.result);
}

function simulateOne(scenario: Scenario, schedule: Schedule, options: SimulateOptions) {
  const fold = createFold(scenario, { detail: 'full' });
  const { cutOff } = simulate(scenario, { ...simOptions(options), schedule, sink: fold });
  const notes = cutOff ? ['cut off: requests were tried again without end'] : [];
  const result = fold.finish({ ...simContext(scenario, schedule, options), notes });
  return { result, figures: fold.figures() };
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
