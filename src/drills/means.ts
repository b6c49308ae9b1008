import { simulate } from '../engine/sim.ts';
import { replicationSeed } from '../random.ts';
import { createFold } from '../result/fold.ts';
import type { Scenario } from '../scenario/types.ts';

/** Means of figures over several runs, by their path in a result; what a run does not have counts as 0. */
export function meanFigures(scenario: Scenario, runs: number): (path: string) => number {
  const sums = new Map<string, number>();
  for (let k = 0; k < runs; k++) {
    const seed = k === 0 ? scenario.seed : replicationSeed(scenario.seed, k);
    const fold = createFold({ ...scenario, seed }, { detail: 'figures' });
    const { request, state } = fold;
    simulate(scenario, { seed, sink: { request, state } });
    for (const [path, value] of Object.entries(fold.figures())) {
      sums.set(path, (sums.get(path) ?? 0) + (value ?? 0) / runs);
    }
  }
  return (path) => sums.get(path) ?? 0;
}
