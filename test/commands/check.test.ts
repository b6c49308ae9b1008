import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { checkCommand, checkRun } from '../../src/commands/check.ts';
import { readRun } from '../../src/commands/read-run.ts';
import { withVerdicts } from '../../src/commands/run-facts.ts';
import { type SimulateOptions, simulateResult } from '../../src/commands/simulate.ts';
import { scheduleDigest } from '../../src/ledger/digest.ts';
import { readScheduleCsv, writeScheduleCsv } from '../../src/ledger/schedule-csv.ts';
import { stableJson } from '../../src/result/json.ts';
import type { Result } from '../../src/result/types.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const base = {
  durationS: 60,
  arrivals: { process: 'poisson', ratePerS: 2 },
  gate: { slots: 2, maxWaitS: 2 },
  model: { service: { exponential: 1.5 } },
};
let place = '';
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'loadline-check-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** A simulated run on disk. */
function runOf(name: string, input: object = {}, options: SimulateOptions = {}): string {
  const scenario = parseScenario({ ...base, ...input });
  const schedule = buildSchedule(scenario);
  const result = withVerdicts(simulateResult(scenario, options), schedule);
  const folder = join(place, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'scenario.json'), stableJson(scenario));
  writeFileSync(join(folder, 'schedule.csv'), writeScheduleCsv(schedule.arrivals));
  writeFileSync(join(folder, 'result.json'), stableJson(result));
  return folder;
}

async function found(folder: string) {
  const { violations, ...rest } = await checkRun(readRun(folder));
  return { ...rest, evidence: violations.map(({ evidence }) => evidence) };
}

function edit(folder: string, change: (result: Result) => object): void {
  const file = join(folder, 'result.json');
  const result = JSON.parse(readFileSync(file, 'utf8')) as Result;
  writeFileSync(file, stableJson({ ...result, ...change(result) }));
}

