/** A part whose files may grow to a limit: a full disk that needs neither root nor a disk. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Launch, Part } from '../../engine/live/child.ts';
import { UserError } from '../../errors.ts';

const READY_MS = 20_000;
const GRACE_MS = 5_000;

/**
 * Starts a part under a shell's `ulimit -f`; with SIGXFSZ ignored a write beyond it fails (EFBIG)
 * as one on a full disk does (ENOSPC).
 * @throws UserError where it does not start
 */
export async function startLimited(
  { script, nodeArguments }: Launch,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  limitKb: number,
): Promise<Part> {
  // Posix counts blocks of 512 bytes, bash those of 1024 unless it is called sh.
  const shell = `trap '' XFSZ; ulimit -f ${2 * limitKb}; exec "$@"`;
  const command = [process.execPath, ...nodeArguments, script, ...argv];
  const child = spawn('/bin/sh', ['-c', shell, 'sh', ...command], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env,
    detached: true,
  });
  child.stdin?.on('error', () => {});
  try {
    const port = await listening(child);
    return { name: 'gateway', port, pid: child.pid ?? 0, stop: () => stop(child) };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

async function listening(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error('expected its output');
  const lines = createInterface({ input: child.stdout });
  const signal = AbortSignal.timeout(READY_MS);
  try {
    for (;;) {
      const [line] = (await once(lines, 'line', { signal })) as [string];
      const port = /"event":"listening","port":(\d+)/.exec(line)?.[1];
      if (port !== undefined) return Number(port);
    }
  } catch {
    throw new UserError('gateway: expected it to start under a limit of file size, it did not', 1);
  } finally {
    child.stdout.resume();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await gone;
  clearTimeout(timer);
}
