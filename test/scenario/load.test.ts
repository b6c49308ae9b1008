import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadScenario, shippedNames } from '../../src/scenario/load.ts';
import { fillTraces } from '../../src/scenario/relative-files.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'scenario-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function failure(path: string): Promise<string> {
  const error: unknown = await loadScenario(path).catch((reason: unknown) => reason);
  expect(error).toHaveProperty('name', 'UserError');
  const { message } = error as Error;
  expect(message).not.toContain('\n');
  return message.replaceAll(`${folder}/`, '');
}

describe('a scenario in TypeScript', () => {
  it('finds loadline from a folder outside any project, and its own neighbours', async () => {
    write('rates.ts', 'export const rate: number = 2;');
    const path = write(
      'mine.ts',
      `import { defineScenario } from 'loadline';
       import { rate } from './rates';
       export default defineScenario({ arrivals: { ratePerS: rate }, gate: { slots: 3 } });`,
    );
    const loaded = await loadScenario(path);
    expect(loaded.input).toEqual({ name: 'mine', arrivals: { ratePerS: 2 }, gate: { slots: 3 } });
    expect(loaded.folder).toBe(folder);
  });

  it('is read again when it has changed', async () => {
    const path = write('twice.ts', 'export default { durationS: 1 }');
    await loadScenario(path);
    write('twice.ts', 'export default { durationS: 2 }');
    expect((await loadScenario(path)).input).toMatchObject({ durationS: 2 });
  });

  it('leaves nothing behind', async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith('loadline-'));
    await loadScenario(write('tidy.ts', 'export default {}'));
    await failure(write('untidy.ts', "throw new Error('no')"));
    const after = readdirSync(tmpdir()).filter((name) => name.startsWith('loadline-'));
    expect(after.filter((name) => !before.includes(name))).toEqual([]);
  });
});

describe('data files', () => {
  it('reads JSON and YAML', async () => {
    const json = write('a.json', '{"name": "own", "durationS": 5}');
    const yaml = write('b.yaml', 'durationS: 5\nmodel:\n  service: {uniform: [5, 30]}\n');
    expect((await loadScenario(json)).input).toEqual({ name: 'own', durationS: 5 });
    expect((await loadScenario(yaml)).input).toEqual({
      name: 'b',
      durationS: 5,
      model: { service: { uniform: [5, 30] } },
    });
  });

  it('reads prompts and a fitted model from beside the scenario', async () => {
    mkdirSync(join(folder, 'deep'));
    write('deep/p.txt', 'Hello.');
    write('deep/m.json', '{"model": {"service": {"fixed": 3}}, "n": 100}');
    const path = write(
      'deep/s.yaml',
      'classes: {a: {prompt: {file: p.txt}}}\nmodel: {file: m.json, slots: 2, service: {fixed: 9}}\n',
    );
    expect((await loadScenario(path)).input).toEqual({
      name: 's',
      classes: { a: { prompt: 'Hello.' } },
      model: { file: 'm.json', slots: 2, service: { fixed: 3 } },
    });
  });

  it('reads traces from beside the scenario, once', () => {
    write('t.csv', '1\n2\n');
    const arrivals = { process: 'trace', file: 't.csv' };
    const readNone = () => ({ rows: [], notes: [] });
    const scenario = parseScenario({ classes: { a: { arrivals }, b: { arrivals } } });
    const empty = { inTokens: null, outTokens: null, serviceUs: null, class: null };
    const filled = fillTraces(scenario, folder, (text) => ({
      rows: text
        .trim()
        .split('\n')
        .map((line) => ({ atUs: Number(line), ...empty })),
      notes: ['two rows'],
    }));
    const rows = [
      { atUs: 1, ...empty },
      { atUs: 2, ...empty },
    ];
    expect(filled.classes['b']?.arrivals).toMatchObject({ rows, notes: ['two rows'] });
    expect(fillTraces(filled, '/nowhere', readNone)).toEqual(filled);
    expect(() => fillTraces(scenario, '/nowhere', readNone)).toThrow(
      'classes.a.arrivals.file: expected a file that can be read, got t.csv (no such file)',
    );
  });
});

