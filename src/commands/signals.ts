import { setMaxListeners } from 'node:events';
import { UserError } from '../errors.ts';

/** What asks a process to end: Ctrl-C, who started it, and the terminal that it stands in, when it closes. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

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
  const abort = (signal: NodeJS.Signals) => {
    // A terminal that closes says so twice, by its shell and by the system: nobody is impatient.
    if (controller.signal.aborted && signal !== 'SIGHUP') process.exit(130);
    controller.abort();
  };
  for (const signal of END_SIGNALS) process.on(signal, abort);
  return {
    signal: controller.signal,
    release() {
      for (const signal of END_SIGNALS) process.off(signal, abort);
    },
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
