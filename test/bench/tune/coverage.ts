/**
 * Coverage: over sealed worlds, each observed through one live-length run, how often does the 95 %
 * interval hold a setting within .01 of offered of the world's true best? A wide interval is no
 * merit, so its median width stands beside it. `npx tsx test/bench/tune/coverage.ts [worlds]`
 */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { buildSchedule } from '../../../src/arrivals/build.ts';
import { createEvaluator } from '../../../src/commands/evaluate.ts';
import { fittedScenario } from '../../../src/commands/learned.ts';
import { simulate } from '../../../src/engine/sim.ts';
import { drawsAt, streamKey } from '../../../src/random.ts';
import type { Result } from '../../../src/result/types.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';
import type { Scenario } from '../../../src/scenario/types.ts';
import { choose } from '../../../src/tune/choose.ts';
import { intervalsOf } from '../../../src/tune/interval.ts';
import { evaluateSettings, search } from '../../../src/tune/search.ts';
import { withoutRules } from '../../../src/tune/setting.ts';

const WORLDS = Number(process.argv[2] ?? 100);
const PATH = 'gate.maxWaitS';
const objective = { type: 'goodput', maxBreach: null } as const;
const values = Array.from({ length: 24 }, (_, i) => (i + 1) * 5);
const axes = [{ path: PATH, values }];
const refuse = () => null;
/** The threads run what was built; without a build, this one does all. */
const worker = fileURLToPath(new URL('../../../dist/tune-worker.js', import.meta.url));
const { evaluate, close } = createEvaluator(availableParallelism(), worker);

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
  const run = { path: of.name, scenario: declared, result: {} as Result, serviceUs };
  return {
    scenario: fittedScenario({ ...run, arrivals: schedule.arrivals }),
    arrivals: schedule.arrivals.length,
  };
}

/** The settings within .01 of offered of the best, by brute force on arrivals that the tuner never saw. */
async function truth(of: Scenario): Promise<number[]> {
  const scenarios = [{ ...withoutRules(of), seed: of.seed + 9000 }];
  const settings = values.map((value) => ({ [PATH]: value }));
  const trials = await evaluateSettings(
    { scenarios, objective, replications: 60, evaluate },
    settings,
  );
  const { judged } = choose(trials, objective, refuse);
  return judged.filter(({ flat }) => flat).map(({ trial }) => Number(trial.setting[PATH]));
}

async function intervalIn(of: Scenario): Promise<readonly [number, number]> {
  const { scenario, arrivals } = observed(of);
  const request = { scenarios: [withoutRules(scenario)], objective, refuse, evaluate };
  const few = { ...request, axes, replications: 30 };
  const { trials, choice } = await search({ ...few, coarse: 12 });
  const chosen = choice.chosen?.trial.setting;
  if (chosen === undefined) throw new Error('goodput has no condition, so something is chosen');
  const intervals = await intervalsOf(few, trials, chosen, arrivals);
  return intervals[PATH] ?? [0, 0];
}

let held = 0;
const widths: number[] = [];
for (let w = 0; w < WORLDS; w++) {
  const sealed = world(w);
  const [lo, hi] = await intervalIn(sealed);
  const flat = await truth(sealed);
  const isHeld = flat.some((value) => value >= lo && value <= hi);
  if (isHeld) held++;
  widths.push((hi - lo) / sealed.sloS);
  const region = `${Math.min(...flat)} to ${Math.max(...flat)}`;
  console.error(
    `${sealed.name}: interval ${lo} to ${hi}, truly flat ${region}${isHeld ? '' : '  MISSED'}`,
  );
}
await close();
widths.sort((a, b) => a - b);
const median = widths[Math.floor(widths.length / 2)] ?? 0;
console.log(`held ${held} of ${WORLDS}; median width ${median.toFixed(2)} of the SLO`);
