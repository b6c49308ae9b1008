/**
 * The contestant of `run.ts`, a process that plays a round for each order that its parent sends: all
 * three machines and no ledger, on M/M/4 at load .8.
 */

import { buildSchedule } from '../../../src/arrivals/build.ts';
import type { Schedule } from '../../../src/arrivals/schedule.ts';
import { simulate } from '../../../src/engine/sim.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';
import { playGate } from './gate-alone.ts';

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

/** What the parent asks for: at least so many arrivals. */
export interface Order {
  readonly atLeast: number;
  readonly seed: number;
  readonly part: Part;
}

export interface Round {
  /** Of processor time, the threads that collect garbage and compile included. */
  readonly seconds: number;
  readonly arrivals: number;
  readonly rejected: number;
}

/** `drawn`: each run draws its arrivals, and that counts; `ready`: they are there, as in a sweep. */
export type Part = 'drawn' | 'ready' | 'gate alone';

/** Plays at least this many arrivals. */
function play({ atLeast, seed, part }: Order): Round {
  const runs = Math.ceil(atLeast / RUN_ARRIVALS);
  const schedules = part === 'drawn' ? [] : readySchedules(runs, seed);
  let rejected = 0;
  let arrivals = 0;
  const before = process.cpuUsage();
  for (let k = 0; k < runs; k++) {
    const schedule = schedules[Math.floor(k / SETTINGS)] ?? scheduleOf(seed, k);
    rejected += part === 'gate alone' ? playGate(SCENARIO, schedule) : playAll(schedule);
    arrivals += schedule.arrivals.length;
  }
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, arrivals, rejected };
}

function scheduleOf(seed: number, k: number): Schedule {
  return buildSchedule(SCENARIO, seed * 1_000_000 + k);
}

function readySchedules(runs: number, seed: number): Schedule[] {
  return Array.from({ length: Math.ceil(runs / SETTINGS) }, (_, k) => scheduleOf(seed, k));
}

/** @returns how many were turned away */
function playAll(schedule: Schedule): number {
  let rejected = 0;
  const sink = {
    request(row: { outcome: string }) {
      if (row.outcome === 'rejected') rejected++;
    },
  };
  simulate(SCENARIO, { seed: schedule.seed, schedule, sink });
  return rejected;
}

process.on('message', (order: Order) => process.send?.(play(order)));
