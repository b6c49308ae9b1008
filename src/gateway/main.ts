import { UserError } from '../errors.ts';
import { startGateway } from './server.ts';
import type { GatewayOptions } from './settings.ts';

/** How the gate runs as a process of its own. */
export interface GatewayProcess {
  /** End when standard input closes, so that no orphan outlives who started it. */
  readonly exitWithParent: boolean;
  /** Wall time for what is inside to end, once told to stop. */
  readonly graceMs: number;
}

/**
 * Serves until SIGTERM, SIGINT or SIGHUP: then new work is refused with 503, what is inside may end,
 * and this resolves; a second SIGTERM or SIGINT ends it at once.
 * Says `{"event":"listening","port":n}` in one line of standard output when ready.
 * @throws UserError where it cannot start; also where it had to cut off what it had let in (exit code 1)
 */
export async function gatewayMain(
  options: GatewayOptions,
  { exitWithParent, graceMs }: GatewayProcess,
): Promise<void> {
  const gateway = await startGateway(options);
  // Whoever reads that it listens may tell it to stop at once.
  const asked = endAsked(exitWithParent);
  process.stdout.write(`${JSON.stringify({ event: 'listening', port: gateway.port })}\n`);
  let cutOff = 0;
  if (await asked.gently) {
    if (!exitWithParent) say(drainText(gateway.unanswered(), graceMs));
    await within(graceMs, Promise.race([gateway.drain(), asked.atOnce]));
    cutOff = gateway.unanswered();
  }
  await gateway.close();
  // A run that is over has counted them itself.
  if (cutOff > 0 && !exitWithParent)
    throw new UserError(`cut off: ${cutOff} that had not ended`, 1);
}

interface EndAsked {
  /** True: a signal asks for an orderly end. False: whoever started this has gone. */
  readonly gently: Promise<boolean>;
  /** A second signal. */
  readonly atOnce: Promise<void>;
}

function endAsked(exitWithParent: boolean): EndAsked {
  const { stdin } = process;
  let endGently: (isGentle: boolean) => void = () => {};
  let endAtOnce: () => void = () => {};
  const gently = new Promise<boolean>((resolve) => {
    endGently = resolve;
  });
  const atOnce = new Promise<void>((resolve) => {
    endAtOnce = resolve;
  });
  let isAsked = false;
  const stop = (isGentle: boolean) => {
    isAsked = true;
    // A pipe that is still read would keep a process alive that has nothing left to do.
    if (exitWithParent) stdin.destroy();
    endGently(isGentle);
  };
  const heard = (signal: NodeJS.Signals) => {
    // A terminal that closes says so twice, by its shell and by the system: nobody is impatient.
    if (isAsked && signal !== 'SIGHUP') endAtOnce();
    else stop(true);
  };
  process.on('SIGTERM', heard).on('SIGINT', heard).on('SIGHUP', heard);
  if (exitWithParent) {
    stdin.once('end', () => stop(false));
    stdin.once('close', () => stop(false));
    stdin.resume();
  }
  return { gently, atOnce };
}

function drainText(inside: number, graceMs: number): string {
  if (inside === 0) return '';
  return `draining: ${inside} inside, for at most ${graceMs / 1000} s; a second signal ends it at once`;
}

/** To who looks at it, not to who reads its log. */
function say(text: string): void {
  if (text !== '') process.stderr.write(`${text}\n`);
}

async function within(limitMs: number, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([done, limit]);
  clearTimeout(timer);
}
