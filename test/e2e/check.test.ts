import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkRun } from '../../src/commands/check.ts';
import { readRun } from '../../src/commands/read-run.ts';
import { readRun as readToLearn } from '../../src/commands/recorded-run.ts';
import { stableJson } from '../../src/result/json.ts';
import { run, scratch } from './program.ts';

const { path, remove } = scratch();

beforeAll(async () => {
  // A loaded machine makes a late generator, exit code 1: the evidence is whole all the same.
  const { stderr } = await run(['bench', 'smoke', '--out', path('run')]);
  expect(stderr).toContain('page: ');
}, 60_000);
afterAll(remove);

let copies = 0;

/** What `check` finds in a copy of the run of which one file was changed. */
async function foundAfter(name: string, change: (text: string) => string): Promise<string[]> {
  const copy = path(`copy-${copies++}`);
  cpSync(path('run'), copy, { recursive: true });
  const file = `${copy}/${name}`;
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  const { violations } = await checkRun(readRun(copy));
  return violations.map(({ evidence }) => evidence);
}

const lines = (text: string) => text.trimEnd().split('\n');
const joined = (rows: readonly string[]) => `${rows.join('\n')}\n`;
const without = (at: number) => (text: string) => joined(lines(text).toSpliced(at, 1));
const upTo = (count: number) => (text: string) => joined(lines(text).slice(0, count));

test('a run as it was written is right', async () => {
  const { checked, unchecked, violations } = await checkRun(readRun(path('run')));
  expect(violations).toEqual([]);
  expect(checked).toEqual(
    expect.arrayContaining(['result folded again', 'verdicts', 'report.html']),
  );
  expect(unchecked).toEqual(['environment']);
});

