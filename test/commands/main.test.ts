import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it('writes what was measured though nobody is left to read its notes', async () => {
  const place = mkdtempSync(join(tmpdir(), 'loadline-main-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const out = join(place, 'run');
  const argv = ['--import', 'tsx', 'src/cli.ts', 'sim', 'smoke', '-n', '1', '--out', out];
  const child = spawn(process.execPath, argv, { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  // As a terminal that closes.
  child.stderr.destroy();
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(existsSync(join(out, 'result.json'))).toBe(true);
}, 30_000);
