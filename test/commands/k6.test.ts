import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { k6Command } from '../../src/commands/k6.ts';

let place = '';
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'loadline-k6-'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** What it tells the user to paste. */
async function said(...argv: string[]): Promise<string[]> {
  let text = '';
  const notes = vi.spyOn(process.stderr, 'write').mockImplementation((of: unknown) => {
    text += String(of);
    return true;
  });
  const files = vi.spyOn(process.stdout, 'write').mockImplementation((...args: unknown[]) => {
    const then = args.at(-1);
    if (typeof then === 'function') then();
    return true;
  });
  try {
    const to = ['-o', join(place, 'smoke.k6.js'), '--force'];
    await k6Command().parseAsync(['smoke', ...to, ...argv], { from: 'user' });
  } finally {
    notes.mockRestore();
    files.mockRestore();
  }
  return text.trimEnd().split('\n');
}

it('says where the script sends in a line that can be pasted as it stands, and changed', async () => {
  const endpoint = "http://gate:8080/v1?team=it's";
  for (const instances of ['1', '2']) {
    const lines = await said('--endpoint', endpoint, '--instances', instances);
    const own = lines.find((line) => line.includes('ENDPOINT=')) ?? '';
    const shell = `${own}\nprintf %s "$ENDPOINT"`;
    expect(execFileSync('sh', ['-c', shell], { encoding: 'utf8' })).toBe(endpoint);
    expect(own.includes('on each of the 2 machines')).toBe(instances === '2');
    expect(lines.join('\n')).not.toMatch(/<[\w-]+>/);
    expect(lines.indexOf(own)).toBeLessThan(lines.findIndex((line) => line.includes('k6 run')));
  }
});
