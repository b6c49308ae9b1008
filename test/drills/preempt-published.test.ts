import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import type { DrillOptions } from '../../src/drills/drill.ts';
import { drillText } from '../../src/drills/drill-text.ts';
import { playPublished, publishedOptions, pythonJson } from '../../src/drills/preempt/published.ts';
import { preemptDrill } from '../../src/drills/preempt.ts';

const GOLDEN = '../shared/golden';
const golden = existsSync(GOLDEN);
if (!golden) console.log(`skipped: what the published script prints is not at ${GOLDEN}`);

afterEach(() => vi.unstubAllEnvs());

const OPTIONS: DrillOptions = {
  as: 'published',
  mode: undefined,
  live: false,
  timeScale: undefined,
  seed: undefined,
  out: undefined,
  force: false,
  say: () => {},
};

const withoutStamps = (text: string) => text.replace(/, "ts_ms": \d+\}/g, '}');

it.runIf(golden).each([
  ['happy', ''],
  ['preempt', '1'],
])('prints the golden ledger byte for byte, time stamps apart: %s', async (name, simulate) => {
  vi.stubEnv('SIMULATE_PREEMPT', simulate);
  vi.stubEnv('DEADLINE_MS', '120000');
  vi.stubEnv('TASK_BUDGET', '1000');
  const report = await preemptDrill.run(OPTIONS);
  const expected = readFileSync(`${GOLDEN}/runbook-001-published-${name}.jsonl`, 'utf8');
  expect(withoutStamps(drillText(report))).toBe(expected);
});

it('adds what it prints to LEDGER_PATH, whose folder it makes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loadline-drill-'));
  try {
    const path = join(folder, 'lab', 'preempt_ledger.jsonl');
    vi.stubEnv('LEDGER_PATH', path);
    vi.stubEnv('SIMULATE_PREEMPT', '');
    await preemptDrill.run(OPTIONS);
    vi.stubEnv('SIMULATE_PREEMPT', '1');
    await preemptDrill.run(OPTIONS);
    const events = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event);
    expect(events).toEqual([
      ...['admit', 'checkpoint', 'checkpoint', 'complete'],
      ...['admit', 'preempt', 'reject', 'drain'],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('stamps each event with its place in the time of the script', () => {
  const options = publishedOptions({ SIMULATE_PREEMPT: '1', RESTART_FRAC: '9' });
  const events = playPublished(options, 1000);
  expect(events.map(({ event, ts_ms: at }) => `${event} ${at}`)).toEqual([
    'admit 1000',
    'preempt 1100',
    'admit 1100',
    ...['checkpoint 1200', 'checkpoint 1450'],
    'complete 1500',
  ]);
  expect(pythonJson({ event: 'admit', preempts: 1 })).toBe('{"event": "admit", "preempts": 1}');
});

it('names the variable that is no number', () => {
  expect(() => publishedOptions({ MAX_PREEMPTS: 'two' })).toThrow(
    'MAX_PREEMPTS: expected a number, got two',
  );
});
