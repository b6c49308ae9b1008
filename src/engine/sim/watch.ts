import type { View } from '../../admission/types.ts';
import type { StateRow } from '../../ledger/rows.ts';
import type { Model } from '../../model/types.ts';
import type { Sink } from './sink.ts';

/** Says how gate and model stood at the end of each instant in which something happened to them. */
export interface Watch {
  touchGate(): void;
  touchModel(): void;
  /** Time is about to move on from `atUs`. */
  settle(atUs: number): void;
}

/** @param gate undefined where there is none */
export function createWatch(sink: Sink, gate: View | undefined, model: Model): Watch {
  let gateTouched = sink.state !== undefined && gate !== undefined;
  let modelTouched = sink.busy !== undefined;
  let last: StateRow | undefined;

  function sayState(view: View, atUs: number): void {
    const row = stateRow(view, atUs);
    if (last === undefined || differ(last, row)) sink.state?.(row);
    last = row;
  }

  return {
    touchGate() {
      gateTouched = true;
    },
    touchModel() {
      modelTouched = true;
    },
    settle(atUs) {
      if (gateTouched && gate !== undefined && sink.state !== undefined) sayState(gate, atUs);
      if (modelTouched) sink.busy?.({ kind: 'busy', atUs, computeUs: model.computeUs(atUs) });
      gateTouched = false;
      modelTouched = false;
    },
  };
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
