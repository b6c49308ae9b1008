import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Row, type Rules, violations } from './support/architecture.ts';

// DESIGN.md, Layout: who may import whom. A change here is a change of the design: make it there too.
const LEAVES = ['units', 'errors'];
const MACHINES = ['client', 'admission', 'model'];
const PURE = [...MACHINES, 'verdicts'];
const ENGINES = ['engine/sim', 'engine/live', 'engine/k6'];
const ALL = [
  ...LEAVES,
  'random',
  'scenario',
  'arrivals',
  ...PURE,
  'ledger',
  ...ENGINES,
  'gateway',
  'result',
  'tune',
  'calibrate',
  'report',
  'drills',
];

const TABLE: Record<string, Row> = {
  units: { uses: [] },
  errors: { uses: [] },
  random: { uses: ['units'] },

  client: { uses: ['units', 'random'] },
  admission: { uses: ['units', 'random'] },
  model: { uses: ['units', 'random'] },
  verdicts: { uses: ['units', 'random'] },

  scenario: { uses: [...LEAVES], typesOf: [...MACHINES, 'random'] },
  arrivals: { uses: [...LEAVES, 'scenario', 'random'] },
  ledger: { uses: [...LEAVES, 'admission', 'client'], typesOf: ['model'] },
  gateway: { uses: [...LEAVES, 'admission', 'ledger', 'verdicts', 'scenario'] },

  'engine/sim': { uses: [...LEAVES, ...MACHINES, 'arrivals', 'ledger', 'scenario', 'random'] },
  'engine/live': { uses: [...LEAVES, 'client', 'arrivals', 'ledger', 'scenario', 'random'] },
  'engine/k6': { uses: [...LEAVES, 'arrivals', 'ledger', 'scenario'], typesOf: ['result'] },

  result: { uses: [...LEAVES, 'ledger', 'scenario', 'verdicts'] },
  report: { uses: [...LEAVES, 'result'], typesOf: ['tune'] },
  tune: { uses: [...LEAVES, 'scenario', 'result', 'random'] },
  calibrate: { uses: [...LEAVES, 'scenario', 'result', 'random'] },

  stubs: { uses: [...LEAVES, 'model', 'scenario', 'random'] },
  drills: { uses: [...ALL, 'commands'] },
  commands: { uses: ALL },
  index: { uses: ALL },
  cli: { uses: [...LEAVES, 'commands'] },
};

const RULES: Rules = {
  table: TABLE,
  deterministic: [...PURE, 'arrivals'],
  withoutPackages: ['units', 'errors', 'random', ...PURE],
  libraryEntry: 'src/index.ts',
};

function breaches(path: string, text: string): string[] {
  return violations(new Map([[path, text]]), RULES);
}

function filesUnder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'));
}

describe('the sources', () => {
  it('keep to the layout', () => {
    const paths = [...filesUnder('src'), ...filesUnder('stubs')];
    const sources = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]));
    expect(paths.length).toBeGreaterThan(0);
    expect(violations(sources, RULES)).toEqual([]);
  });
});

describe('the import table', () => {
  it('lets an area import itself, what its row names, and JSON', () => {
    const text = `
      import { a } from './policy.ts';
      import { b } from '../units.ts';
      import { c } from '../random.ts';
      export const d = a + b + c;`;
    expect(breaches('src/admission/rules/age.ts', text.replaceAll("'../", "'../../"))).toEqual([]);
    expect(breaches('src/cli.ts', "import meta from '../package.json'; meta;")).toEqual([]);
  });

  it.each([
    ["import { a } from '../model/slots.ts';", 'client may not import model'],
    ["import type { A } from '../admission/types.ts';", 'client may not import admission'],
    [
      "export { a } from '../scenario/load.ts'; export const b = 1;",
      'client may not import scenario',
    ],
    ["export type A = import('../result/types.ts').Result;", 'client may not import result'],
    ["import fc from 'fast-check';", 'client may not import fast-check'],
    ["import { a } from './retry';", "'./retry': expected a path that ends in .ts"],
    ["import { a } from 'loadline';", 'a source may not import the package that it is part of'],
    [
      "import { a } from '../../test/support/a.ts';",
      "client may not import '../../test/support/a.ts'",
    ],
  ])('refuses %s in a machine', (text, what) => {
    expect(breaches('src/client/retry.ts', text)).toEqual([`src/client/retry.ts:1: ${what}`]);
  });

  it('tells a type from the code behind it', () => {
    const path = 'src/ledger/codec.ts';
    expect(breaches(path, "import type { A } from '../model/types.ts';")).toEqual([]);
    expect(breaches(path, "import { type A } from '../model/types.ts';")).toEqual([]);
    expect(breaches(path, "import { type A, b } from '../model/slots.ts';")).toEqual([
      `${path}:1: ledger may import only types of model`,
    ]);
  });

  it('tells the engines apart, and names the line', () => {
    const text = "\n\nimport { a } from '../../model/slots.ts';";
    expect(breaches('src/engine/sim/run.ts', text)).toEqual([]);
    expect(breaches('src/engine/live/run.ts', text)).toEqual([
      'src/engine/live/run.ts:3: engine/live may not import model',
    ]);
    expect(breaches('src/engine/sim.ts', "import { a } from './live.ts';")).toEqual([
      'src/engine/sim.ts:1: engine/sim may not import engine/live',
    ]);
  });

  it('keeps the stubs out of the product, also behind import()', () => {
    const text = "export const start = () => import('../../stubs/main.ts');";
    expect(breaches('src/commands/stub.ts', text)).toEqual([
      'src/commands/stub.ts:1: commands may not import stubs',
    ]);
  });

  it('refuses an area that has no row', () => {
    expect(breaches('src/plugins/a.ts', 'export {};')).toEqual([
      "src/plugins/a.ts:1: 'plugins' has no row in the import table (DESIGN.md, Layout)",
    ]);
  });
});

