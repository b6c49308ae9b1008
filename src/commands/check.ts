import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command } from 'commander';
import { UserError } from '../errors.ts';
import { openLedger } from '../ledger/codec.ts';
import { joinLedgers } from '../ledger/join.ts';
import { checkDigest, checkGate, createRowLaws, type Violation } from '../ledger/laws.ts';
import { readScheduleCsv } from '../ledger/schedule-csv.ts';
import { stableJson } from '../result/json.ts';
import { print } from './output.ts';
import { type ReadRun, readRun } from './read-run.ts';

/** What was looked at in one run, and what was found. */
export interface CheckedRun {
  readonly run: string;
  /** Evidence that the run has. */
  readonly checked: readonly string[];
  readonly violations: readonly Violation[];
}

/** `loadline check`: do the laws hold on the evidence of a run, and does its gate's ledger replay? */
export function checkCommand(): Command {
  return new Command('check')
    .description('check the laws on the evidence of runs, and replay the ledgers of their gates')
    .addArgument(new Argument('<run...>', 'folders of runs'))
    .option('--json', 'print what was found as JSON')
    .action(run);
}

async function run(paths: readonly string[], { json }: { json?: boolean }): Promise<void> {
  const checked: CheckedRun[] = [];
  for (const path of paths) checked.push(await checkRun(readRun(path)));
  await print(json === true ? stableJson(checked) : checked.map(textOf).join(''));
  const count = checked.reduce((sum, { violations }) => sum + violations.length, 0);
  if (count > 0) throw new UserError(`${count} violations of the laws`, 1);
}

/** Checks whatever evidence a run has: its schedule, its gate's ledger, both ledgers joined. */
export async function checkRun({ name, folder, result }: ReadRun): Promise<CheckedRun> {
  const file = (of: string) => join(folder, of);
  const checked: string[] = [];
  const violations: Violation[] = [];
  if (!existsSync(file('schedule.csv'))) return { run: name, checked, violations };
  const arrivals = readScheduleCsv(readFileSync(file('schedule.csv'), 'utf8'));
  checked.push(`digest of ${arrivals.length} arrivals`);
  violations.push(...checkDigest(arrivals, result.schedule.digest));
  const hasGate = existsSync(file('gate.jsonl'));
  if (hasGate) {
    const gate = await openLedger('gate', file('gate.jsonl'));
    violations.push(...(await checkGate(gate.header, gate.lines)));
    checked.push('gate ledger replayed');
  }
  if (existsSync(file('client.jsonl'))) {
    const laws = createRowLaws();
    await joinLedgers(
      {
        client: await openLedger('client', file('client.jsonl')),
        gate: hasGate ? await openLedger('gate', file('gate.jsonl')) : null,
        arrivals,
      },
      laws,
    );
    violations.push(...laws.end(arrivals.length));
    checked.push('every request in one bucket');
  }
  return { run: name, checked, violations };
}

function textOf({ run: name, checked, violations }: CheckedRun): string {
  const verdict = violations.length === 0 ? 'ok' : `${violations.length} violations`;
  const what = checked.length === 0 ? 'nothing to check' : checked.join(', ');
  const lines = violations.map(
    ({ law, name: text, evidence }) => `  law ${law}, ${text}: ${evidence}\n`,
  );
  return `${name}: ${verdict} (${what})\n${lines.join('')}`;
}
