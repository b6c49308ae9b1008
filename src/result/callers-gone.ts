import type { RequestRow } from '../ledger/rows.ts';

/** Slot time of one request's last attempt that nobody had an answer from, in microseconds. */
export interface GoneUs {
  readonly slotUs: number;
  /** Of it, after the caller had left. */
  readonly afterUs: number;
}

const NOTHING: GoneUs = { slotUs: 0, afterUs: 0 };

/**
 * What a slot worked for a caller who left: its patience or its timeout came to an end. What came
 * before it left is lost as well; what comes after is a gate or an endpoint that did not notice.
 */
export function goneUs(row: RequestRow): GoneUs {
  const { doorUs, waitUs, heldUs, endUs } = row;
  if (!hasLeft(row) || doorUs === null || waitUs === null || heldUs === null) return NOTHING;
  const backUs = doorUs + waitUs + heldUs;
  return { slotUs: heldUs, afterUs: Math.min(heldUs, Math.max(0, backUs - endUs)) };
}

function hasLeft({ outcome, code }: RequestRow): boolean {
  return outcome === 'abandoned' || (outcome === 'failed' && code === 'timeout');
}
