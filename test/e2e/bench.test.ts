import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Result } from '../../src/result/types.ts';
import { type Ended, run, scratch } from './program.ts';

const KEY = 'sk-a-key-that-must-not-be-written';
// Alone on two idle cores all of it takes seconds; beside other tests it may take a while.
vi.setConfig({ testTimeout: 90_000 });

const place = scratch();
const folder = place.path('smoke');
let bench: Ended;
let result: Result;

beforeAll(async () => {
  bench = await run(['bench', 'smoke', '--out', folder, '--json', '--quiet'], {
    OPENAI_API_KEY: KEY,
  });
  result = JSON.parse(bench.stdout);
}, 90_000);
afterAll(() => place.remove());

const read = (name: string) => readFileSync(`${folder}/${name}`, 'utf8');

describe('a live run against the stub', () => {
  it('ends well, or says that this machine could not keep the schedule', () => {
    if (result.health.status === 'ok') expect(bench).toMatchObject({ code: 0, stderr: '' });
    else {
      expect(bench.code).toBe(1);
      expect(bench.stderr).toMatch(/^loadline: the run is generator-limited: [^\n]+\n$/);
    }
  });

  it('writes the whole folder and nothing beside it', () => {
    expect(readdirSync(folder).sort()).toEqual([
      'client.jsonl',
      'gate.jsonl',
      'report.html',
      'result.json',
      'scenario.json',
      'schedule.csv',
    ]);
    expect(readdirSync(place.path('.'))).toEqual(['smoke']);
    expect(read('result.json')).toBe(bench.stdout);
  });

  it('has each request in one bucket, and meets every part', () => {
    const { outcomes } = result;
    const count = (name: keyof Result['outcomes']) => outcomes[name] as number;
    expect(result).toMatchObject({ engine: 'live', environment: { target: 'stub' } });
    expect(count('offered')).toBe(result.schedule.count);
    expect(count('admitted')).toBe(
      count('completed') +
        count('expired') +
        count('failed') +
        count('abandoned') +
        count('killed') +
        count('censored'),
    );
    expect(count('completed')).toBeGreaterThan(20);
    expect(count('failed') + count('undecided') + count('unsent') + count('censored')).toBe(0);
    expect(result.utilization.slots).toBeGreaterThan(0.4);
    expect(result.utilization.busy).toBeGreaterThan(0.3);
    expect(result.waitS.max).toBeLessThan(0.3);
  });

  it('plays the arrivals that the simulator plays', async () => {
    const sim: Result = JSON.parse((await run(['sim', 'smoke', '--json'])).stdout);
    expect(sim.schedule).toEqual(result.schedule);
    expect(sim.scenario.digest).toBe(result.scenario.digest);
  });

  it('leaves evidence that replays and keeps the laws', async () => {
    const checked = await run(['check', folder]);
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(checked.stdout).toContain('smoke: ok (digest of');
    expect(checked.stdout).toContain('gate ledger replayed');
  });

  it('writes a key nowhere', () => {
    for (const name of readdirSync(folder)) expect(read(name)).not.toContain(KEY);
    expect(bench.stdout + bench.stderr).not.toContain(KEY);
  });

  it('has a page, which can be made again and published', async () => {
    expect(read('report.html')).toContain('STUB');
    const again = await run(['report', folder, '--out', place.path('again.html')]);
    expect(again).toMatchObject({ code: 0, stdout: `${place.path('again.html')}\n` });
    const site = await run(['publish', folder, '--out', place.path('site')]);
    expect(site.code).toBe(0);
    expect(existsSync(place.path('site/smoke.html'))).toBe(true);
    expect(readFileSync(place.path('site/index.html'), 'utf8')).toContain('smoke.html');
  }, 90_000);

  it('is not written over without --force', async () => {
    const before = read('result.json');
    const second = await run(['bench', 'smoke', '--out', folder]);
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(second.stderr).toMatch(/^loadline: [^\n]*--force[^\n]*\n$/);
    expect(read('result.json')).toBe(before);
  });
});

it('says the same bytes for the same seed in virtual time', async () => {
  const argv = ['sim', 'smoke', '--replications', '5', '--json'];
  const [first, second] = await Promise.all([run(argv), run(argv)]);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(second.stdout).toBe(first.stdout);
});

it('notices evidence that was tampered with', async () => {
  const forged = place.path('forged');
  const copied = await run(['sim', 'smoke', '--out', forged, '--quiet']);
  expect(copied.code).toBe(0);
  const { cpSync, writeFileSync } = await import('node:fs');
  cpSync(`${folder}/gate.jsonl`, `${forged}/gate.jsonl`);
  const lines = readFileSync(`${forged}/gate.jsonl`, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes('"type":"queued"'));
  lines.splice(at, 1);
  writeFileSync(`${forged}/gate.jsonl`, lines.join('\n'));
  const checked = await run(['check', forged]);
  expect(checked.code).toBe(1);
  expect(checked.stdout).toContain('law 5');
});
