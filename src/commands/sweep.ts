import { availableParallelism } from 'node:os';
import { Argument, Command, Option } from 'commander';
import { UserError } from '../errors.ts';
import { textDigest } from '../ledger/digest.ts';
import type { PlayedSetting } from '../report/compared.ts';
import { figuresOf } from '../result/figures.ts';
import { stableJson } from '../result/json.ts';
import type { Asked, Result } from '../result/types.ts';
import { refuseDoubledPaths, withDistinctValues } from '../scenario/axes.ts';
import { type Axis, parseRange, splitSweepAxis } from '../scenario/axis.ts';
import { canonicalJson } from '../scenario/canonical.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Evaluate } from '../tune/evaluate.ts';
import { gridOf } from '../tune/setting.ts';
import { sweep } from '../tune/sweep.ts';
import type { SweepDocument, SweepSetting } from '../tune/types.ts';
import { askedFor, askedUnder } from './asked.ts';
import { documentFolder, writeDocument } from './document-folder.ts';
import { createEvaluator } from './evaluate.ts';
import { type LiveFlags, withLiveOptions } from './live-options.ts';
import { countsLoggedRetries } from './logged-retries.ts';
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
import { toldSweep } from './sweep-text.ts';

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
    .addHelpText(
      'after',
      '\nA --set with several values is an axis: gate.ageRejectS=5,10,1e9 or from..to/step: gate.maxWaitS=.1..1/.05',
    )
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

/** A log with retries in it is swept both ways: as it is, and each request once. */
function readingsOf(scenario: Scenario, axes: readonly Axis[]): Axis[] {
  const path = 'arrivals.retries';
  if (!countsLoggedRetries(scenario) || axes.some((axis) => axis.path === path)) return [];
  return scenario.arrivals?.process === 'trace' ? [{ path, values: ['kept', 'left-out'] }] : [];
}

/**
 * The axes among the texts of `--set`, and the texts that set one value.
 * @throws UserError where an axis has the path of another text
 */
export function splitSets(sets: readonly string[]): { axes: Axis[]; fixed: string[] } {
  const axes: Axis[] = [];
  const fixed: string[] = [];
  for (const text of sets) {
    const all = splitSweepAxis(text);
    const axis = withDistinctValues(all);
    if (axis.values.length > 1) axes.push(axis);
    else if (all.values.length > 1 || isRange(text)) fixed.push(setText(axis));
    else fixed.push(text);
  }
  // Where one value is set twice the last one wins, as in `sim`.
  const once = [...new Set(fixed.map((text) => splitSweepAxis(text).path))];
  refuseDoubledPaths([...axes.map(({ path }) => path), ...once], '--set');
  return { axes, fixed };
}

/** An axis of one value. */
function setText({ path, values: [value] }: Axis): string {
  return `${path}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

/** `5..5` is 5. */
function isRange(text: string): boolean {
  return parseRange(text.slice(text.indexOf('=') + 1)) !== undefined;
}

async function run(nameOrPath: string | undefined, options: SweepOptions): Promise<void> {
  const { axes, fixed } = splitSets(options.set);
  if (axes.length === 0) {
    const got = options.set.length === 0 ? 'none' : `one value in each: ${options.set.join(' ')}`;
    throw new UserError(
      `sweep: expected a --set with several values, such as gate.ageRejectS=5,10,1e9, got ${got}`,
    );
  }
  const scenario = await scenarioFrom(nameOrPath, { ...options, set: fixed });
  axes.push(...readingsOf(scenario, axes));
  const folder = documentFolder(`${scenario.name}-sweep`, options);
  const asked = askedFor(nameOrPath, { ...options, set: fixed }, process.env);
  const { swept, cutShort } =
    options.engine === 'live'
      ? await liveSweep(scenario, axes, options, folder, asked)
      : { swept: await simulated(scenario, axes, options), cutShort: false };
  const { document, text } = toldSweep(swept, scenario);
  await print(options.json === true ? stableJson(document) : text);
  if (folder !== undefined) {
    const { renderSweepPage } = await import('../report/sweep-page.ts');
    writeDocument(folder, document, await renderSweepPage(document), options);
  }
  if (cutShort) throw new UserError('the sweep was cut short: interrupted', 1);
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
  folder: string | undefined,
  asked: Asked,
): Promise<{ swept: SweepDocument; cutShort: boolean }> {
  const interrupt = interruptSignal();
  const results: Result[] = [];
  const each = gridOf(axes).map((setting) => askedUnder(asked, setting));
  const evaluate: Evaluate = async ({ scenarios }) => {
    const { signal } = interrupt;
    const say = (text: string) => note(text, options);
    // Loaded where it is asked for: half of what a sweep in virtual time would load.
    const { playSettings } = await import('./live-setting.ts');
    results.push(
      ...(await playSettings({
        ...{ scenarios, flags: options, signal, say, keepIn: folder },
        asked: each,
      })),
    );
    return results.map((result) => [figuresOf(result)]);
  };
  try {
    const digest = textDigest(canonicalJson(scenario));
    const origin = { engine: 'live', target: 'stub', simulated: true } as const;
    const document = await sweep({ scenario, digest, axes, replications: 1, evaluate, origin });
    const target = results[0]?.environment.target ?? 'stub';
    const swept = {
      ...document,
      settings: document.settings.map((setting, i) => withHealth(setting, results[i])),
      origin: { engine: 'live', target, simulated: target !== 'endpoint' } as const,
      notes: results.flatMap(limitNotes),
    };
    return { swept, cutShort: interrupt.signal.aborted };
  } finally {
    interrupt.release();
  }
}

function withHealth(setting: SweepSetting, result: Result | undefined): PlayedSetting {
  if (result === undefined) return setting;
  const { status, notes } = result.health;
  return { ...setting, health: { status, notes } };
}

function limitNotes({ health }: Result, i: number): string[] {
  if (health.status === 'ok') return [];
  return [`setting ${i + 1}: ${health.status}: ${health.notes.join('; ')}`];
}
