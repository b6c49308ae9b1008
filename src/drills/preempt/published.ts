/** The published script of runbook 001 as its user runs it: its environment in, its ledger out. */
import { appendFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../commands/make-folder.ts';
import { UserError } from '../../errors.ts';
import {
  PUBLISHED_PREEMPT,
  type PublishedEvent,
  type PublishedPreemptOptions,
  publishedPreempt,
} from '../preempt-published.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The script sleeps so long after each tick of 20 tokens; here that time is virtual. */
const TICK_MS = 50;
const TICK_TOKENS = 20;
/** It is preempted after two ticks. */
const PREEMPT_AT_MS = 2 * TICK_MS;

/**
 * Reads the script's own variables.
 * @throws UserError naming the variable that is no number
 */
export function publishedOptions(env: Environment): PublishedPreemptOptions {
  const number = (name: string, otherwise: number): number => {
    const text = env[name] ?? '';
    const value = text.trim() === '' ? otherwise : Number(text);
    if (Number.isFinite(value)) return value;
    throw new UserError(`${name}: expected a number, got ${text}`);
  };
  return {
    deadlineMs: number('DEADLINE_MS', PUBLISHED_PREEMPT.deadlineMs),
    taskBudget: number('TASK_BUDGET', PUBLISHED_PREEMPT.taskBudget),
    queueAgeFraction: number('QUEUE_AGE_FRAC', PUBLISHED_PREEMPT.queueAgeFraction),
    restartFraction: number('RESTART_FRAC', PUBLISHED_PREEMPT.restartFraction),
    maxPreempts: number('MAX_PREEMPTS', PUBLISHED_PREEMPT.maxPreempts),
    simulatePreempt: env['SIMULATE_PREEMPT'] === '1',
  };
}

/** The events of the script, each with the `ts_ms` that it would have had if it began at `startMs`. */
export function playPublished(options: PublishedPreemptOptions, startMs: number): PublishedEvent[] {
  let asked = 0;
  const events = publishedPreempt(options, () => (asked++ === 0 ? 0 : PREEMPT_AT_MS));
  let atMs = 0;
  return events.map((event) => {
    atMs = Math.max(atMs, reachedMs(event));
    return { ...event, ts_ms: startMs + atMs };
  });
}

/** When the script says it, from its start: a tick's checkpoint comes before the tick's sleep. */
function reachedMs({
  event,
  checkpoint_tokens: tokens,
  output_tokens: made,
}: PublishedEvent): number {
  if (event === 'preempt') return PREEMPT_AT_MS;
  if (event === 'checkpoint') return (Number(tokens) / TICK_TOKENS - 1) * TICK_MS;
  return event === 'complete' ? (Number(made) / TICK_TOKENS) * TICK_MS : 0;
}

/** As Python's `json.dumps` writes it: a user may compare the two byte by byte. */
export function pythonJson(event: PublishedEvent): string {
  const fields = Object.entries(event).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{${fields.join(', ')}}`;
}

/**
 * Adds the lines to the ledger of the script, whose folder is made where it is missing.
 * @throws UserError where it cannot be written: evidence is never dropped in silence
 */
export function appendLedger(path: string, lines: readonly string[]): void {
  try {
    makeFolder(dirname(path));
    appendFileSync(path, lines.map((line) => `${line}\n`).join(''));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UserError(`LEDGER_PATH: expected a file that can be written, got ${path} (${code})`);
  }
}
