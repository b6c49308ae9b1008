import { buildSchedule } from '../../src/arrivals/build.ts';
import { simulate } from '../../src/engine/sim.ts';
import { scheduleDigest, textDigest } from '../../src/ledger/digest.ts';
import { createFold } from '../../src/result/fold.ts';
import { stableJson } from '../../src/result/json.ts';
import { replicate } from '../../src/result/replicate.ts';
import type { Result } from '../../src/result/types.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { resolveScenario } from '../../src/scenario/resolve.ts';
import type { Scenario } from '../../src/scenario/types.ts';

/** A shipped scenario, with changes as `path=value`. */
export async function shippedScenario(name: string, ...sets: readonly string[]): Promise<Scenario> {
  const { input } = await loadScenario(name);
  return resolveScenario({ input, env: {}, flags: {}, sets });
}

/** The result of one simulated run. */
export function simulated(scenario: Scenario, seed = scenario.seed): Result {
  const fold = createFold(scenario, { detail: 'full' });
  const schedule = buildSchedule(scenario, seed);
  simulate(scenario, { sink: fold, seed, schedule });
  const { length } = schedule.arrivals;
  return fold.finish({
    engine: 'sim',
    scenarioDigest: textDigest(stableJson(scenario)),
    seed,
    timeScale: 1,
    schedule: {
      digest: scheduleDigest(schedule),
      count: length,
      ratePerS: length / scenario.durationS,
    },
    environment: {
      target: 'none',
      endpoint: null,
      model: null,
      direct: false,
      loadline: '0.1.0',
      node: null,
      cpus: null,
      startedAt: null,
      notes: [],
    },
  });
}

/** Several seeds of one scenario as one result. */
export function replicatedRun(scenario: Scenario, runs: number): Result {
  return replicate(
    Array.from({ length: runs }, (_, run) => simulated(scenario, scenario.seed + run)),
  );
}
