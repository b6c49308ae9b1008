import { Argument, Command } from 'commander';
import { textDigest } from '../ledger/digest.ts';
import { numberOf } from '../result/figure.ts';
import { stableJson } from '../result/json.ts';
import type { Result } from '../result/types.ts';
import { canonicalJson } from '../scenario/canonical.ts';
import { parseScenario } from '../scenario/schema.ts';
import { parseSet, setAll } from '../scenario/set.ts';
import { sweep } from '../tune/sweep.ts';
import { documentFolder, writeDocument } from './document-folder.ts';
import { createEvaluator } from './evaluate.ts';
import { attemptsNote, drawnNote, drawnOf, replayScenario } from './learned.ts';
import {
  also,
  type OutputOptions,
  wholeNumber,
  withAllowDrawn,
  withOutputOptions,
} from './options.ts';
import { print } from './output.ts';
import { readRun } from './recorded-run.ts';
import { splitSets, withWorkers } from './sweep.ts';
import { toldSweep } from './sweep-text.ts';

interface ReplayOptions extends OutputOptions {
  readonly allowDrawn?: boolean;
  readonly set: readonly string[];
  readonly replications: number;
  readonly workers: number;
}

/** `loadline replay`: what a recorded run would have been under other thresholds. */
export function replayCommand(): Command {
  const command = new Command('replay')
    .description('play a recorded run again under other thresholds, in virtual time')
    .addArgument(new Argument('<run>', 'the folder of a run'))
    .option('--set <path=value,...>', 'a field, or an axis of several values', also, [])
    .option(
      '-n, --replications <number>',
      'draws of the demand that was never observed',
      wholeNumber(1, 1_000_000),
      50,
    );
  return withOutputOptions(withWorkers(withAllowDrawn(command)), 'folder').action(run);
}

async function run(path: string, options: ReplayOptions): Promise<void> {
  const recorded = await readRun(path);
  const note = drawnNote(recorded, options.allowDrawn ?? false);
  const { axes, fixed } = splitSets(options.set);
  const scenario = parseScenario(setAll(replayScenario(recorded), fixed.map(parseSet)));
  const folder = documentFolder(`${scenario.name}-replay`, options);
  const evaluator = createEvaluator(options.workers);
  try {
    const swept = await sweep({
      scenario,
      digest: textDigest(canonicalJson(scenario)),
      axes,
      // Where nothing is drawn, every replication is the same.
      replications: drawnOf(recorded).drawn === 0 ? 1 : options.replications,
      evaluate: evaluator.evaluate,
      origin: {
        engine: 'sim',
        target: recorded.result.environment.target,
        simulated: recorded.result.environment.target !== 'endpoint',
      },
    });
    const notes = [...swept.notes, note, attemptsNote(recorded), measured(recorded.result)];
    const { document, text } = toldSweep({ ...swept, replay: drawnOf(recorded), notes }, scenario);
    await print(options.json === true ? stableJson(document) : text);
    if (folder === undefined) return;
    const { renderSweepPage } = await import('../report/sweep-page.ts');
    writeDocument(folder, document, await renderSweepPage(document), options);
  } finally {
    await evaluator.close();
  }
}

/** What the run itself measured, for the eye to compare. */
function measured({ rates, engine }: Result): string {
  const share = (figure: Parameters<typeof numberOf>[0]) => {
    const value = numberOf(figure);
    return value === null ? '-' : `${(100 * value).toFixed(1)} %`;
  };
  return `the run itself (${engine}): turned away ${share(rates.rejection)}, breach ${share(rates.breach)}, goodput ${share(rates.goodput)}`;
}
