import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import {
  attemptsNote,
  drawnNote,
  drawnOf,
  fittedScenario,
  replayScenario,
} from '../../src/commands/learned.ts';
import { type RecordedRun, readRun } from '../../src/commands/recorded-run.ts';
import { simulateResult } from '../../src/commands/simulate.ts';
import { writeScheduleCsv } from '../../src/ledger/schedule-csv.ts';
import { stableJson } from '../../src/result/json.ts';
import type { Result } from '../../src/result/types.ts';
import type { Scenario } from '../../src/scenario/types.ts';
import { smallRush } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'loadline-replay-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scenario = smallRush();
const { arrivals } = buildSchedule(scenario);

function runFolder(name: string): { path: string; write: (file: string, text: string) => void } {
  const path = join(folder, name);
  mkdirSync(path);
  return { path, write: (file, text) => writeFileSync(join(path, file), text) };
}

const known = (serviceUs: RecordedRun['serviceUs']) => ({
  serviceUs,
  served: serviceUs.size,
  knownFrom: 'observed' as const,
});

/** A run in which the first `unknown` requests were never served. */
function lostTo(fate: string, n: number, failedBy: Record<string, number> = {}): Result {
  const outcomes = { offered: arrivals.length, [fate]: n };
  return { outcomes, failedBy } as never;
}

function runWith(unknown: number): RecordedRun {
  const served = arrivals.slice(unknown);
  const serviceUs = new Map(served.map(({ seq, demand }) => [seq, demand.serviceUs]));
  return {
    path: 'run',
    scenario,
    result: lostTo('rejected', unknown),
    arrivals,
    ...known(serviceUs),
  };
}

async function simulatedRun(name: string, of: Scenario, result: Result): Promise<RecordedRun> {
  const { path, write } = runFolder(name);
  write('result.json', stableJson(result));
  write('scenario.json', stableJson(of));
  write('schedule.csv', writeScheduleCsv(buildSchedule(of).arrivals));
  return readRun(path);
}

