import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { UserError } from '../errors.ts';
import { checkClient } from '../ledger/client-laws.ts';
import { openLedger } from '../ledger/codec.ts';
import { joinLedgers } from '../ledger/join.ts';
import {
  checkDigest,
  checkGate,
  createRowLaws,
  type Violation,
  Violations,
} from '../ledger/laws.ts';
import type { Scheduled } from '../ledger/schedule-csv.ts';
import { stableJson } from '../result/json.ts';
import type { Result } from '../result/types.ts';
import { clientConfig } from '../scenario/machines.ts';
import { checkResult, checkWritten, foldAgain, tee } from './check-result.ts';
import { checkSimulated } from './check-simulated.ts';
import { counted } from './counted.ts';
import { print } from './output.ts';
import { type ReadRun, readRun } from './read-run.ts';

/** What was looked at in one run, and what was found. */
export interface CheckedRun {
  readonly run: string;
  /** Evidence that the run has. */
  readonly checked: readonly string[];
  /** Why something that is usually looked at was not. */
  readonly notes: readonly string[];
  readonly violations: readonly Violation[];
}

type Found = Omit<CheckedRun, 'run'>;

/** `loadline check`: do the laws hold on the evidence of a run, and do its ledgers replay? */
export function checkCommand(): Command {
  return new Command('check')
    .description('check the laws on the evidence of runs, and replay their ledgers')
    .addArgument(new Argument('<run...>', 'folders of runs'))
    .option('--json', 'print what was found as JSON')
    .action(run);
}

async function run(paths: readonly string[], { json }: { json?: boolean }): Promise<void> {
  const checked: CheckedRun[] = [];
  for (const path of paths) checked.push(await checkRun(readRun(path)));
  await print(json === true ? stableJson(checked) : checked.map(textOf).join(''));
  const count = checked.reduce((sum, { violations }) => sum + violations.length, 0);
  if (count > 0) throw new UserError(`${violationsText(count)} of the laws`, 1);
}

/** Checks whatever evidence a run has: its schedule, each of its ledgers, both of them joined; a simulation by another. */
export async function checkRun({ name, folder, result }: ReadRun): Promise<CheckedRun> {
  const found = await checkEvidence(folder, result);
  // What is not the run's own scenario or schedule gives another run.
  const isSimulated = result.engine === 'sim' && found.violations.length === 0;
  return { run: name, ...(isSimulated ? withSimulation(found, result) : found) };
}

function withSimulation(found: Found, result: Result): Found {
  const again = checkSimulated(result);
  return 'notAgain' in again
    ? { ...found, notes: [...found.notes, `not simulated again: ${again.notAgain}`] }
    : { ...found, checked: [...found.checked, SIMULATED], violations: again.violations };
}

/** What a run left behind, without another simulation. */
export async function checkEvidence(folder: string, result: Result): Promise<Found> {
  const notes: string[] = [];
  const file = (of: string) => join(folder, of);
  const { arrivals, hasSchedule, violations: found } = await checkWritten(result, folder);
  if (!hasSchedule) return { checked: [], notes, violations: found };
  const checked = [`digest of ${counted(arrivals.length, 'arrival')}`];
  if (arrivals.length === 0 && found.length > 0) return { checked, notes, violations: found };
  const violations = [...found];
  checked.push('scenario and seed');
  if (existsSync(file('gate.jsonl'))) {
    violations.push(
      ...(await readable(violations, () => checkGateway(result, file('gate.jsonl')))),
    );
    checked.push('gate ledger replayed');
  }
  if (result.engine === 'live' && existsSync(file('client.jsonl'))) {
    violations.push(
      ...(await readable(violations, () => checkCallers(result, arrivals, file('client.jsonl')))),
    );
    checked.push('client ledger replayed');
  }
  // What a broken ledger says cannot be joined to anything.
  if (violations.length > 0 || !existsSync(file('client.jsonl'))) {
    return { checked, notes, violations };
  }
  const joined = await checkJoined(result, arrivals, folder);
  return {
    notes,
    checked: [...checked, 'every request in one bucket', ...joined.checked],
    violations: joined.violations,
  };
}

/** A ledger that is not what the run wrote may not even be read: that is found, not an error of the user. */
async function readable(
  before: readonly Violation[],
  check: () => Promise<Violation[]>,
): Promise<Violation[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof UserError) || before.length === 0) throw error;
    const violations = new Violations();
    violations.add(5, error.message);
    return violations.found;
  }
}

async function checkGateway(result: Result, path: string): Promise<Violation[]> {
  const gate = await openLedger('gate', path);
  return checkGate(gate.header, gate.lines, { whole: isWhole(result) });
}

/** A run that came to its end, whose parts had the time to write all that they saw. */
function isWhole({ engine, health }: Result): boolean {
  return engine === 'live' && health.status !== 'interrupted';
}

/** The client's ledger by itself: k6 writes none that its machine could say again. */
async function checkCallers(
  result: Result,
  arrivals: readonly Scheduled[],
  path: string,
): Promise<Violation[]> {
  const { header, lines } = await openLedger('client', path);
  const config = clientConfig(result.scenario.resolved);
  return [
    ...checkDigest(arrivals, header.scheduleDigest),
    ...(await checkClient(config, lines, arrivals, { whole: isWhole(result) })),
  ];
}

/** Both ledgers as rows: the laws on them, and where it is a run of ours, its result once more. */
async function checkJoined(
  result: Result,
  arrivals: readonly Scheduled[],
  folder: string,
): Promise<Pick<CheckedRun, 'checked' | 'violations'>> {
  const gate = join(folder, 'gate.jsonl');
  const laws = createRowLaws();
  const fold = foldAgain(result);
  const joined = await joinLedgers(
    {
      client: await openLedger('client', join(folder, 'client.jsonl')),
      gate: existsSync(gate) ? await openLedger('gate', gate) : null,
      arrivals,
    },
    tee(laws, fold),
  );
  const violations = laws.end(arrivals.length);
  if (result.engine !== 'live') return { checked: [], violations };
  return {
    checked: [FOLDED],
    violations: [...violations, ...checkResult(result, fold, joined)],
  };
}

function violationsText(count: number): string {
  return counted(count, 'violation');
}

function textOf({ run: name, checked, notes, violations }: CheckedRun): string {
  const verdict = violations.length === 0 ? 'ok' : violationsText(violations.length);
  const what =
    checked.length === 0 ? 'nothing to check' : `${checked.join(', ')}${besides(checked)}`;
  const lines = violations.map(
    ({ law, name: text, evidence }) => `  law ${law}, ${text}: ${evidence}\n`,
  );
  const asides = notes.map((note) => `  ${note}\n`);
  return `${name}: ${verdict} (${what})\n${[...asides, ...lines].join('')}`;
}

const FOLDED = 'result folded again';
const SIMULATED = 'simulated again';

/** Who reads "ok" has to know of what. */
function besides(checked: readonly string[]): string {
  const isFigured = checked.includes(FOLDED) || checked.includes(SIMULATED);
  const figures = isFigured ? '' : 'figures, ';
  return `; not checked: ${figures}verdicts, lossSplit, health.notes, environment, report.html`;
}
