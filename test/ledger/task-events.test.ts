import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Input } from '../../src/admission/types.ts';
import { followLedger, tasksTable } from '../../src/commands/ledger.ts';
import { lastPerTask, restartPairs, type TaskEvent } from '../../src/ledger/runbook001.ts';
import { TaskLines } from '../../src/ledger/task-events.ts';
import { openLineWriter } from '../../src/ledger/writer.ts';
import { arrive, headerOf, record, S } from './gate-of-a-run.ts';

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loadline-tasks-'));
  path = join(folder, 'preempt_ledger.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const ADMIT = '{"event": "admit", "task_id": "a", "queue_age_ms": 3, "preempts": 0}\n';
const REJECT =
  '{"event": "reject", "reason": "restart_tokens", "task_id": "a", "restart_tokens": 840}\n';
const DRAIN = '{"event": "drain", "task_id": "a", "action": "fail_task_not_replay"}\n';

function read(text: string) {
  const lines = new TaskLines('ledger');
  const events = [...lines.push(text), ...lines.end()];
  return { events, torn: lines.torn };
}

it('counts torn lines and keeps what stands around them', () => {
  const { events, torn } = read(`${ADMIT}{"event": "pre\n${REJECT}{"event": "dr`);
  expect(events.map(({ event }) => event)).toEqual(['admit', 'reject']);
  expect(torn).toBe(2);
});

it('takes a whole last line that lacks its end, and lines in any pieces', () => {
  const lines = new TaskLines('ledger');
  const events = [...(ADMIT + REJECT + DRAIN.trim())].flatMap((letter) => lines.push(letter));
  events.push(...lines.end());
  expect(lastPerTask(events)).toEqual([
    { taskId: 'a', action: 'drain', reason: 'restart_tokens', restartTokens: 840 },
  ]);
  expect(lines.torn).toBe(0);
});

it('reads the ledger of a gate as the same events', () => {
  const preempted = { type: 'preempted', id: 0, promptTokens: 800, outputTokens: 40 } as const;
  const header = headerOf({ taskBudgetTokens: 1000, restartFraction: 0.2 });
  const inputs: [number, Input][] = [
    [0, arrive(0)],
    [0.1 * S, { ...preempted, checkpointTokens: 0 }],
  ];
  const text = [header, ...record(header, inputs).map(({ line }) => line)]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
  const { events } = read(text);
  expect(events.map(({ event }) => event)).toEqual(['admit', 'preempt', 'reject', 'drain']);
  expect(restartPairs(events).at(-1)?.restartTokens).toBe(840);
});

it('says where something else stands', () => {
  expect(() => read(`${ADMIT}{"t":1,"in":{}}\n`)).toThrow(
    /^ledger:2: expected an event of runbook 001 or a line of a gate's ledger, got \{"t":1/,
  );
});

it('goes on behind a line that was torn, so that no line becomes a part of it', () => {
  writeFileSync(path, `${ADMIT}{"event": "pre`);
  const onError = (error: Error) => {
    throw error;
  };
  const encode = (text: string) => text;
  for (const text of [REJECT, DRAIN]) {
    const writer = openLineWriter<string>(path, encode, { onError, flags: 'a' });
    writer.append(text);
    writer.close();
  }
  const { events, torn } = read(readFileSync(path, 'utf8'));
  expect(events.map(({ event }) => event)).toEqual(['admit', 'reject', 'drain']);
  expect(torn).toBe(1);
});

it('tells a task that is done from one at work, and counts what became of all', () => {
  const event = (task_id: string, of: TaskEvent['event']): TaskEvent => ({
    ...{ event: of, task_id, ts_ms: 0 },
    ...(of === 'reject' ? { reason: 'max_wait' } : {}),
  });
  const events = [
    ...[event('a', 'admit'), event('a', 'complete'), event('b', 'admit')],
    ...[event('c', 'reject'), event('d', 'reject')],
  ];
  const text = tasksTable(lastPerTask(events));
  expect(
    text
      .split('\n')
      .slice(1, 4)
      .map((line) => line.split(/ +/).slice(0, 3)),
  ).toEqual([
    ['a', 'done', '-'],
    ['b', 'hold', '-'],
    ['c', 'reject', 'max_wait'],
  ]);
  expect(text).toMatch(/\n4 tasks: 1 done, 1 hold, 2 reject \(max_wait 2\)\n$/);
});

it('follows a ledger as it grows: the consequence of each event', async () => {
  writeFileSync(path, ADMIT);
  const said: string[] = [];
  const stop = new AbortController();
  const following = followLedger(path, {}, stop.signal, (text) => {
    said.push(text);
    if (said.length === 1) appendFileSync(path, REJECT + DRAIN.slice(0, 20));
    if (said.length === 2) appendFileSync(path, DRAIN.slice(20));
    if (said.length === 3) stop.abort();
  });
  await following;
  expect(said).toEqual([
    'a hold - -\n',
    'a reject restart_tokens 840\n',
    'a drain restart_tokens 840\n',
  ]);
});
