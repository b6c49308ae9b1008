import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { readRun } from '../../src/commands/recorded-run.ts';
import { openRunFolder } from '../../src/commands/run-folder.ts';
import { sealsOf } from '../../src/commands/seals.ts';
import { simulateResult } from '../../src/commands/simulate.ts';
import { UserError } from '../../src/errors.ts';
import { encodeLine } from '../../src/ledger/codec.ts';
import { scheduleDigest } from '../../src/ledger/digest.ts';
import type { WireFact } from '../../src/ledger/lines.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const scenario = parseScenario({
  ...{ durationS: 20, arrivals: { process: 'poisson', ratePerS: 2 } },
  gate: { slots: 2, maxWaitS: 5 },
  model: { service: { exponential: 1 } },
});
const schedule = buildSchedule(scenario);
let place = '';
beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'loadline-recorded-'));
  await openRunFolder(join(place, 'sim'), false).finish(simulateResult(scenario), schedule);
  await liveRun(join(place, 'live'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** A run of a stub without a gate, in which everybody was served for a second. */
async function liveRun(path: string): Promise<void> {
  const folder = openRunFolder(path, false);
  const header = { ledger: 'client', schemaVersion: 1, offsetUs: 0 } as const;
  const wire = (t: number, fact: WireFact) => encodeLine<'client'>({ t, wire: fact });
  const lines = schedule.arrivals.flatMap(({ seq, atUs }) => [
    wire(atUs, { seq, attempt: 0, event: 'sent' }),
    wire(atUs + 1e6, { seq, attempt: 0, event: 'end', status: 200, outTokens: 1 }),
  ]);
  const head = encodeLine<'client'>({ ...header, scheduleDigest: scheduleDigest(schedule) });
  folder.put('client.jsonl', head + lines.join(''));
  const simulated = simulateResult(scenario, { direct: true });
  const { environment } = simulated;
  const ledgers = await sealsOf(folder, ['client.jsonl'], schedule);
  await folder.finish(
    { ...simulated, engine: 'live', environment: { ...environment, target: 'stub', ledgers } },
    schedule,
  );
}

let copies = 0;

/** A copy of a run of which one file was changed; undefined: it was lost. */
function edited(run: 'sim' | 'live', name: string, change: (text: string) => string | undefined) {
  const copy = join(place, `copy-${copies++}`);
  cpSync(join(place, run), copy, { recursive: true });
  const text = change(readFileSync(join(copy, name), 'utf8'));
  if (text === undefined) rmSync(join(copy, name));
  else writeFileSync(join(copy, name), text);
  return copy;
}

const upTo = (count: number) => (text: string) =>
  `${text.split('\n').slice(0, count).join('\n')}\n`;
const replaced = (from: string | RegExp, to: string) => (text: string) => {
  expect(text).toMatch(from);
  return text.replace(from, to);
};

describe('a run to learn from', () => {
  it('is read as it was written', async () => {
    expect((await readRun(join(place, 'sim'))).arrivals).toEqual(schedule.arrivals);
    expect((await readRun(join(place, 'live'))).arrivals).toHaveLength(schedule.arrivals.length);
  });

  it.each([
    [
      'a ledger that was cut',
      'client.jsonl',
      upTo(20),
      /client\.jsonl is not the file that the run/,
    ],
    [
      'a ledger with another instant',
      'client.jsonl',
      replaced(/"t":1/, '"t":2'),
      /not the file that/,
    ],
    [
      'an empty ledger',
      'client.jsonl',
      () => '',
      /client\.jsonl is not the file that the run wrote/,
    ],
    ['no ledger', 'client.jsonl', () => undefined, /client\.jsonl: expected it, got no such file/],
    ['a schedule that was cut', 'schedule.csv', upTo(9), /schedule has digest/],
    [
      'a schedule with another work',
      'schedule.csv',
      replaced(/,256,0,5,0/, ',257,0,5,0'),
      /digest/,
    ],
    [
      'a schedule that calls its first demand drawn',
      'schedule.csv',
      replaced(/,0,0$/m, ',0,1'),
      /schedule\.csv line 2 says drawn 1/,
    ],
    ['a schedule of something else', 'schedule.csv', () => 'x', /schedule\.csv line 1/],
    ['no schedule', 'schedule.csv', () => undefined, /schedule\.csv/],
    [
      'another time',
      'scenario.json',
      replaced(/"durationS": 20/, '"durationS": 9'),
      /scenario\.json/,
    ],
    ['no scenario', 'scenario.json', () => undefined, /scenario\.json is not the scenario/],
    [
      'a scenario that is a list',
      'scenario.json',
      () => '[]',
      /scenario\.json is not the scenario/,
    ],
  ])('is refused with %s, in one line that says where to look', async (_, name, change, found) => {
    const copy = edited('live', name, change);
    const error = await readRun(copy).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringMatching(found) });
    expect(String(error)).toMatch(/: run `loadline check \S+`$/);
    expect(String(error)).not.toContain('\n');
  });

  it('that kept no SHA-256 is held against the machines that wrote it', async () => {
    const unsealed = (text: string) => {
      const { environment, ...rest } = JSON.parse(text);
      return JSON.stringify({ ...rest, environment: { ...environment, ledgers: undefined } });
    };
    const copy = edited('live', 'result.json', unsealed);
    await expect(readRun(copy)).rejects.toThrow(/client line \d+.*: run `loadline check/s);
  });

  it.each(['null', '[]', '7', '{}', '', '{"schemaVersion": 1}', '{"health": null}'])(
    'is refused in one line where its result is %j',
    async (text) => {
      const error = await readRun(edited('sim', 'result.json', () => text)).catch((each) => each);
      expect(error).toMatchObject({ name: 'UserError', exitCode: 2 });
      expect(error.message).toMatch(/result\.json: expected (the result of a run|schemaVersion 1)/);
    },
  );

  it('is none where it has no schedule', async () => {
    const copy = edited('sim', 'schedule.csv', () => undefined);
    await expect(readRun(copy)).rejects.toThrow(`${copy}: expected schedule.csv, got none`);
  });
});
