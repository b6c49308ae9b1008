import { setMaxListeners } from 'node:events';
import { UserError } from '../errors.ts';

/** Ctrl-C during a run: the first asks it to end and to keep what was measured, the second ends us. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Ctrl-C means again what it means everywhere. */
  release(): void;
}

export function interruptSignal(): Interrupt {
  const controller = new AbortController();
  // Every request in flight listens.
  setMaxListeners(0, controller.signal);
  const abort = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on('SIGINT', abort).on('SIGTERM', abort);
  return {
    signal: controller.signal,
    release: () => void process.off('SIGINT', abort).off('SIGTERM', abort),
  };
}

/**
 * Waits for what keeps nothing where it is given up, such as a look at an endpoint that hangs.
 * @throws UserError as soon as the signal is aborted; the work goes on unheard
 */
export async function unlessInterrupted<T>(
  signal: AbortSignal | undefined,
  work: Promise<T>,
): Promise<T> {
  if (signal === undefined) return work;
  let give: () => void = () => {};
  const given = new Promise<never>((_, reject) => {
    give = () => reject(new UserError('interrupted before anything was measured', 1));
  });
  signal.addEventListener('abort', give, { once: true });
  if (signal.aborted) give();
  try {
    return await Promise.race([work, given]);
  } finally {
    signal.removeEventListener('abort', give);
  }
}
