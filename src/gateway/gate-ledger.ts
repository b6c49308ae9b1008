import type { AdmissionConfig, Effect, Input } from '../admission/types.ts';
import { UserError } from '../errors.ts';
import { LEDGER_VERSION } from '../ledger/lines.ts';
import { createLedgerWriter } from '../ledger/writer.ts';

/** The evidence of one gate. */
export interface GateLedger {
  /** In the file before this returns where there were effects; UserError where it takes no more. */
  record(input: Input, atUs: number, effects: readonly Effect[]): void;
  recordBusy(atUs: number, computeUs: number): void;
  close(): void;
}

const NO_LEDGER: GateLedger = { record: () => {}, recordBusy: () => {}, close: () => {} };

/**
 * Opens the file for the inputs and effects of one machine.
 * @param path null: nothing is kept
 */
export function openGateLedger(path: string | null, config: AdmissionConfig): GateLedger {
  if (path === null) return NO_LEDGER;
  let failure: UserError | undefined;
  const writer = createLedgerWriter<'gate'>(
    path,
    { ledger: 'gate', schemaVersion: LEDGER_VERSION, config },
    { onError: (error) => (failure = error) },
  );
  return {
    record(input, atUs, effects) {
      writer.append({ t: atUs, in: input });
      for (const effect of effects) writer.append({ t: atUs, out: effect });
      if (effects.length === 0 && !writer.failed) return;
      if (!writer.flush()) throw failure ?? new UserError(`${path}: expected to write`, 1);
    },
    recordBusy: (atUs, computeUs) => writer.append({ t: atUs, busy: computeUs }),
    close: () => void writer.close(),
  };
}
