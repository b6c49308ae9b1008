import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has said so far. */
  said(): { stdout: string; stderr: string };
}

/** Starts the built program, as a user does. */
export function start(argv: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  if (!existsSync(CLI)) throw new Error('expected dist/cli.js: run `make build` first');
  const child = spawn(process.execPath, [CLI, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...text }));
  return { child, ended, said: () => ({ ...text }) };
}

/** Runs it to its end. */
export function run(argv: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return start(argv, env).ended;
}

/** Waits until a condition holds, looking every 20 ms; throws after 40 s. */
export async function until<T>(what: string, look: () => T | undefined): Promise<T> {
  const endMs = performance.now() + 40_000;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new Error(`expected ${what} within 40 s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The port that a part says it listens on. */
export function portOf(running: Running): Promise<number> {
  return until('a ready line', () => {
    const port = /"event":"listening","port":(\d+)/.exec(running.said().stdout)?.[1];
    return port === undefined ? undefined : Number(port);
  });
}

/** A folder for one test file; `remove` when done. */
export function scratch(): { path: (name: string) => string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'loadline-e2e-'));
  return {
    path: (name) => join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
