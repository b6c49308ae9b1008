import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let place = '';
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'loadline-unfinished-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

/** Runs a script until it says a line, then sends it a signal. Returns how it ended. */
async function ended(script: string, signal: NodeJS.Signals): Promise<unknown[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  child.kill(signal);
  return exit;
}

describe.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('on %s', (signal) => {
  it('a command without an end of its own leaves no half of a folder', async () => {
    const script = `
      import { openRunFolder } from './src/commands/run-folder.ts';
      openRunFolder(${JSON.stringify(join(place, 'run'))}, false).put('client.jsonl', 'half');
      setInterval(() => {}, 1000);
      console.log('ready');
    `;
    expect(await ended(script, signal)).toEqual([null, signal]);
    expect(readdirSync(place)).toEqual([]);
  });

  it('files that are being written become whole, and then it ends', async () => {
    const path = join(place, 'page.html');
    const script = `
      import { writeFileSync, writeSync } from 'node:fs';
      import { beginUnfinished, endUnfinished } from './src/commands/unfinished.ts';
      const path = ${JSON.stringify(path)};
      beginUnfinished(path);
      writeSync(1, 'ready');
      for (const endMs = performance.now() + 500; performance.now() < endMs; );
      writeFileSync(path, 'page');
      endUnfinished(path);
      setInterval(() => {}, 1000);
    `;
    expect(await ended(script, signal)).toEqual([null, signal]);
    expect(readFileSync(path, 'utf8')).toBe('page');
    expect(readdirSync(place)).toEqual(['page.html']);
  });
});
