import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'ends on %s and calls that no fault',
  async (signal) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'stubs/main.ts', '--port', '0'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const exit = once(child, 'exit');
    child.kill(signal);
    expect(await exit).toEqual([0, null]);
  },
);
