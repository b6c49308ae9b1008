import { openSync } from 'node:fs';
import { destination, pino } from 'pino';
import { printable, UserError } from '../errors.ts';

/** Writes one structured line. Values come from closed sets and numbers, and names cut to length. */
export type Log = (decision: string, fields: Readonly<Record<string, unknown>>) => void;

export interface DecisionLog {
  readonly log: Log;
  /** Writes what is left. */
  close(): Promise<void>;
}

/**
 * A log that takes no more lines loses them: unlike the ledger it is no evidence, and the gate
 * goes on.
 * @param to a file, `stdout`, or null for none
 * @throws UserError where the file cannot be opened, as in a folder that is not there
 */
export function openLog(to: string | null): DecisionLog {
  if (to === null) return { log: () => {}, close: async () => {} };
  const sink = destination({ dest: to === 'stdout' ? 1 : openFile(to), sync: false });
  let lost = false;
  let ended: Promise<void> | undefined;
  sink.on('error', (error) => {
    if (lost) return;
    lost = true;
    process.stderr.write(
      `loadline: ${printable(to)}: no more decision lines, got ${codeOf(error)}\n`,
    );
    // Its last flush, when the process ends, would try again for ever.
    sink.destroy();
  });
  const logger = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    sink,
  );
  return {
    log(decision, fields) {
      if (!lost) logger.info({ decision, ...fields });
    },
    async close() {
      if (lost) return;
      ended ??= endOf(sink);
      await ended;
    },
  };
}

/** A sink that is ended a second time throws, so its owner asks once. */
function endOf(sink: ReturnType<typeof destination>): Promise<void> {
  const over = new Promise<void>((resolve) => {
    sink.once('close', resolve).once('error', () => resolve());
  });
  sink.end();
  return over;
}

function openFile(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (error) {
    throw new UserError(`${path}: expected a log that can be written, got ${codeOf(error)}`);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
