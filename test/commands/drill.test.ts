import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { drillCommand } from '../../src/commands/drill.ts';

let place = '';
let said: string[] = [];
const take = (text: string | Uint8Array, done?: unknown) => {
  said.push(String(text));
  if (typeof done === 'function') done();
  return true;
};
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'loadline-drill-'));
  said = [];
  vi.spyOn(process.stdout, 'write').mockImplementation(take);
  vi.spyOn(process.stderr, 'write').mockImplementation(take);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(place, { recursive: true, force: true });
});

const drill = (...argv: string[]) => drillCommand().parseAsync(argv, { from: 'user' });

describe('drill --out', { timeout: 60_000 }, () => {
  it.each([
    ['lease-hold', [], 'lease-crossing'],
    ['preempt', [], 'preempt-night'],
    ['preempt', ['--json'], 'preempt-night'],
    ['admission', [], 'burst'],
  ])('writes the folder of a run and says where: %s %j', async (name, flags, played) => {
    const out = join(place, 'run');
    await drill(name, ...flags, '--out', out);
    expect(readdirSync(out).sort()).toEqual([
      ...['report.html', 'result.json', 'scenario.json', 'schedule.csv'],
    ]);
    expect(said.join('')).toContain(`page: ${join(out, 'report.html')}\n`);
    const { scenario } = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8'));
    expect(scenario.name).toBe(played);
  });

  it.each(['lease-hold', 'preempt', 'admission'])(
    'is refused for the script of %s, which has no run',
    async (name) => {
      const ran = drill(name, '--as', 'published', '--out', join(place, 'run'));
      await expect(ran).rejects.toThrow(/--out: expected --as .*, got --as published/);
      expect(existsSync(join(place, 'run'))).toBe(false);
    },
  );

  it('is looked at before a live drill begins', async () => {
    writeFileSync(join(place, 'file'), '');
    const ran = drill('preempt', '--live', '--out', join(place, 'file', 'run'));
    await expect(ran).rejects.toMatchObject({ exitCode: 2 });
    writeFileSync(join(place, 'other'), '');
    await expect(drill('preempt', '--live', '--out', place)).rejects.toThrow(/got one with files/);
  });
});
