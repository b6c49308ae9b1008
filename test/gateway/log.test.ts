import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLog } from '../../src/gateway/log.ts';
import { until } from './support.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loadline-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the log of decisions', () => {
  it('has every line in its file once it is closed', async () => {
    const file = join(folder, 'decisions.log');
    const { log, close } = openLog(file);
    log('admit', { reason: 'none' });
    log('reject', { reason: 'queue_age' });
    await close();
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).decision)).toEqual(['admit', 'reject']);
  });

  it('is refused in one line where it cannot be opened', () => {
    writeFileSync(join(folder, 'file'), '');
    for (const path of [join(folder, 'file', 'log'), join(folder, 'none', 'log'), folder]) {
      expect(() => openLog(path)).toThrow(/expected a log that can be written, got E/);
    }
  });

  it.runIf(existsSync('/dev/full'))('stops on a full disk, says so once and closes', async () => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const { log, close } = openLog('/dev/full');
    log('admit', {});
    await until(() => said.mock.calls.length > 0, 'it says so');
    log('admit', {});
    await close();
    expect(said.mock.calls).toEqual([
      ['loadline: /dev/full: no more decision lines, got ENOSPC\n'],
    ]);
    said.mockRestore();
  });
});
