import type { AdmissionConfig, Effect, Input } from '../admission/types.ts';
import { UserError } from '../errors.ts';
import { type GateLine, LEDGER_VERSION } from '../ledger/lines.ts';
import { Runbook001 } from '../ledger/runbook001.ts';
import { createLedgerWriter, type LedgerWriter, openLineWriter } from '../ledger/writer.ts';

/** The evidence of one gate. */
export interface GateLedger {
  /** In the files before this returns where there were effects; UserError where they take no more. */
  record(input: Input, atUs: number, effects: readonly Effect[]): void;
  recordBusy(atUs: number, computeUs: number): void;
  close(): void;
}

/** Where lines go. `append` takes the same line, whatever form the file has. */
type Sink = Pick<LedgerWriter<GateLine>, 'append' | 'flush' | 'close'>;

/**
 * Opens the files for the inputs and effects of one machine.
 * @param path the gate's ledger; null: none
 * @param runbookPath the same in runbook 001's events, added to what is there; null: none
 */
export function openGateLedger(
  path: string | null,
  runbookPath: string | null,
  config: AdmissionConfig,
): GateLedger {
  let failure: UserError | undefined;
  const onError = (error: UserError) => {
    failure = error;
  };
  const sinks: Sink[] = [];
  if (path !== null) {
    const header = { ledger: 'gate', schemaVersion: LEDGER_VERSION, config } as const;
    sinks.push(createLedgerWriter<'gate'>(path, header, { onError }));
  }
  if (runbookPath !== null) sinks.push(runbookSink(runbookPath, config, onError));
  const append = (line: GateLine) => {
    for (const sink of sinks) sink.append(line);
  };
  const full = () => failure ?? new UserError('ledger: expected to write, could not', 1);
  return {
    record(input, atUs, effects) {
      append({ t: atUs, in: input });
      for (const effect of effects) append({ t: atUs, out: effect });
      if (effects.length === 0 && failure === undefined) return;
      for (const sink of sinks) if (!sink.flush()) throw full();
    },
    recordBusy: (atUs, computeUs) => append({ t: atUs, busy: computeUs }),
    close() {
      for (const sink of sinks) sink.close();
    },
  };
}

function runbookSink(
  path: string,
  config: AdmissionConfig,
  onError: (error: UserError) => void,
): Sink {
  const projection = new Runbook001(config);
  const encode = (event: object) => `${JSON.stringify(event)}\n`;
  const writer = openLineWriter<object>(path, encode, { onError, flags: 'a' });
  return {
    append(line) {
      for (const event of projection.take(line)) writer.append(event);
    },
    flush: () => writer.flush(),
    close: () => writer.close(),
  };
}
