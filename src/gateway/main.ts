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
 * Serves until SIGTERM or SIGINT: then new work is refused with 503, what is inside may end, and
 * this resolves. Says `{"event":"listening","port":n}` in one line of standard output when ready.
 * @throws UserError where it cannot start
 */
export async function gatewayMain(
  options: GatewayOptions,
  lifetime: GatewayProcess,
): Promise<void> {
  const gateway = await startGateway(options);
  // Whoever reads that it listens may tell it to stop at once.
  const asked = stopAsked(lifetime.exitWithParent);
  process.stdout.write(`${JSON.stringify({ event: 'listening', port: gateway.port })}\n`);
  const gentle = await asked;
  if (gentle) await within(lifetime.graceMs, gateway.drain());
  await gateway.close();
}

/** True: a signal asks for an orderly end. False: whoever started this has gone. */
function stopAsked(exitWithParent: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const { stdin } = process;
    const stop = (gentle: boolean) => {
      // A pipe that is still read would keep a process alive that has nothing left to do.
      if (exitWithParent) stdin.destroy();
      resolve(gentle);
    };
    process.once('SIGTERM', () => stop(true));
    process.once('SIGINT', () => stop(true));
    if (!exitWithParent) return;
    stdin.once('end', () => stop(false));
    stdin.once('close', () => stop(false));
    stdin.resume();
  });
}

async function within(limitMs: number, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([done, limit]);
  clearTimeout(timer);
}