describe('errors are one line', () => {
  const cases: [what: string, name: string, text: string, line: string | RegExp][] = [
    [
      'no default export',
      'x1.ts',
      'export const a = 1',
      /^x1\.ts: expected a default export, .*got none$/,
    ],
    [
      'a throw inside',
      'x2.ts',
      "throw new Error('too late\\nfor this')",
      'x2.ts: expected a scenario, got an error: too late',
    ],
    [
      'a syntax error',
      'x3.ts',
      'export default {\n  a: ,\n}',
      /^x3\.ts:2:\d+: expected TypeScript, got ","$/,
    ],
    [
      'an import that is not there',
      'x4.ts',
      "import './gone'; export default {}",
      /^x4\.ts:1:8: expected an import that is there, got ".\/gone"$/,
    ],
    ['YAML', 'x5.yaml', 'a: 1\nb: [1,\nc: }', /^x5\.yaml:[23]: expected YAML, got /],
    ['JSON', 'x6.json', '{\n"a": 1,\n}', /^x6\.json:3: expected JSON, got /],
    [
      'another kind of file',
      'x7.toml',
      '',
      'x7.toml: expected a file of one of .ts .mts .js .mjs .json .yaml .yml, got .toml',
    ],
    [
      'YAML that grows without end',
      'x10.yaml',
      ['x', ...'abcdef']
        .map((name, i, all) => {
          const before = all[i - 1];
          const items = before === undefined ? '1,1' : Array(20).fill(`*${before}`).join(',');
          return `${name}: &${name} [${items}]`;
        })
        .join('\n'),
      /^x10\.yaml: expected YAML, got Excessive alias count/,
    ],
    [
      'a missing prompt',
      'x8.yaml',
      'classes: {a: {prompt: {file: gone.txt}}}',
      'classes.a.prompt.file: expected a file that can be read, got gone.txt (no such file)',
    ],
    [
      'a model file that is none',
      'x9.yaml',
      'model: {file: x9.yaml}',
      'model.file: expected JSON with a key "model", got x9.yaml',
    ],
  ];

  for (const [what, name, text, line] of cases) {
    it(what, async () => {
      const message = await failure(write(name, text));
      if (typeof line === 'string') expect(message).toBe(line);
      else expect(message).toMatch(line);
    });
  }

  it('no such file', async () => {
    expect(await failure(join(folder, 'gone.ts'))).toBe(
      'gone.ts: expected a scenario file, got no such file',
    );
    expect(await failure(folder)).toMatch(/: expected a scenario file, got a folder$/);
    expect(await failure('rusch')).toBe(
      'rusch: expected a scenario file, got no such file; did you mean rush?',
    );
  });
});

describe('the shipped scenarios', () => {
  it('are there', () => {
    expect(shippedNames()).toEqual(
      expect.arrayContaining(['burst', 'mm4', 'poisson', 'rush', 'smoke']),
    );
  });

  it('load by name, parse, and say why their thresholds are what they are', async () => {
    for (const name of shippedNames()) {
      const scenario = parseScenario((await loadScenario(name)).input);
      expect(scenario.name).toBe(name);
      expect(scenario.gate.rationale?.length ?? 0, name).toBeGreaterThan(20);
      expect(scenario.description.length, name).toBeGreaterThan(20);
    }
  });

  it('rush has the numbers of the design', async () => {
    expect(parseScenario((await loadScenario('rush')).input)).toMatchObject({
      durationS: 300,
      sloS: 60,
      arrivals: { ratePerS: 0.8, bursts: [{ fromS: 120, toS: 240, factor: 2 }] },
      gate: { slots: 16, maxWaitS: 30, ageRejectS: null, depthMultiple: null, queueCapacity: null },
      model: { service: { uniform: [5, 30] }, slots: 0 },
    });
  });
});
