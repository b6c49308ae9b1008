import { availableParallelism } from 'node:os';
import { Argument, Command, Option } from 'commander';
import { buildSchedule } from '../arrivals/build.ts';
import type { Schedule } from '../arrivals/schedule.ts';
import { UserError } from '../errors.ts';
import { scheduleDigest, textDigest } from '../ledger/digest.ts';
import { type Figures, figuresOf } from '../result/figures.ts';
import { stableJson } from '../result/json.ts';
import { type Axis, splitSweepAxis } from '../scenario/axis.ts';
import { canonicalJson } from '../scenario/canonical.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Evaluate } from '../tune/evaluate.ts';
import { sweep } from '../tune/sweep.ts';
import { sweepTable } from '../tune/sweep-table.ts';
import type { Origin, SweepDocument } from '../tune/types.ts';
import { documentFolder, writeDocument } from './document-folder.ts';
import { createEvaluator } from './evaluate.ts';
import { type LiveFlags, withLiveOptions } from './live-options.ts';
import { playLive } from './live-setting.ts';
import {
  type OutputOptions,
  type ScenarioOptions,
  wholeNumber,
  withOutputOptions,
  withScenarioOptions,
} from './options.ts';
import { note, print } from './output.ts';
import { scenarioFrom } from './resolve.ts';
import { interruptSignal } from './signals.ts';

export interface SweepOptions extends ScenarioOptions, OutputOptions, LiveFlags {
  readonly replications: number;
  readonly engine: 'sim' | 'live';
  readonly workers: number;
}

/** `loadline sweep`: any fields of a scenario over lists of values, on the same arrivals. */
export function sweepCommand(): Command {
  const command = new Command('sweep')
    .description('try the combinations of several values on the same arrivals')
    .addArgument(new Argument('[scenario]', 'a file, or the name of a shipped scenario'))
    .option(
      '-n, --replications <number>',
      'runs of each setting, with common random numbers',
      wholeNumber(1, 1_000_000),
      100,
    )
    .addOption(
      new Option('--engine <engine>', 'virtual time, or real')
        .choices(['sim', 'live'])
        .default('sim'),
    );
  const whole = withLiveOptions(withScenarioOptions(withWorkers(command)));
  return withOutputOptions(whole, 'folder')
    .addHelpText('after', '\nA --set with several values is an axis: gate.ageRejectS=5,10,1e9')
    .action(run);
}

/** `--workers`. */
export function withWorkers(command: Command): Command {
  return command.option(
    '--workers <number>',
    'threads; the figures do not depend on it',
    wholeNumber(1, 64),
    Math.min(8, availableParallelism()),
  );
}

/** The axes among the texts of `--set`, and the texts that set one value. */
export function splitSets(sets: readonly string[]): { axes: Axis[]; fixed: string[] } {
  const axes: Axis[] = [];
  const fixed: string[] = [];
  for (const text of sets) {
    const axis = splitSweepAxis(text);
    if (axis.values.length > 1) axes.push(axis);
    else fixed.push(text);
  }
  return { axes, fixed };
}

async function run(nameOrPath: string | undefined, options: SweepOptions): Promise<void> {
  const { axes, fixed } = splitSets(options.set);
  if (axes.length === 0) {
    throw new UserError(
      'sweep: expected a --set with several values, such as gate.ageRejectS=5,10,1e9, got none',
    );
  }
  const scenario = await scenarioFrom(nameOrPath, { ...options, set: fixed });
  const folder = documentFolder(`${scenario.name}-sweep`, options);
  const document =
    options.engine === 'live'
      ? await liveSweep(scenario, axes, options)
      : await simulated(scenario, axes, options);
  await print(options.json === true ? stableJson(document) : sweepTable(document));
  if (folder === undefined) return;
  const { renderSweepPage } = await import('../report/sweep-page.ts');
  writeDocument(folder, document, await renderSweepPage(document), options);
}

async function simulated(
  scenario: Scenario,
  axes: readonly Axis[],
  { replications, workers }: SweepOptions,
): Promise<SweepDocument> {
  const evaluator = createEvaluator(workers);
  try {
    return await sweep({
      scenario,
      digest: textDigest(canonicalJson(scenario)),
      axes,
      replications,
      evaluate: evaluator.evaluate,
      origin: { engine: 'sim', target: 'none', simulated: true },
    });
  } finally {
    await evaluator.close();
  }
}

/** One run for each setting, of one schedule. What a limited generator measured is said beside it. */
async function liveSweep(
  scenario: Scenario,
  axes: readonly Axis[],
  options: SweepOptions,
): Promise<SweepDocument> {
  const interrupt = interruptSignal();
  const schedules = createScheduleCache();
  const targets: Origin['target'][] = [];
  const notes: string[] = [];
  const play = async (setting: Scenario, i: number): Promise<Figures> => {
    note(`setting ${i + 1}`, options);
    const result = await playLive(setting, options, schedules(setting), interrupt.signal);
    targets.push(result.environment.target);
    if (result.health.status !== 'ok') {
      notes.push(`setting ${i + 1}: ${result.health.status}: ${result.health.notes.join('; ')}`);
    }
    return figuresOf(result);
  };
  const evaluate: Evaluate = async ({ scenarios }) => {
    const runs: Figures[][] = [];
    for (const [i, setting] of scenarios.entries()) runs.push([await play(setting, i)]);
    return runs;
  };
  try {
    const digest = textDigest(canonicalJson(scenario));
    const origin = { engine: 'live', target: 'stub', simulated: true } as const;
    const document = await sweep({ scenario, digest, axes, replications: 1, evaluate, origin });
    const target = targets[0] ?? 'stub';
    return {
      ...document,
      origin: { engine: 'live', target, simulated: target !== 'endpoint' },
      notes,
    };
  } finally {
    interrupt.release();
  }
}

/** Settings that change nothing about the arrivals meet the very same ones. */
function createScheduleCache(): (scenario: Scenario) => Schedule {
  let kept: { readonly digest: string; readonly schedule: Schedule } | undefined;
  return (scenario) => {
    const built = buildSchedule(scenario);
    const digest = scheduleDigest(built);
    if (kept?.digest !== digest) kept = { digest, schedule: built };
    return kept.schedule;
  };
}