describe('the names of files', () => {
  it('refuses a barrel, by name or by content, save the entry of the library', () => {
    const barrel = "export * from './pool.ts';";
    const refused = 'no barrel files: import from where it is defined';
    expect(breaches('src/admission/index.ts', 'export const a = 1;')).toEqual([
      `src/admission/index.ts:1: ${refused}`,
    ]);
    expect(breaches('src/admission/all.ts', barrel)).toEqual([
      `src/admission/all.ts:1: ${refused}`,
    ]);
    expect(breaches('src/index.ts', "export { a } from './units.ts';")).toEqual([]);
  });

  it('refuses utils.ts', () => {
    expect(breaches('src/result/utils.ts', 'export const a = 1;')).toEqual([
      'src/result/utils.ts:1: no utils.ts: name the file after what it holds',
    ]);
  });
});

describe('a deterministic area', () => {
  it.each([
    ['const a = Date.now();', 'Date'],
    ['const a = new Date(0);', 'Date'],
    ['type A = Date;', 'Date'],
    ['const a = { Date };', 'Date'],
    ['const a = performance.now();', 'performance'],
    ['const a = Math.random();', 'Math.random'],
    ["const a = Math['random']();", 'Math that is not Math.<name>'],
    ['const { random } = Math;', 'Math that is not Math.<name>'],
    ['setTimeout(() => 1, 5);', 'setTimeout'],
    ['const a = setInterval;', 'setInterval'],
    ['setImmediate(() => 1);', 'setImmediate'],
    ['queueMicrotask(() => 1);', 'queueMicrotask'],
    ['export async function f() {}', 'async'],
    ['const f = async () => 1;', 'async'],
    ['class A { async f() {} }', 'async'],
    ['const a = await b;', 'await'],
    ["const a = import('./a.ts');", 'import()'],
    ["console.log('a');", 'console'],
    ["globalThis.console.log('a');", 'globalThis'],
    ['const a = process.hrtime();', 'process'],
  ])('refuses %s', (text, what) => {
    const expected = `src/model/slots.ts:1: ${what} in code that must be deterministic`;
    expect(breaches('src/model/slots.ts', text)).toEqual([expected]);
    expect(breaches('src/gateway/server.ts', text)).toEqual([]);
  });

  it.each(['node:crypto', 'fs', 'fs/promises'])('refuses %s', (name) => {
    const text = `import { a } from '${name}';`;
    expect(breaches('src/arrivals/poisson.ts', text)).toEqual([
      `src/arrivals/poisson.ts:1: arrivals may not import ${name}`,
    ]);
    expect(breaches('src/ledger/digest.ts', text)).toEqual([]);
  });

  it('may speak of clocks, in comments, strings and names of its own', () => {
    const text = `
      // Date.now() and setTimeout() are the driver's; await nothing.
      /* console.log(Math.random()) */
      const said = 'async Date ' + \`performance \${1}\`;
      const row = { Date: 1, console: 2 };
      interface Row { readonly Date: number; readonly performance: number }
      export const sum = row.Date + row.console + Math.floor(Math.sqrt(said.length));
      export type Sum = Row;`;
    expect(breaches('src/verdicts/hold.ts', text)).toEqual([]);
  });
});