describe('a replay', () => {
  it('plays the recorded arrivals with the services that were observed', () => {
    const again = buildSchedule(replayScenario(runWith(0)), 99).arrivals;
    expect(again.map(({ atUs, demand }) => [atUs, demand.serviceUs])).toEqual(
      arrivals.map(({ atUs, demand }) => [atUs, demand.serviceUs]),
    );
    expect(again.some(({ drawn }) => drawn === true)).toBe(false);
  });

  it('draws what was refused from what was observed, and says how much', () => {
    const run = runWith(10);
    const observed = new Set(run.serviceUs.values());
    const again = buildSchedule(replayScenario(run)).arrivals;
    const drawn = again.filter((arrival) => arrival.drawn === true);
    expect(drawn.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(drawn.every(({ demand }) => observed.has(demand.serviceUs))).toBe(true);
    expect(drawnOf(run).share).toBeCloseTo(10 / arrivals.length);
    expect(drawnNote(run, false)).toContain(`10 of ${arrivals.length}`);
  });

  it('refuses to draw more than a fifth, unless allowed', () => {
    const run = runWith(Math.ceil(arrivals.length * 0.3));
    expect(() => drawnNote(run, false)).toThrow(/at most 20 % of drawn demand, got 3/);
    expect(drawnNote(run, true)).toContain('is drawn from');
  });

  it.each([
    ['rejected', {}, /were refused by the gate, .*; record again with a gate that refuses less/],
    [
      'failed',
      { status: 9 },
      /failed \(an error status\), .*; record again where the endpoint answers/,
    ],
    ['abandoned', {}, /were given up by their callers, .*; record again with callers who wait/],
    ['censored', {}, /were not over when the run ended, .*; record a run that ends by itself/],
  ])('says why the demand of who was %s was never observed', (fate, failedBy, why) => {
    const unknown = Math.ceil(arrivals.length * 0.3);
    const run = { ...runWith(unknown), result: lostTo(fate, unknown, failedBy) };
    expect(() => drawnNote(run, false)).toThrow(why);
    if (fate !== 'rejected') expect(() => drawnNote(run, false)).not.toThrow(/gate/);
  });

  it('takes the rate of the run, not the one declared', () => {
    const busier = { ...runWith(0), scenario: smallRush({ arrivals: { ratePerS: 0.8 } }) };
    const fitted = fittedScenario(busier);
    const rate =
      fitted.arrivals !== null && 'ratePerS' in fitted.arrivals ? fitted.arrivals.ratePerS : 0;
    expect(rate).toBeGreaterThan((arrivals.length / 60) * 0.85);
    expect(rate).toBeLessThan((arrivals.length / 60) * 1.15);
  });

  it.each(['generator-limited', 'interrupted'])(
    'learns nothing from a run that is %s',
    async (status) => {
      const { health, ...rest } = simulateResult(scenario);
      const limited = { ...health, status, notes: ['sent 3/s of 9/s asked'] };
      writeFileSync(join(folder, 'result.json'), JSON.stringify({ ...rest, health: limited }));
      writeFileSync(join(folder, 'scenario.json'), JSON.stringify(scenario));
      writeFileSync(join(folder, 'schedule.csv'), writeScheduleCsv(arrivals));
      await expect(readRun(folder)).rejects.toThrow(`one that is ${status}: sent 3/s`);
      await expect(readRun(folder)).rejects.toMatchObject({ exitCode: 1 });
    },
  );

  it('takes what a simulated gate refused from its schedule, and says so', async () => {
    const gated = smallRush({ gate: { slots: 4, maxWaitS: 1 } });
    const result = simulateResult(gated);
    const run = await simulatedRun('simulated', gated, result);
    const completed = Number(result.outcomes.completed);
    expect(completed / arrivals.length).toBeLessThan(0.8);
    expect(drawnOf(run)).toMatchObject({ drawn: 0, share: 0 });
    expect(drawnNote(run, false)).toContain(
      `the ${arrivals.length - completed} of ${arrivals.length} requests that were not served`,
    );
    expect(run.serviceUs).toEqual(
      new Map(arrivals.map(({ seq, demand }) => [seq, demand.serviceUs])),
    );
  });

  it('gives a simulated run again under its own settings, with a model that slows down', async () => {
    const model = { service: { uniform: [5, 30] }, slots: 3, slowdown: { perRequest: 0.2 } };
    const slowed = smallRush({ gate: { slots: 4, maxWaitS: 1 }, model });
    const result = simulateResult(slowed);
    const run = await simulatedRun('slowed', slowed, result);
    expect(drawnNote(run, false)).toContain("served by the scenario's own model");
    const again = simulateResult(replayScenario(run));
    expect(again.outcomes).toEqual(result.outcomes);
    expect(again.responseS).toEqual(result.responseS);
  });

  it('learns nothing from a live run that has lost its ledger', async () => {
    const { path, write } = runFolder('lost');
    write('result.json', JSON.stringify({ ...simulateResult(scenario), engine: 'live' }));
    write('scenario.json', JSON.stringify(scenario));
    write('schedule.csv', writeScheduleCsv(arrivals));
    await expect(readRun(path)).rejects.toThrow('client.jsonl: expected it');
  });

  it('counts a caller who tries again once, and says how many attempts there were', () => {
    const result = { attempts: { total: 130, retries: 130 - arrivals.length } } as Result;
    expect(attemptsNote({ ...runWith(0), result })).toBe(
      `run: ${arrivals.length} requests, each counted once; 130 attempts, ${130 - arrivals.length} of them retries`,
    );
    expect(buildSchedule(replayScenario({ ...runWith(0), result })).arrivals).toHaveLength(
      arrivals.length,
    );
  });

  it('does not count the slow-downs of the endpoint twice', () => {
    const slowed = { ...scenario.model, slots: 2, slowdown: { perRequest: 0.1, from: 1 } };
    const run = { ...runWith(0), scenario: { ...scenario, model: slowed } };
    expect(replayScenario(run).model).toMatchObject({ slots: 0, slowdown: { perRequest: 0 } });
    expect(fittedScenario(run).model).toMatchObject({ slots: 0, slowdown: { perRequest: 0 } });
  });
});
