/** Ctrl-C during a run: the first asks it to end and to keep what was measured, the second ends us. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Ctrl-C means again what it means everywhere. */
  release(): void;
}

export function interruptSignal(): Interrupt {
  const controller = new AbortController();
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
