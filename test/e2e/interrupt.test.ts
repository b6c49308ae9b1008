import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, it, vi } from 'vitest';
import type { Result } from '../../src/result/types.ts';
import { isAlive, type Running, scratch, start, until } from './program.ts';

// Alone on two idle cores all of it takes seconds; beside other tests it may take a while.
vi.setConfig({ testTimeout: 90_000 });

const place = scratch();
afterAll(() => place.remove());

/** The processes that a run has started: stub, gate, and what bundled the scenario. */
function childrenOf(running: Running): number[] {
  const pids = execFileSync('ps', ['-o', 'pid=', '--ppid', String(running.child.pid)], {
    encoding: 'utf8',
  });
  return pids
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
}

/** A long run that has begun to send. */
async function longRun(folder: string): Promise<{ running: Running; parts: number[] }> {
  const argv = ['bench', 'smoke', '--duration', '60', '--rate', '20', '--out', folder];
  const running = start([...argv, '--burst', 'off']);
  const name = folder.split('/').at(-1) ?? '';
  const ledger = () => {
    const work = readdirSync(place.path('.')).find((each) => each.startsWith(`.${name}.`));
    const file = work === undefined ? '' : place.path(`${work}/client.jsonl`);
    return existsSync(file) && readFileSync(file, 'utf8').includes('"completed"')
      ? true
      : undefined;
  };
  await until('a first completion', ledger);
  return { running, parts: childrenOf(running) };
}

it('keeps on Ctrl-C what was measured, says so, and leaves no process behind', async () => {
  const folder = place.path('cut');
  const { running, parts } = await longRun(folder);
  expect(parts.length).toBeGreaterThanOrEqual(2);
  running.child.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/\nloadline: the run was cut short: interrupted\n$/);
  const result: Result = JSON.parse(readFileSync(`${folder}/result.json`, 'utf8'));
  expect(result.health.status).toBe('interrupted');
  expect(result.outcomes.completed).toBeGreaterThan(0);
  expect(existsSync(`${folder}/report.html`)).toBe(true);
  await until('the end of its parts', () => (parts.some(isAlive) ? undefined : true));
  expect(readdirSync(place.path('.'))).toEqual(['cut']);
}, 90_000);

it('takes its parts with it when it is killed', async () => {
  const { running, parts } = await longRun(place.path('killed'));
  expect(parts.length).toBeGreaterThanOrEqual(2);
  running.child.kill('SIGKILL');
  await running.ended;
  await until('the end of its parts', () => (parts.some(isAlive) ? undefined : true));
}, 90_000);

it('leaves no half of a folder behind on a second Ctrl-C', async () => {
  const { running, parts } = await longRun(place.path('twice'));
  // Two of one kind may arrive as one.
  running.child.kill('SIGINT');
  running.child.kill('SIGTERM');
  expect((await running.ended).code).toBe(130);
  await until('the end of its parts', () => (parts.some(isAlive) ? undefined : true));
  expect(readdirSync(place.path('.')).filter((name) => name.includes('twice'))).toEqual([]);
}, 90_000);

it('ends a live check of `tune` as it ends a run: what is known is told, and it is no success', async () => {
  const asked = ['smoke', '--param', 'gate.maxWaitS=.2,.4', '-n', '2', '--verify', 'live'];
  const argv = ['tune', ...asked, '--duration', '60', '--out', place.path('checked')];
  const running = start(argv);
  await until('a first setting', () => running.said().stderr.includes('setting 1') || undefined);
  const parts = await until('its parts', () => {
    const pids = childrenOf(running);
    return pids.length >= 2 ? pids : undefined;
  });
  running.child.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/\nloadline: .*interrupted/);
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  await until('the end of its parts', () => (parts.some(isAlive) ? undefined : true));
}, 90_000);
