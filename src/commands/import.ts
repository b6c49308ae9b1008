import { existsSync, readFileSync, statSync } from 'node:fs';
import { Argument, Command } from 'commander';
import { buildSchedule } from '../arrivals/build.ts';
import type { Schedule } from '../arrivals/schedule.ts';
import { backwardsIn, backwardsNotes } from '../engine/k6/backwards.ts';
import { scenarioInBundle } from '../engine/k6/bundle.ts';
import { clientLines } from '../engine/k6/ledger-lines.ts';
import { type K6Output, readK6Output } from '../engine/k6/output.ts';
import { paceOf, sayRows } from '../engine/k6/rows.ts';
import { UserError } from '../errors.ts';
import { openLedger } from '../ledger/codec.ts';
import { scheduleDigest } from '../ledger/digest.ts';
import { joinLedgers } from '../ledger/join.ts';
import { LEDGER_VERSION } from '../ledger/lines.ts';
import { createLedgerWriter } from '../ledger/writer.ts';
import { createFold, type Fold } from '../result/fold.ts';
import type { Environment, Result } from '../result/types.ts';
import { parseScenario } from '../scenario/schema.ts';
import { parseSet, setAll } from '../scenario/set.ts';
import type { Scenario } from '../scenario/types.ts';
import { gateOffsetUs } from './gate-offset.ts';
import {
  type OutputOptions,
  type ScenarioOptions,
  withOutputOptions,
  withScenarioOptions,
} from './options.ts';
import { judge, note, printResult } from './output.ts';
import { scenarioFrom } from './resolve.ts';
import { newRunPath, openRunFolder, type RunFolder } from './run-folder.ts';
import { sealsOf } from './seals.ts';
import { identity } from './simulate.ts';
import { version } from './version.ts';

interface ImportOptions extends ScenarioOptions, OutputOptions {
  readonly scenario?: string;
  readonly gate?: string;
}

/** `loadline import`: what k6 wrote, as a run of ours. */
export function importCommand(): Command {
  const command = new Command('import')
    .description('make a run, its result and its page from what k6 wrote')
    .addArgument(new Argument('<format>', 'of the files').choices(['k6']))
    .addArgument(
      new Argument('<file...>', 'k6 run --out json=…, plain or gzipped, of every instance'),
    )
    .option(
      '-s, --scenario <file>',
      'the bundle that k6 ran, or the scenario that it was made from',
    )
    .option(
      '--gate <file>',
      "the gate's ledger of the same run: queue and leases by its authority",
    );
  return withOutputOptions(withScenarioOptions(command), 'folder').action(
    (_format: string, files: readonly string[], options: ImportOptions) => run(files, options),
  );
}

async function run(files: readonly string[], options: ImportOptions): Promise<void> {
  const scenario = await scenarioOf(options);
  const schedule = buildSchedule(scenario);
  const folder = openRunFolder(options.out ?? newRunPath(scenario.name), options.force ?? false);
  const output = await readK6Output(files);
  refuseOther(output, scenario, schedule);
  const notes = notesOf(output, schedule, files);
  for (const text of notes) note(`note: ${text}`, options);
  try {
    const result = await resultOf(output, scenario, schedule, folder, notes, options);
    const page = await folder.finish(result, schedule);
    await printResult(result, options);
    note(`page: ${page}`, options);
    judge(result);
  } finally {
    folder.abandon();
  }
}

/** From the bundle itself, so that the command needs nothing else; or from a scenario. */
async function scenarioOf(options: ImportOptions): Promise<Scenario> {
  const path = options.scenario;
  if (path === undefined) {
    throw new UserError('--scenario: expected the bundle that k6 ran, or its scenario, got none');
  }
  const isFile = path.endsWith('.js') && existsSync(path) && statSync(path).isFile();
  const inBundle = isFile ? scenarioInBundle(readFileSync(path, 'utf8')) : undefined;
  if (inBundle === undefined) return scenarioFrom(path, options);
  return parseScenario(setAll(inBundle, options.set.map(parseSet)));
}

function refuseOther({ schedules }: K6Output, scenario: Scenario, schedule: Schedule): void {
  const { digest } = identity(scenario, schedule).schedule;
  const other = [...schedules].find((each) => each !== digest);
  if (other === undefined) return;
  throw new UserError(
    `--scenario: expected the scenario of schedule ${other.slice(0, 12)}, as the output says, got ${digest.slice(0, 12)} (another seed, or another change by flags?)`,
  );
}

