import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { publishCommand } from '../../src/commands/publish.ts';

const place = mkdtempSync(join(tmpdir(), 'loadline-publish-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

it('says in its index what each page is made of', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((...args: unknown[]) => {
    const then = args.at(-1);
    if (typeof then === 'function') then();
    return true;
  });
  try {
    const folders = ['rush', 'rush-tune', 'burst-sweep'].map((name) => join('reports', name));
    await publishCommand().parseAsync([...folders, '--out', place], { from: 'user' });
  } finally {
    write.mockRestore();
  }
  const index = readFileSync(join(place, 'index.html'), 'utf8');
  const kinds = [...index.matchAll(/class="badge">([^<]+)<\/small> <a href="([^"]+)"/g)];
  expect(kinds.map(([, kind, page]) => [page, kind])).toEqual([
    ['rush.html', 'Run, simulated'],
    ['rush-tune.html', 'Tuning'],
    ['burst-sweep.html', 'Sweep'],
  ]);
});

it('writes where the clone ignores it, unless told', () => {
  expect(readFileSync('.gitignore', 'utf8').split('\n')).toContain('reports/site/');
  const [out] = publishCommand().options.filter(({ long }) => long === '--out');
  expect(out?.defaultValue).toBe(join('reports', 'site'));
});