describe('a simulated run', () => {
  it.each([
    ['one run', {}],
    ['several replications', { replications: 4 }],
    ['no gate', { direct: true }],
  ])('of %s is simulated again and found the same', async (name, options) => {
    const { checked, notes, evidence } = await found(runOf(name, {}, options));
    expect(evidence).toEqual([]);
    expect(notes).toEqual([]);
    expect(checked).toContain('simulated again');
  });

  it('whose figure was edited is found out, with both values', async () => {
    const folder = runOf('edited');
    const { completed } = readRun(folder).result.outcomes;
    edit(folder, ({ outcomes }) => ({ outcomes: { ...outcomes, completed: 999 } }));
    expect((await found(folder)).evidence).toEqual([
      `result.json says outcomes.completed 999, simulated again it is ${completed}`,
    ]);
  });

  it('whose verdict was edited is found out; what a run does not have is named', async () => {
    const folder = runOf('verdict');
    const before = await found(folder);
    expect(before.checked).toContain('verdicts');
    expect(before.unchecked).toEqual(['lossSplit (none there)', 'report.html (none there)']);
    edit(folder, ({ verdicts }) => ({
      verdicts: verdicts.map((each) => ({ ...each, headline: 'BUY.' })),
    }));
    expect((await found(folder)).evidence[0]).toMatch(
      /^result\.json says verdicts\.0\.headline "BUY\."/,
    );
  });

  it('whose health or environment was edited is found out', async () => {
    const folder = runOf('health');
    edit(folder, ({ health, environment }) => ({
      health: { ...health, notes: ['all was well'] },
      environment: { ...environment, cpus: 64 },
    }));
    expect((await found(folder)).evidence).toEqual([
      'result.json says health.notes.0 "all was well", simulated again it is nothing',
      'result.json says environment.cpus 64, simulated again it is null',
    ]);
  });

  it('that breaks one law is said to break one', async () => {
    const folder = runOf('one');
    edit(folder, ({ outcomes }) => ({ outcomes: { ...outcomes, completed: 999 } }));
    const said = vi.spyOn(process.stdout, 'write').mockImplementation((_text, done?: unknown) => {
      if (typeof done === 'function') done();
      return true;
    });
    const ran = checkCommand().parseAsync([folder], { from: 'user' });
    await expect(ran).rejects.toThrow(/^1 violation of the laws$/);
    expect(said.mock.calls.join('')).toMatch(/: 1 violation \(/);
    said.mockRestore();
  });

  it('whose timeline was edited is found out, and where', async () => {
    const folder = runOf('timeline');
    edit(folder, ({ timeline }) => ({
      timeline: timeline.map((point) => ({ ...point, queueDepth: 0.125 })),
    }));
    expect((await found(folder)).evidence[0]).toMatch(
      /result\.json says timeline\.0\.queueDepth 0\.125, simulated again it is/,
    );
  });

  it('with another schedule than its scenario and seed give is found out', async () => {
    const folder = runOf('schedule');
    const file = join(folder, 'schedule.csv');
    const arrivals = readScheduleCsv(readFileSync(file, 'utf8')).map((arrival, i) =>
      i === 0 ? { ...arrival, atUs: arrival.atUs - 1 } : arrival,
    );
    writeFileSync(file, writeScheduleCsv(arrivals));
    edit(folder, ({ schedule }) => ({
      schedule: { ...schedule, digest: scheduleDigest({ arrivals }) },
    }));
    expect((await found(folder)).evidence).toEqual([
      expect.stringMatching(/says schedule\.digest .*, simulated again it is/),
    ]);
  });
});

describe('a schedule whose digest is as it was', () => {
  const editLine = (folder: string, change: (line: string) => string): void => {
    const file = join(folder, 'schedule.csv');
    const lines = readFileSync(file, 'utf8').split('\n');
    lines[3] = change(lines[3] ?? '');
    writeFileSync(file, lines.join('\n'));
  };

  it.each([
    [
      'keySeq',
      /,(\d+),(\d)$/,
      ',77,$2',
      /^schedule\.csv line 4 says keySeq 77, its scenario gives 2$/,
    ],
    ['drawn', /,0$/, ',1', /^schedule\.csv line 4 says drawn 1, its scenario gives 0$/],
    ['no cell of a run', /,0$/, ',7', /^schedule\.csv line 4: expected 0 or 1 as drawn, got "7"$/],
  ])('is found out where %s was edited', async (name, cells, by, said) => {
    const folder = runOf(`cells ${name}`);
    expect((await found(folder)).evidence).toEqual([]);
    editLine(folder, (line) => line.replace(cells, by));
    expect((await found(folder)).evidence).toEqual([expect.stringMatching(said)]);
  });
});

describe('a simulated run that cannot be simulated again is no failure, and says why', () => {
  const notAgain = async (folder: string) => {
    const { checked, notes, evidence } = await found(folder);
    expect(evidence).toEqual([]);
    expect(checked).not.toContain('simulated again');
    return notes;
  };

  it('as one that another version made', async () => {
    const folder = runOf('version');
    edit(folder, ({ environment, rates }) => ({
      environment: { ...environment, loadline: '0.0.1' },
      rates: { ...rates, goodput: 0.5 },
    }));
    expect(await notAgain(folder)).toEqual([
      expect.stringMatching(/^not simulated again: made by loadline 0\.0\.1, this is \d/),
      expect.stringMatching(/^lossSplit and verdicts not made again: made by loadline 0\.0\.1, /),
    ]);
  });

  it('as one that was cut off', async () => {
    const folder = runOf('cut', {
      ...{
        drainS: 60,
        arrivals: { process: 'at', atS: [0, 10] },
        classes: { a: { replay: true } },
      },
      gate: { slots: 2, maxPreempts: null, taskBudgetTokens: null, queueAgeFraction: null },
      model: { service: { fixed: 600 }, preempts: { type: 'rate', perS: 1e6 } },
    });
    expect(await notAgain(folder)).toEqual(['not simulated again: it was cut off']);
  });

  it('as one of more attempts than are played here', async () => {
    const folder = runOf('long');
    edit(folder, () => ({ replications: 1_000_000, verdicts: [] }));
    expect(await notAgain(folder)).toEqual([
      expect.stringMatching(/^not simulated again: 1000000 runs of \d+ arrivals take too long$/),
    ]);
  });

  it('as one whose scenario had more digits than a result keeps', async () => {
    // Whole microseconds apart: the last digits decide which one it is.
    const atS = Array.from({ length: 40 }, (_, i) => 1_000_000 + i + 0.000_000_5 / 3 + i / 7e6);
    const folder = runOf('digits', { durationS: 2e6, arrivals: { process: 'at', atS } });
    const own = readRun(folder).result.schedule.digest;
    const readBack = buildSchedule(parseScenario(readRun(folder).result.scenario.resolved));
    expect(scheduleDigest(readBack)).not.toBe(own);
    expect(await notAgain(folder)).toEqual([
      'not simulated again: its scenario has a number that was cut to 12 digits',
    ]);
  });
});