test('words that were edited are noticed, in the result and on the page', async () => {
  const edited = await foundAfter('report.html', (text) => text.replace('<h1>', '<h1>Buy. '));
  expect(edited).toEqual([expect.stringMatching(/^report\.html line \d+ says "<h1>Buy\. /)]);
  const verdict = (text: string) => text.replace(/"headline": "/, '"headline": "Buy. ');
  expect(await foundAfter('result.json', verdict)).toEqual([
    expect.stringMatching(/^result\.json says verdicts\.0\.headline "Buy\. .*, made again it is "/),
  ]);
  const noted = (text: string) => {
    const result = JSON.parse(text);
    return stableJson({ ...result, health: { ...result.health, notes: ['all was well'] } });
  };
  expect((await foundAfter('result.json', noted)).join()).toMatch(
    /^result\.json says health\.notes\.0 "all was well", its ledgers give /,
  );
});

test.each(['gate.jsonl', 'client.jsonl'])(
  'a cut in %s is noticed, wherever it is',
  async (name) => {
    expect(await foundAfter(name, without(-1))).not.toEqual([]);
    expect(await foundAfter(name, (text) => text.slice(0, -5))).not.toEqual([]);
    expect(await foundAfter(name, upTo(20))).not.toEqual([]);
    expect(await foundAfter(name, upTo(1))).not.toEqual([]);
  },
);

test('an instant that was taken out of the ledger of the client is noticed', async () => {
  const sent = lines(readFileSync(path('run/client.jsonl'), 'utf8')).findIndex((line) =>
    line.includes('"event":"firstToken"'),
  );
  expect(await foundAfter('client.jsonl', without(sent))).not.toEqual([]);
});

test('a release that was taken out of the ledger of the gate is noticed', async () => {
  const release = lines(readFileSync(path('run/gate.jsonl'), 'utf8')).findIndex((line) =>
    line.includes('"type":"release"'),
  );
  expect(await foundAfter('gate.jsonl', without(release))).not.toEqual([]);
});

test('an edit of one line of the client that feeds no figure is noticed', async () => {
  const ledger = lines(readFileSync(path('run/client.jsonl'), 'utf8'));
  const heard = ledger.findIndex((line) => line.includes('"type":"answered"'));
  const told = ledger.findIndex((line) => line.includes('"type":"send"'));
  const edit = (at: number, change: (line: string) => string) => (text: string) =>
    joined(lines(text).with(at, change(lines(text)[at] ?? '')));
  const later = (line: string) => line.replace(/"t":(\d+)/, (_, t) => `"t":${Number(t) + 1}`);
  const due = (line: string) => line.replace(/"atUs":(\d+)/, (_, t) => `"atUs":${Number(t) + 1}`);
  const seal = 'client.jsonl is not the file that the run wrote: its SHA-256 differs';
  expect(await foundAfter('client.jsonl', edit(heard, later))).toContain(seal);
  const found = await foundAfter('client.jsonl', edit(told, due));
  expect(found).toContain(seal);
  expect(found.join()).toMatch(/client line \d+: recorded .*"send".*, replayed .*"send"/);
});

test('a figure that was edited is named with both of its values', async () => {
  const edited = (text: string) => text.replace(/"completed": \d+/, '"completed": 999');
  const found = await foundAfter('result.json', edited);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/outcomes\.completed 999, its ledgers give \d+/);
});

test('another scenario in the folder is noticed', async () => {
  const edited = (text: string) => text.replace(/"slots": \d+/, '"slots": 77');
  expect(await foundAfter('scenario.json', edited)).toEqual([
    'scenario.json is not the scenario in result.json',
  ]);
});

test.each(['schedule.csv', 'client.jsonl', 'gate.jsonl'])('a lost %s is noticed', async (name) => {
  const copy = path(`lost-${name}`);
  cpSync(path('run'), copy, { recursive: true });
  rmSync(`${copy}/${name}`);
  const { violations } = await checkRun(readRun(copy));
  expect(violations.map(({ evidence }) => evidence)).toEqual([
    `${name}: expected it, got no such file`,
  ]);
});

test.each([
  ['"engine": "live"', '"engine": "warp"', /expected the engine sim, live, k6, got "warp"/],
  ['"engine": "live"', '"engine": "sim"', /says that it was simulated, its environment/],
  [/"digest": "[0-9a-f]{8}/, '"digest": "00000000', /scenario\.digest|schedule has digest/],
  [/^ {2}"seed": \d+/m, '  "seed": 77', /says seed 77, expected \d+/],
  [/"count": \d+/, '"count": 9999', /says schedule\.count 9999, expected \d+/],
  [/"ratePerS": [\d.]+,?(?=\s*\n {2}\})/, '"ratePerS": 55', /schedule\.ratePerS 55, expected/],
])('result.json with %s made %s is noticed', async (from, to, found) => {
  const edited = (text: string) => text.replace(from, to);
  expect((await foundAfter('result.json', edited)).join('\n')).toMatch(found);
});

test('a live run that is made a simulated one still needs the ledgers that it names', async () => {
  const copy = path('made-sim');
  cpSync(path('run'), copy, { recursive: true });
  const file = `${copy}/result.json`;
  writeFileSync(file, readFileSync(file, 'utf8').replace('"engine": "live"', '"engine": "sim"'));
  for (const name of ['client.jsonl', 'gate.jsonl']) rmSync(`${copy}/${name}`);
  const { violations } = await checkRun(readRun(copy));
  expect(violations.map(({ evidence }) => evidence)).toEqual(
    expect.arrayContaining([
      'client.jsonl: expected it, got no such file',
      'gate.jsonl: expected it, got no such file',
    ]),
  );
});

test.each([
  ['a lost last line end', (text: string) => text.trimEnd()],
  ['a blank line', (text: string) => `${text}\n`],
  ['a line of something else', (text: string) => `${text}junk\n`],
  ['no line', () => ''],
])('a schedule with %s is a violation, not an error of the user', async (_, change) => {
  expect((await foundAfter('schedule.csv', change)).join()).toMatch(/schedule\.csv (is not|line)/);
});

test.each(['gate.jsonl', 'client.jsonl'])(
  'a line in %s that is no JSON is a violation',
  async (name) => {
    const found = await foundAfter(name, (text) => `${text}junk\n`);
    expect(found[0]).toContain('its SHA-256 differs');
    expect(found.join()).toContain('expected JSON, got junk');
  },
);

test.each(['rush', 'lease-crossing'])('the shipped run %s is right', async (name) => {
  const { violations } = await checkRun(readRun(`reports/${name}`));
  expect(violations).toEqual([]);
});

test.each(['gate.jsonl', 'client.jsonl'])('nothing is learned from a cut %s', async (name) => {
  const copy = path(`learn-${name}`);
  cpSync(path('run'), copy, { recursive: true });
  const result = readFileSync(`${copy}/result.json`, 'utf8');
  // Whatever this machine's pace was: what is tested is the evidence.
  writeFileSync(`${copy}/result.json`, result.replace(/"status": "[^"]+"/, '"status": "ok"'));
  expect((await readToLearn(copy)).served).toBeGreaterThan(0);
  writeFileSync(`${copy}/${name}`, upTo(40)(readFileSync(`${copy}/${name}`, 'utf8')));
  await expect(readToLearn(copy)).rejects.toThrow(
    `${copy}: ${name} is not the file that the run wrote: its SHA-256 differs: run \`loadline check`,
  );
});
