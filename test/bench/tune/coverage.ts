/**
 * Coverage: over sealed worlds, each observed through one live-length run, how often does the 95 %
 * interval hold a setting within .01 of offered of the world's true best? A wide interval is no
 * merit, so its median width stands beside it. The candidates are sixteen limits on the wait, a
 * tenth of the SLO apart; the interval is the one that `tune` prints, with its own constants.
 *
 * `npx tsx test/bench/tune/coverage.ts [--worlds 100] [--from 0]`
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { buildSchedule } from '../../../src/arrivals/build.ts';
import { createEvaluator } from '../../../src/commands/evaluate.ts';
import { fittedScenario } from '../../../src/commands/learned.ts';
import { simulate } from '../../../src/engine/sim.ts';
import { drawsAt, streamKey } from '../../../src/random.ts';
import type { Result } from '../../../src/result/types.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';
import type { Scenario } from '../../../src/scenario/types.ts';
import { choose } from '../../../src/tune/choose.ts';
import type { Evaluate } from '../../../src/tune/evaluate.ts';
import { intervalsOf } from '../../../src/tune/interval.ts';
import { evaluateSettings, search } from '../../../src/tune/search.ts';
import { withoutRules } from '../../../src/tune/setting.ts';
import { withWorkerFile } from './threads.ts';

const { values: options } = parseArgs({
  options: { worlds: { type: 'string', default: '100' }, from: { type: 'string', default: '0' } },
});
const PATH = 'gate.maxWaitS';
/** Candidates, and their distance in SLOs. */
const CANDIDATES = 16;
const STEP = 0.1;
/** Runs of each candidate: to the tuner, which searches, and to the judge, who must tell .01 apart. */
const RUNS_TO_SEARCH = 30;
const RUNS_TO_JUDGE = 48;
const objective = { type: 'goodput', maxBreach: null } as const;
const refuse = () => null;

/** A world of the family: load, burst, slots, the shape and the length of services all differ. */
function world(w: number): Scenario {
  const rng = drawsAt(streamKey(2026, 'world'), w);
  const slots = 4 + Math.floor(rng.uniform() * 16);
  const meanS = 5 + 15 * rng.uniform();
  const scv = 0.1 + 1.2 * rng.uniform();
  const load = 0.8 + 0.6 * rng.uniform();
  const factor = 1 + rng.uniform();
  const shapes = [
    { lognormal: { mean: meanS, scv } },
    { gamma: { mean: meanS, scv } },
    { uniform: [0.2 * meanS, 1.8 * meanS] },
    { bimodal: { first: 0.5 * meanS, second: 3 * meanS, share: 0.2, scv: 1 } },
  ];
  return parseScenario({
    name: `world-${w}`,
    seed: 1000 + w,
    durationS: 300,
    sloS: 30 + 60 * rng.uniform(),
    arrivals: {
      ratePerS: (load * slots) / meanS,
      bursts: [{ fromS: 100, toS: 200, factor }],
    },
    gate: { slots, maxWaitS: 30 },
    model: { service: shapes[w % shapes.length] },
  });
}

/** All that is known of it: one run under its present gate, its declared rate being wrong by a tenth. */
function observed(of: Scenario): { scenario: Scenario; arrivals: number } {
  const schedule = buildSchedule(of);
  const serviceUs = new Map<number, number>();
  simulate(of, {
    schedule,
    sink: {
      request: ({ seq, outcome, heldUs }) => {
        if (outcome === 'completed' && heldUs !== null) serviceUs.set(seq, heldUs);
      },
    },
  });
  const { arrivals } = of;
  const declared =
    arrivals !== null && 'ratePerS' in arrivals
      ? {
          ...of,
          seed: of.seed + 5000,
          arrivals: { ...arrivals, ratePerS: arrivals.ratePerS * 1.1 },
        }
      : of;
  const run = {
    path: of.name,
    scenario: declared,
    result: {} as Result,
    serviceUs,
    served: serviceUs.size,
    knownFrom: 'observed',
  } as const;
  return {
    scenario: fittedScenario({ ...run, arrivals: schedule.arrivals }),
    arrivals: schedule.arrivals.length,
  };
}

/** The settings within .01 of offered of the best, by brute force on arrivals that the tuner never saw. */
async function truth(of: Scenario, evaluate: Evaluate): Promise<number[]> {
  const scenarios = [{ ...withoutRules(of), seed: of.seed + 9000 }];
  const settings = candidatesOf(of).map((value) => ({ [PATH]: value }));
  const trials = await evaluateSettings(
    { scenarios, objective, replications: RUNS_TO_JUDGE, evaluate },
    settings,
  );
  const { judged } = choose(trials, objective, refuse);
  return judged.filter(({ flat }) => flat).map(({ trial }) => Number(trial.setting[PATH]));
}

/** In seconds, whole milliseconds. */
function candidatesOf({ sloS }: Scenario): number[] {
  return Array.from(
    { length: CANDIDATES },
    (_, i) => Math.round(1000 * (i + 1) * STEP * sloS) / 1000,
  );
}

async function intervalIn(of: Scenario, evaluate: Evaluate): Promise<readonly [number, number]> {
  const { scenario, arrivals } = observed(of);
  const axes = [{ path: PATH, values: candidatesOf(of) }];
  const request = { scenarios: [withoutRules(scenario)], objective, refuse, evaluate };
  const common = { ...request, axes, replications: RUNS_TO_SEARCH };
  const { trials, choice } = await search({ ...common, coarse: CANDIDATES });
  const chosen = choice.chosen?.trial.setting;
  if (chosen === undefined) throw new Error('goodput has no condition, so something is chosen');
  const intervals = await intervalsOf(common, trials, chosen, arrivals);
  return intervals[PATH] ?? [0, 0];
}

function medianOf(widths: readonly number[]): string {
  const ascending = [...widths].sort((a, b) => a - b);
  return (ascending[Math.floor(ascending.length / 2)] ?? 0).toFixed(2);
}

await withWorkerFile(async (file) => {
  const { evaluate, close } = createEvaluator(availableParallelism(), file);
  const [from, worlds] = [Number(options.from), Number(options.worlds)];
  const widths: number[] = [];
  let held = 0;
  for (let w = from; w < from + worlds; w++) {
    const sealed = world(w);
    const [lo, hi] = await intervalIn(sealed, evaluate);
    const flat = await truth(sealed, evaluate);
    const isHeld = flat.some((value) => value >= lo && value <= hi);
    if (isHeld) held++;
    widths.push((hi - lo) / sealed.sloS);
    const region = `${Math.min(...flat)} to ${Math.max(...flat)}`;
    console.error(
      `${sealed.name}: interval ${lo} to ${hi}, truly flat ${region}${isHeld ? '' : '  MISSED'}; so far ${held} of ${widths.length}, median width ${medianOf(widths)}`,
    );
  }
  await close();
  console.log(`held ${held} of ${worlds}; median width ${medianOf(widths)} of the SLO`);
});
