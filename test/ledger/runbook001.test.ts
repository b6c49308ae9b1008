import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Input } from '../../src/admission/types.ts';
import {
  lastPerTask,
  Runbook001,
  restartPairs,
  type TaskEvent,
} from '../../src/ledger/runbook001.ts';
import { arrive, done, headerOf, record, S } from './gate-of-a-run.ts';

const GOLDEN = new URL(
  '../../../shared/golden/runbook-001-published-preempt.jsonl',
  import.meta.url,
);

function project(inputs: readonly [number, Input][], changes = {}): TaskEvent[] {
  const header = headerOf({
    taskBudgetTokens: 1000,
    maxPreempts: 2,
    queueAgeFraction: 0.5,
    ...changes,
  });
  const runbook = new Runbook001(header.config);
  return record(header, inputs).flatMap(({ line }) => runbook.take(line));
}

const preempted = (checkpointTokens: number): Input => ({
  type: 'preempted',
  id: 0,
  promptTokens: 800,
  outputTokens: 40,
  checkpointTokens,
});

it.skipIf(!existsSync(GOLDEN))('says the events and fields that the published script says', () => {
  const events = project([
    [0, arrive(0)],
    [0.1 * S, preempted(0)],
  ]);
  const golden: Record<string, unknown>[] = readFileSync(GOLDEN, 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(events.map(({ event }) => event)).toEqual(golden.map(({ event }) => event));
  // The script measures utilization by decree, and its task waits for nobody.
  const measured = ['gpu_util_lie', 'ts_ms', 'task_id', 'deadline_slack_ms'];
  for (const [i, event] of golden.entries()) {
    for (const name of measured) delete event[name];
    expect(events[i]).toMatchObject(event);
  }
});

it('writes a task that is too old as the queue_age of the runbook', () => {
  const events = project([
    [0, arrive(0)],
    [60 * S, preempted(0)],
  ]);
  const [reject] = events.filter(({ event }) => event === 'reject');
  expect(reject).toMatchObject({
    reason: 'queue_age',
    queue_age_ms: 60_000,
    deadline_slack_ms: 40_000,
  });
});

it('admits again what is replayed, with its checkpoint, and completes it', () => {
  const small: Input = {
    type: 'preempted',
    id: 0,
    promptTokens: 9,
    outputTokens: 40,
    checkpointTokens: 20,
  };
  const events = project([
    [0, arrive(0)],
    [S, small],
    [2 * S, { type: 'progress', id: 0, tokens: 60 }],
    [3 * S, done(0)],
  ]);
  expect(events.map(({ event }) => event)).toEqual([
    'admit',
    'checkpoint',
    'preempt',
    'admit',
    'complete',
  ]);
  expect(events.at(-1)).toMatchObject({ output_tokens: 60, restart_tokens: 29, ts_ms: 3000 });
  expect(events[3]).toMatchObject({ preempts: 1, queue_age_ms: 1000 });
});

it('tells the last event of each task, its action, and the pairs that the runbook asks for', () => {
  const events = project([
    [0, arrive(0)],
    [S, arrive(1)],
    [2 * S, preempted(0)],
  ]);
  expect(lastPerTask(events)).toEqual([
    { taskId: 'small-0000', action: 'drain', reason: 'restart_tokens', restartTokens: 840 },
    { taskId: 'small-0001', action: 'hold', reason: null, restartTokens: null },
  ]);
  expect(restartPairs(events)).toEqual([
    { taskId: 'small-0000', queueAgeMs: 2000, restartTokens: 840 },
    { taskId: 'small-0000', queueAgeMs: 2000, restartTokens: 840 },
  ]);
});
