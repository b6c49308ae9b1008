import { closeSync, createReadStream, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { Argument, Command } from 'commander';
import { UserError } from '../errors.ts';
import {
  lastPerTask,
  type RestartPair,
  restartPairs,
  type TaskAction,
  type TaskEvent,
} from '../ledger/runbook001.ts';
import { TaskLines } from '../ledger/task-events.ts';
import { stableJson } from '../result/json.ts';
import { textTable } from '../tune/text-table.ts';
import { counted } from './counted.ts';
import { note, print } from './output.ts';
import { interruptSignal } from './signals.ts';

interface LedgerOptions {
  readonly follow?: boolean;
  readonly csv?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const POLL_MS = 100;
const CHUNK_BYTES = 64 * 1024;
const CSV_HEAD = 'queue_age_ms,restart_tokens\n';

const EXAMPLES = `
A gateway that runs with LEDGER_PATH set writes the events of runbook 001 there; every run of
bench has them in its gate.jsonl. The action is that of a task's last event:

  done    served to its end
  hold    still at work: leave it
  reject  turned away: at the door (queue_age, slack), or out of the queue (max_wait)
  drain   given up after it was let in; the reason says why

The last line counts them.

  npx loadline ledger runs/NAME                   a run's tasks
  LEDGER_PATH=tasks.jsonl npx loadline ledger -f  those of a gateway, as they come
  npx loadline ledger tasks.jsonl --csv           queue age against restart tokens`;

/** `loadline ledger`: what runbook 001 reads from its ledger, "not from dashboards". */
export function ledgerCommand(): Command {
  return new Command('ledger')
    .description(
      'read a ledger of tasks: what became of each, done, hold, reject or drain, and why',
    )
    .addArgument(
      new Argument(
        '[file]',
        'events of runbook 001, a gate.jsonl, or the folder of a run; otherwise LEDGER_PATH',
      ),
    )
    .option('-f, --follow', 'go on as the ledger grows, a line for each event, until interrupted')
    .option('--csv', 'pairs of queue_age_ms and restart_tokens instead')
    .option('--json', 'print tasks, pairs and torn lines as JSON')
    .option('-q, --quiet', 'no notes on stderr')
    .addHelpText('after', EXAMPLES)
    .action(run);
}

async function run(file: string | undefined, options: LedgerOptions): Promise<void> {
  const given = file ?? (process.env['LEDGER_PATH'] || undefined);
  const path = given === undefined ? undefined : fileIn(given);
  if (path === undefined) {
    throw new UserError('ledger: expected a file, or LEDGER_PATH in the environment, got neither');
  }
  if (options.follow !== true) return readWhole(path, options);
  const interrupt = interruptSignal();
  try {
    await followLedger(path, options, interrupt.signal, print);
  } finally {
    interrupt.release();
  }
}

/** Of the folder of a run its gate's ledger. */
function fileIn(path: string): string {
  const own = join(path, 'gate.jsonl');
  if (!existsSync(path) || !statSync(path).isDirectory()) return path;
  if (existsSync(own)) return own;
  throw new UserError(
    `${path}: expected a ledger, or the folder of a run with a gate.jsonl in it, got a folder without one`,
  );
}

async function readWhole(path: string, options: LedgerOptions): Promise<void> {
  const lines = new TaskLines(path);
  const events = await eventsOf(path, lines);
  const tasks = lastPerTask(events);
  if (options.json === true) {
    await print(stableJson({ tasks, pairs: restartPairs(events), torn: lines.torn }));
  } else if (options.csv === true) {
    await print(CSV_HEAD + restartPairs(events).map(pairText).join(''));
  } else await print(tasksTable(tasks));
  note(
    `${path}: ${counted(events.length, 'event')}, ${counted(tasks.length, 'task')}, ${counted(lines.torn, 'torn line')}`,
    options,
  );
}

async function eventsOf(path: string, lines: TaskLines): Promise<TaskEvent[]> {
  const events: TaskEvent[] = [];
  try {
    for await (const chunk of createReadStream(path, 'utf8')) events.push(...lines.push(chunk));
  } catch (error) {
    throw readError(path, error);
  }
  events.push(...lines.end());
  return events;
}

function readError(path: string, error: unknown): unknown {
  if (error instanceof UserError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new UserError(`${path}: expected a ledger that can be read, got ${code}`);
}

/** What became of each task, then how many of each. */
export function tasksTable(tasks: readonly TaskAction[]): string {
  const rows = tasks.map(({ taskId, action, reason, restartTokens }) => [
    taskId,
    action,
    reason ?? '-',
    restartTokens === null ? '-' : String(restartTokens),
  ]);
  return `${textTable([['task', 'action', 'reason', 'restart tokens'], ...rows])}${countsLine(tasks)}`;
}

/** `318 tasks: 254 done, 64 reject (max_wait 64)`. */
function countsLine(tasks: readonly TaskAction[]): string {
  const counts = (['done', 'hold', 'reject', 'drain'] as const).flatMap((action) => {
    const of = tasks.filter((task) => task.action === action);
    return of.length === 0 ? [] : [`${of.length} ${action}${reasonsText(of)}`];
  });
  return `${counted(tasks.length, 'task')}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}\n`;
}

function reasonsText(tasks: readonly TaskAction[]): string {
  const counts = new Map<string, number>();
  for (const { reason } of tasks) {
    if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const texts = [...counts].map(([reason, count]) => `${reason} ${count}`);
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}

function pairText({ queueAgeMs, restartTokens }: RestartPair): string {
  return `${queueAgeMs ?? ''},${restartTokens}\n`;
}

/**
 * Says each event's consequence as it is written, until `signal` is aborted.
 * @throws UserError where the file cannot be read
 */
export async function followLedger(
  path: string,
  { csv = false, json = false }: LedgerOptions,
  signal: AbortSignal,
  say: (text: string) => Promise<void> | void,
): Promise<void> {
  const lines = new TaskLines(path);
  const open = new OpenTasks();
  if (csv) await say(CSV_HEAD);
  for await (const text of growing(path, signal)) {
    for (const event of lines.push(text)) {
      const said = open.after(event, csv, json);
      if (said !== undefined) await say(said);
    }
  }
}

/** The events of tasks that may still have more: what a reason or an age is carried on from. */
class OpenTasks {
  private readonly events = new Map<string, TaskEvent[]>();

  after(event: TaskEvent, csv: boolean, json: boolean): string | undefined {
    const all = [...(this.events.get(event.task_id) ?? []), event];
    const isLast = event.event === 'complete' || event.event === 'drain';
    if (isLast) this.events.delete(event.task_id);
    else this.events.set(event.task_id, all);
    if (csv) return event.restart_tokens === undefined ? undefined : lastPair(all);
    const [task] = lastPerTask(all);
    if (task === undefined) return undefined;
    return json ? `${JSON.stringify(task)}\n` : taskLine(task);
  }
}

function lastPair(events: readonly TaskEvent[]): string | undefined {
  const pair = restartPairs(events).at(-1);
  return pair && pairText(pair);
}

function taskLine({ taskId, action, reason, restartTokens }: TaskAction): string {
  return `${taskId} ${action} ${reason ?? '-'} ${restartTokens ?? '-'}\n`;
}

async function* growing(path: string, signal: AbortSignal): AsyncGenerator<string> {
  const fd = opened(path);
  const decoder = new StringDecoder('utf8');
  const buffer = Buffer.alloc(CHUNK_BYTES);
  try {
    while (!signal.aborted) {
      const size = readSync(fd, buffer);
      if (size > 0) yield decoder.write(buffer.subarray(0, size));
      else await pause(signal);
    }
  } finally {
    closeSync(fd);
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw readError(path, error);
  }
}

/** Ends early where nobody waits any more. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(wake, POLL_MS);
    signal.addEventListener('abort', wake, { once: true });
    function wake() {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    }
  });
}