/** More than this apart, and the instances had no epoch in common. */
const EPOCH_SPREAD_MS = 1000;
const SHOWN = 8;

function notesOf(output: K6Output, { arrivals }: Schedule, files: readonly string[]): string[] {
  const { facts, sentUs, duplicates, epochSpreadMs, torn } = output;
  const missing = arrivals.filter(({ seq }) => !facts.has(seq)).map(({ seq }) => seq);
  const sent = missing.filter((seq) => sentUs.has(seq)).length;
  return [
    ...(missing.length === 0
      ? []
      : [
          `${missing.length} of ${arrivals.length} arrivals have no end in it (${shown(missing)}); ${sent} were sent`,
        ]),
    ...(duplicates.length === 0
      ? []
      : [`${duplicates.length} arrivals ended twice (${shown(duplicates)}); the first counts`]),
    ...backwardsNotes(backwardsIn(facts, arrivals), arrivals.length),
    ...(torn === 0 ? [] : [`${torn} of ${files.length} files end in a line that was cut off`]),
    ...(epochSpreadMs <= EPOCH_SPREAD_MS
      ? []
      : [
          `the instances began ${(epochSpreadMs / 1000).toFixed(1)} s apart: was LOADLINE_EPOCH_MS set?`,
        ]),
  ];
}

function shown(seqs: readonly number[]): string {
  const first = seqs.slice(0, SHOWN).join(' ');
  return seqs.length > SHOWN ? `${first} …` : first;
}

async function resultOf(
  output: K6Output,
  scenario: Scenario,
  schedule: Schedule,
  folder: RunFolder,
  notes: readonly string[],
  options: ImportOptions,
): Promise<Result> {
  const offsetUs = options.gate === undefined ? 0 : await gateOffsetUs(options.gate, output.sentUs);
  writeClientLedger(output, schedule, folder, offsetUs);
  const fold = createFold(scenario, { detail: 'full' });
  await tell(output, scenario, schedule, folder, fold, options.gate);
  const gateLedger = options.gate === undefined ? [] : ['gate.jsonl'];
  return fold.finish({
    engine: 'k6',
    ...identity(scenario, schedule),
    timeScale: 1,
    pace: paceOf(output, schedule.arrivals),
    environment: {
      ...environmentOf(output, notes),
      ledgers: await sealsOf(folder, ['client.jsonl', ...gateLedger], schedule),
    },
    notes,
  });
}

function writeClientLedger(
  output: K6Output,
  schedule: Schedule,
  folder: RunFolder,
  offsetUs: number,
): void {
  const digest = scheduleDigest(schedule);
  const header = {
    ledger: 'client',
    schemaVersion: LEDGER_VERSION,
    scheduleDigest: digest,
    offsetUs,
  } as const;
  const file = folder.file('client.jsonl');
  const writer = createLedgerWriter<'client'>(file, header, { onError: () => {} });
  for (const line of clientLines(output, schedule.arrivals)) writer.append(line);
  if (!writer.close()) throw new UserError(`${file}: expected to write it, got a full disk`, 1);
}

async function tell(
  output: K6Output,
  scenario: Scenario,
  { arrivals }: Schedule,
  folder: RunFolder,
  fold: Fold,
  gate: string | undefined,
): Promise<void> {
  if (gate === undefined) {
    sayRows(output, arrivals, scenario, fold);
    return;
  }
  folder.put('gate.jsonl', readFileSync(gate, 'utf8'));
  await joinLedgers(
    {
      client: await openLedger('client', folder.file('client.jsonl')),
      gate: await openLedger('gate', gate),
      arrivals,
    },
    fold,
  );
}

function environmentOf({ epochMs }: K6Output, notes: readonly string[]): Environment {
  return {
    target: 'endpoint',
    endpoint: null,
    model: null,
    direct: false,
    loadline: version,
    node: null,
    cpus: null,
    startedAt: epochMs === null ? null : new Date(Math.round(epochMs)).toISOString(),
    notes: ['played by k6, one attempt for each arrival', ...notes],
  };
}
