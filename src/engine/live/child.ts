/** The parts that run as processes of their own: started, awaited, and ended by their process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { UserError } from '../../errors.ts';

/** How a child is started: node's own arguments and the script. */
export interface Launch {
  readonly script: string;
  readonly nodeArguments: readonly string[];
}

export interface Part {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** Asks it to end, and ends it where it does not within the grace. */
  stop(): Promise<void>;
}

const READY_TIMEOUT_MS = 20_000;
const GRACE_MS = 5_000;
/** What is kept of its stderr, to say why it did not start. */
const KEPT_CHARACTERS = 4_000;

/**
 * Starts a part and waits until it says `{"event":"listening","port":n}`. Its standard input stays
 * open while we live and closes when we die, whatever of: then it ends by itself.
 * @throws UserError with what it said on stderr
 */
export async function startPart(
  name: string,
  { script, nodeArguments }: Launch,
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Part> {
  const child = spawn(process.execPath, [...nodeArguments, script, ...argv], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env,
    // A Ctrl-C at the terminal is ours to handle: the parts end when the run has been written.
    detached: true,
  });
  const said = collect(child);
  try {
    const port = await listening(name, child, said);
    return { name, port, pid: child.pid ?? 0, stop: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

function collect(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-KEPT_CHARACTERS);
  });
  child.stdin?.on('error', () => {});
  return () => text;
}

function listening(name: string, child: ChildProcess, said: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = (what: string) => reject(new UserError(startError(name, what, said()), 1));
    const timer = setTimeout(() => fail('nothing for 20 s'), READY_TIMEOUT_MS);
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code, signal) => fail(`exit code ${code ?? signal}`));
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const port = /"event":"listening","port":(\d+)/.exec(text)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
    child.once('exit', () => clearTimeout(timer));
  });
}

/** Its own last line says most. */
function startError(name: string, what: string, said: string): string {
  const lines = said.trim().split('\n');
  const own = lines.findLast((line) => line.startsWith('loadline'));
  if (own !== undefined) return own.replace(/^loadline[^:]*: /, '');
  const last = lines.at(-1) ?? '';
  return `${name}: expected it to start, got ${what}${last === '' ? '' : `: ${last}`}`;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  await gone;
  clearTimeout(timer);
}
