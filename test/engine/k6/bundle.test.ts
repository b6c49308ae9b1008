import { existsSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { scenarioInBundle } from '../../../src/engine/k6/bundle.ts';
import { unpackSchedule } from '../../../src/engine/k6/schedule-text.ts';
import { scheduleDigest } from '../../../src/ledger/digest.ts';
import { loadScenario, shippedNames } from '../../../src/scenario/load.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';
import { beyondK6 } from '../../support/k6/syntax.ts';
import { shippedScenario } from '../../support/simulated.ts';
import { made } from './fixtures.ts';

describe('the bundle for k6', () => {
  it.each(shippedNames())('%s is ES2020 in one module that imports k6 alone', async (name) => {
    const { bundle } = await made(await shippedScenario(name));
    const { program, errors, module } = parseSync('bundle.js', bundle.script);
    expect(errors).toEqual([]);
    expect(beyondK6(program)).toEqual([]);
    const imported = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
    expect(imported.length).toBeGreaterThan(3);
    expect(imported.filter((each) => each !== 'k6' && !each.startsWith('k6/'))).toEqual([]);
  });

  it('holds the schedule whose digest the other engines give', async () => {
    const { bundle, schedule, scenario } = await made(await shippedScenario('rush'));
    const text = /LOADLINE_SCHEDULE_default = \{ text: "([^"]*)"|text: "([^"]*)"/.exec(
      bundle.script,
    );
    const packed = (text?.[1] ?? text?.[2] ?? '').replaceAll('\\n', '\n');
    const arrivals = unpackSchedule(packed, Object.keys(scenario.classes));
    expect(arrivals).toEqual(schedule.arrivals);
    expect(bundle.script).toContain(scheduleDigest({ arrivals }));
  });

  it('has a schedule too large for a ConfigMap beside it, and opens it by its name', async () => {
    const { bundle } = await made(await shippedScenario('rush'), { largestInside: 100 });
    expect(bundle.schedule?.file).toBe('test.schedule.txt');
    expect(bundle.script).toContain('"./test.schedule.txt"');
    expect(bundle.script).not.toContain(bundle.schedule?.text.slice(0, 60));
  });

  it('tells import the scenario that it was made from', async () => {
    const scenario = await shippedScenario('rush');
    const { bundle } = await made(scenario);
    expect(parseScenario(scenarioInBundle(bundle.script))).toEqual(scenario);
  });

  it('never holds a key', async () => {
    process.env['OPENAI_API_KEY'] = 'sk-never-in-a-file';
    try {
      const { input } = await loadScenario('smoke');
      const { bundle } = await made(parseScenario(input));
      expect(bundle.script).toContain('OPENAI_API_KEY');
      expect(bundle.script).not.toContain('sk-never');
    } finally {
      delete process.env['OPENAI_API_KEY'];
    }
  });
});

describe('the check of syntax', () => {
  it.each([
    ['for await (const a of b) a;', 'for await'],
    ["const a = import('./a.js');", 'import()'],
    ['let a; a ??= 1;', '??='],
    ["'a'.replaceAll('a', 'b');", '.replaceAll'],
    ['class A { #a = 1 }', 'class fields'],
    ['async function* f() {}', 'async generator'],
    ['@a class B {}', 'decorators'],
    ['using a = b;', 'using'],
    ['const a = process.env;', 'process'],
  ])('refuses %s', (text, what) => {
    const { program } = parseSync('a.js', text);
    expect(beyondK6(program)).toContain(what);
  });
});

describe('the sources', () => {
  it('have no copy of k6 in them', () => {
    expect(existsSync('node_modules/k6')).toBe(false);
  });
});
