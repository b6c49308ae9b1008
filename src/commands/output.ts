import { printable, UserError } from '../errors.ts';
import { stableJson } from '../result/json.ts';
import { resultTable } from '../result/table.ts';
import { crossedThresholds } from '../result/thresholds.ts';
import type { Result } from '../result/types.ts';
import type { OutputOptions } from './options.ts';

/** Writes to stdout what a terminal shows and does not obey; resolves when it has been taken. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => process.stdout.write(printable(text), () => resolve()));
}

/** A note to the user on stderr, which `--quiet` silences. */
export function note(text: string, options: Pick<OutputOptions, 'quiet'>): void {
  if (options.quiet !== true) process.stderr.write(`${printable(text)}\n`);
}

/** The result as JSON or as a table. */
export async function printResult(result: Result, { json }: OutputOptions): Promise<void> {
  await print(json === true ? stableJson(result) : `${resultTable(result)}${headlines(result)}`);
}

function headlines({ verdicts }: Result): string {
  const lines = verdicts.map(({ headline, evidence, first, commands }) => {
    const before = first === undefined ? '' : `  first: ${first}\n`;
    const todo = commands.map((command) => `  do: ${command}\n`);
    return `\n${headline}\n  ${evidence}\n${before}${todo.join('')}`;
  });
  return lines.join('');
}

/**
 * Ends a command whose run was not what it should be.
 * @throws UserError with exit code 1 for a run that cannot be trusted, 99 for a crossed threshold
 */
export function judge(result: Result): void {
  const { status, notes } = result.health;
  if (status !== 'ok') {
    throw new UserError(
      `the run is ${status}${notes.length > 0 ? `: ${notes.join('; ')}` : ''}`,
      1,
    );
  }
  const crossed = crossedThresholds(result);
  if (crossed.length > 0) throw new UserError(crossed.map(({ text }) => text).join('; '), 99);
}
