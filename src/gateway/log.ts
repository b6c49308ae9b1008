import { once } from 'node:events';
import { destination, pino } from 'pino';

/** Writes one structured line. Values come from closed sets and numbers, and names cut to length. */
export type Log = (decision: string, fields: Readonly<Record<string, unknown>>) => void;

export interface DecisionLog {
  readonly log: Log;
  /** Writes what is left. */
  close(): Promise<void>;
}

/** @param to a file, `stdout`, or null for none */
export function openLog(to: string | null): DecisionLog {
  if (to === null) return { log: () => {}, close: async () => {} };
  const sink = destination({ dest: to === 'stdout' ? 1 : to, sync: false, mkdir: true });
  const ready = once(sink, 'ready');
  const logger = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    sink,
  );
  return {
    log: (decision, fields) => logger.info({ decision, ...fields }),
    async close() {
      await ready;
      sink.flushSync();
    },
  };
}
