import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { run, scratch } from './program.ts';

vi.setConfig({ testTimeout: 90_000 });

const README = readFileSync('README.md', 'utf8');
const place = scratch();
afterAll(() => place.remove());

/** Every `loadline …` that the manual names, as its words. */
const COMMANDS = [...README.matchAll(/(?:npx )?\bloadline ([a-z][^`\n|]*)/g)]
  .map(([, words = '']) => words.replaceAll('…', '').trim().split(/\s+/))
  .filter(([name = '']) => /^[a-z0-9]+$/.test(name));
const named = (name: string) => COMMANDS.filter(([first]) => first === name);
const flagsOf = (words: readonly string[]) => words.filter((word) => word.startsWith('-'));

describe('the manual', () => {
  it('names commands', () => {
    expect(new Set(COMMANDS.map(([name]) => name)).size).toBeGreaterThan(10);
  });

  it.each([
    'bench',
    'sim',
    'sweep',
    'tune',
    'replay',
    'drill',
    'alerts',
    'k6',
    'import',
    'calibrate',
    'check',
    'stub',
    'gateway',
    'report',
    'publish',
    'ledger',
  ])('speaks of `loadline %s` and of flags that it has', async (name) => {
    expect(named(name).length).toBeGreaterThan(0);
    const { code, stdout } = await run([name, '--help']);
    expect(code).toBe(0);
    for (const flag of named(name).flatMap(flagsOf)) expect(stdout).toContain(flag);
  });

  it('has a scenario that runs', async () => {
    const [, source = ''] = README.match(/```ts\n([\s\S]*?)```/) ?? [];
    const file = place.path('reviews.ts');
    writeFileSync(file, source);
    const { code, stdout } = await run(['sim', file, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ scenario: { name: 'reviews' } });
  });

  it('has make targets that are there', () => {
    const makefile = readFileSync('Makefile', 'utf8');
    const targets = [...README.matchAll(/^make ([a-z0-9]+)/gm)].map(([, name]) => name);
    expect(targets).toEqual(expect.arrayContaining(['bench', 'test', 'run', 'sweep']));
    for (const target of targets) expect(makefile).toContain(`\n${target}:`);
  });

  it('shows a picture that is there', () => {
    const [, path = ''] = README.match(/!\[[^\]]*\]\(([^)]+)\)/) ?? [];
    expect(readFileSync(path).subarray(1, 4).toString()).toBe('PNG');
  });
});
