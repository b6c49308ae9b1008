/** The contestant of `run.ts`: all three machines and no ledger, on M/M/4 at load .8. */
import { buildSchedule } from '../../../src/arrivals/build.ts';
import { simulate } from '../../../src/engine/sim.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';

/** A long run is played as many of this length, as replications are. */
const RUN_ARRIVALS = 10_000;

const SCENARIO = parseScenario({
  name: 'bench',
  durationS: RUN_ARRIVALS / 0.8,
  arrivals: { process: 'poisson', ratePerS: 0.8 },
  model: { service: { exponential: 4 }, slots: 0 },
  gate: { slots: 4, ageRejectS: 10, depthMultiple: 2 },
});

export interface Round {
  /** Of processor time, the threads that collect garbage and compile included. */
  readonly seconds: number;
  readonly arrivals: number;
  readonly rejected: number;
}

/**
 * Plays at least this many arrivals.
 * @param withSchedule also the drawing of the arrivals counts
 */
export function play(atLeast: number, seed: number, withSchedule: boolean): Round {
  let rejected = 0;
  let arrivals = 0;
  let cpuUs = 0;
  const sink = {
    request(row: { outcome: string }) {
      if (row.outcome === 'rejected') rejected++;
    },
  };
  for (let k = 0; arrivals < atLeast; k++) {
    const before = process.cpuUsage();
    const schedule = buildSchedule(SCENARIO, seed * 1_000_000 + k);
    const drawn = withSchedule ? before : process.cpuUsage();
    simulate(SCENARIO, { seed: schedule.seed, schedule, sink });
    const { user, system } = process.cpuUsage(drawn);
    cpuUs += user + system;
    arrivals += schedule.arrivals.length;
  }
  return { seconds: cpuUs / 1e6, arrivals, rejected };
}
