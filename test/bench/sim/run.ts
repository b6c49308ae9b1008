/**
 * Arrivals per second of the simulator, with all three machines and no ledger, beside a program in
 * C++ and one in Python on the same queue: M/M/4, load .8, refuse on age 10 s and depth 2.
 * Seconds are of processor time, ours with the threads that collect garbage and compile. They take
 * turns, and the best round of each counts: on a shared machine the others measure the neighbours.
 * Usage: npx tsx test/bench/sim/run.ts [arrivals per round] [rounds]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSchedule } from '../../../src/arrivals/build.ts';
import { simulate } from '../../../src/engine/sim.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';

const ARRIVALS = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 5);
/** A long run is played as many of this length, as replications are. */
const RUN_ARRIVALS = 10_000;

interface Round {
  readonly seconds: number;
  readonly arrivals: number;
  readonly rejected: number;
}

interface Contestant {
  readonly name: string;
  play(seed: number): Round | undefined;
}

const SCENARIO = parseScenario({
  name: 'bench',
  durationS: RUN_ARRIVALS / 0.8,
  arrivals: { process: 'poisson', ratePerS: 0.8 },
  model: { service: { exponential: 4 }, slots: 0 },
  gate: { slots: 4, ageRejectS: 10, depthMultiple: 2 },
});

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** @param withSchedule also the drawing of the arrivals counts */
function ours(withSchedule: boolean): Contestant {
  return {
    name: withSchedule ? 'loadline, with its arrivals' : 'loadline, machines only',
    play(seed) {
      let rejected = 0;
      let arrivals = 0;
      let cpuUs = 0;
      const sink = {
        request(row: { outcome: string }) {
          if (row.outcome === 'rejected') rejected++;
        },
      };
      for (let k = 0; arrivals < ARRIVALS; k++) {
        const before = process.cpuUsage();
        const schedule = buildSchedule(SCENARIO, seed * 1_000_000 + k);
        const drawn = withSchedule ? before : process.cpuUsage();
        simulate(SCENARIO, { seed: schedule.seed, schedule, sink });
        const { user, system } = process.cpuUsage(drawn);
        cpuUs += user + system;
        arrivals += schedule.arrivals.length;
      }
      return { seconds: cpuUs / 1e6, arrivals, rejected };
    },
  };
}

function program(name: string, command: string, args: readonly string[]): Contestant {
  return {
    name,
    play(seed) {
      const all = [...args, String(ARRIVALS), String(seed)];
      const { status, stdout } = spawnSync(command, all, { encoding: 'utf8', timeout: 300_000 });
      if (status !== 0) return undefined;
      const [seconds = 0, rejected = 0] = stdout.trim().split(' ').map(Number);
      return { seconds, arrivals: ARRIVALS, rejected };
    },
  };
}

/** The path of the C++ program; undefined where there is no compiler. */
function compiled(folder: string): string | undefined {
  const out = join(folder, 'mm4');
  const { status } = spawnSync('c++', ['-O2', '-o', out, here('mm4.cpp')]);
  return status === 0 ? out : undefined;
}

function best(rounds: readonly Round[]): number {
  return Math.max(...rounds.map(({ arrivals, seconds }) => arrivals / seconds));
}

function print(results: ReadonlyMap<Contestant, Round[]>, base: number | undefined): void {
  for (const [{ name }, rounds] of results) {
    if (rounds.length === 0) {
      console.log(`${name.padEnd(28)} skipped: not here, or it failed`);
      continue;
    }
    const rate = best(rounds);
    const ratio = base === undefined ? '' : `${(rate / base).toFixed(2)} x heapq`;
    const arrivals = rounds.reduce((sum, round) => sum + round.arrivals, 0);
    const share = rounds.reduce((sum, round) => sum + round.rejected, 0) / arrivals;
    const figures = `${(rate / 1e6).toFixed(2).padStart(6)} M/s ${ratio.padStart(14)}`;
    console.log(`${name.padEnd(28)} ${figures}   turned away ${(100 * share).toFixed(2)} %`);
  }
}

function main(folder: string): void {
  const heapq = program('Python heapq', 'python3', [here('mm4.py')]);
  const contestants = [ours(true), ours(false), heapq];
  const path = compiled(folder);
  if (path === undefined) console.log('C++: skipped, there is no c++ compiler');
  else contestants.push(program('C++ -O2', path, []));
  const results = new Map(contestants.map((each) => [each, [] as Round[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [contestant, rounds] of results) {
      const played = contestant.play(round + 1);
      if (played !== undefined) rounds.push(played);
    }
  }
  const python = results.get(heapq) ?? [];
  print(results, python.length > 0 ? best(python) : undefined);
}

const folder = mkdtempSync(join(tmpdir(), 'loadline-bench-'));
try {
  main(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
