/**
 * Arrivals per second of the simulator, with all three machines and no ledger, beside a program in
 * C++ and one in Python on the same queue: M/M/4, load .8, refuse on age 10 s and depth 2.
 * Seconds are of processor time, ours with the threads that collect garbage and compile. They take
 * turns, and the best round of each counts: on a shared machine the others measure the neighbours.
 * Each of ours has a process of its own, as a sweep has: the engine compiles for what it has seen.
 * Ours is played with arrivals that are drawn anew, as the others draw theirs; with arrivals that
 * are there, as in a sweep, where all settings meet the same; and its gate alone, which is all that
 * the other programs have.
 * Usage: npx tsx test/bench/sim/run.ts [arrivals per round] [rounds]
 */
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Order, Part, Round } from './loadline.ts';

const ARRIVALS = Number(process.argv[2] ?? 1_000_000);
const ROUNDS = Number(process.argv[3] ?? 5);

interface Contestant {
  readonly name: string;
  play(seed: number): Round | undefined | Promise<Round>;
  stop?(): void;
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Bundled as it is for users: a loader that translates file by file costs a fifth of the speed. */
async function bundled(folder: string): Promise<string> {
  const outfile = join(folder, 'loadline.mjs');
  await build({
    entryPoints: [here('loadline.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    minifySyntax: true,
    logLevel: 'warning',
  });
  return outfile;
}

function ours(path: string, name: string, part: Part): Contestant {
  const player = fork(path, { execArgv: [] });
  return {
    name: `loadline, ${name}`,
    async play(seed) {
      const order: Order = { atLeast: ARRIVALS, seed, part };
      player.send(order);
      const [round] = await once(player, 'message');
      return round as Round;
    },
    stop: () => player.disconnect(),
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

async function main(folder: string): Promise<void> {
  const bundle = await bundled(folder);
  const heapq = program('Python heapq', 'python3', [here('mm4.py')]);
  const contestants = [
    ours(bundle, 'with its arrivals', 'drawn'),
    ours(bundle, 'as in a sweep', 'ready'),
    ours(bundle, 'the gate alone', 'gate alone'),
    heapq,
  ];
  const path = compiled(folder);
  if (path === undefined) console.log('C++: skipped, there is no c++ compiler');
  else contestants.push(program('C++ -O2', path, []));
  const results = new Map(contestants.map((each) => [each, [] as Round[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [contestant, rounds] of results) {
      const played = await contestant.play(round + 1);
      if (played !== undefined) rounds.push(played);
    }
  }
  for (const { stop } of contestants) stop?.();
  const python = results.get(heapq) ?? [];
  print(results, python.length > 0 ? best(python) : undefined);
}

const folder = mkdtempSync(join(tmpdir(), 'loadline-bench-'));
try {
  await main(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
