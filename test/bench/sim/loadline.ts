/** The contestant of `run.ts`: all three machines and no ledger, on M/M/4 at load .8. */

import { buildSchedule } from '../../../src/arrivals/build.ts';
import type { Schedule } from '../../../src/arrivals/schedule.ts';
import { simulate } from '../../../src/engine/sim.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';

/** A long run is played as many of this length, as replications are: of twenty minutes each. */
const RUN_ARRIVALS = 10_000;
const RATE_PER_S = 8;
/** Settings of a sweep, all of which play the same arrivals. */
const SETTINGS = 10;

const SCENARIO = parseScenario({
  name: 'bench',
  durationS: RUN_ARRIVALS / RATE_PER_S,
  arrivals: { process: 'poisson', ratePerS: RATE_PER_S },
  model: { service: { exponential: 3.2 / RATE_PER_S }, slots: 0 },
  gate: { slots: 4, ageRejectS: 8 / RATE_PER_S, depthMultiple: 2 },
});

export interface Round {
  /** Of processor time, the threads that collect garbage and compile included. */
  readonly seconds: number;
  readonly arrivals: number;
  readonly rejected: number;
}

/**
 * Plays at least this many arrivals.
 * @param drawn true: each run draws its own, and that counts; false: they are there, as in a sweep
 */
export function play(atLeast: number, seed: number, drawn: boolean): Round {
  const runs = Math.ceil(atLeast / RUN_ARRIVALS);
  const scheduleOf = (k: number): Schedule => buildSchedule(SCENARIO, seed * 1_000_000 + k);
  const ready = drawn
    ? []
    : Array.from({ length: Math.ceil(runs / SETTINGS) }, (_, k) => scheduleOf(k));
  let rejected = 0;
  let arrivals = 0;
  const sink = {
    request(row: { outcome: string }) {
      if (row.outcome === 'rejected') rejected++;
    },
  };
  const before = process.cpuUsage();
  for (let k = 0; k < runs; k++) {
    const schedule = ready[Math.floor(k / SETTINGS)] ?? scheduleOf(k);
    simulate(SCENARIO, { seed: schedule.seed, schedule, sink });
    arrivals += schedule.arrivals.length;
  }
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, arrivals, rejected };
}
