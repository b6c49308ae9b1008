import type { View } from '../../admission/types.ts';
import type { StateRow } from '../../ledger/rows.ts';
import type { ModelMachine } from '../../model/machine.ts';
import type { Sink } from './sink.ts';

/**
 * Says how gate and model stood at the end of each instant in which something happened to them.
 * A class, not closures: a run in a sweep is short, and its calls are to stay the same from run to run.
 */
export class Watch {
  private gateTouched: boolean;
  private modelTouched: boolean;
  private last: StateRow | undefined = undefined;

  /** @param gate undefined where there is none */
  constructor(
    private readonly sink: Sink,
    private readonly gate: View | undefined,
    private readonly model: ModelMachine,
  ) {
    this.gateTouched = sink.state !== undefined;
    this.modelTouched = sink.busy !== undefined;
  }

  touchGate(): void {
    this.gateTouched = true;
  }

  touchModel(): void {
    this.modelTouched = true;
  }

  /** Time is about to move on from `atUs`. */
  settle(atUs: number): void {
    const { sink, gate, model } = this;
    if (this.gateTouched && gate !== undefined && sink.state !== undefined) {
      this.sayState(gate, atUs);
    }
    if (this.modelTouched) sink.busy?.({ kind: 'busy', atUs, computeUs: model.computeUs(atUs) });
    this.gateTouched = false;
    this.modelTouched = false;
  }

  private sayState(gate: View, atUs: number): void {
    const row = stateRow(gate, atUs);
    if (this.last === undefined || differ(this.last, row)) this.sink.state?.(row);
    this.last = row;
  }
}

function stateRow(view: View, atUs: number): StateRow {
  return {
    kind: 'state',
    atUs,
    oldestUs: view.oldestQueuedUs,
    queued: view.queued,
    leased: view.leased,
    slots: view.policy.slots,
    slackUs: view.slackUs(atUs) ?? null,
    oldestBatchUs: view.oldestBatchUs,
  };
}

/** Whether more has changed than time. */
function differ(a: StateRow, b: StateRow): boolean {
  return (
    a.queued !== b.queued ||
    a.leased !== b.leased ||
    a.slots !== b.slots ||
    a.oldestUs !== b.oldestUs ||
    a.oldestBatchUs !== b.oldestBatchUs
  );
}
