import type { Rng } from '../random.ts';
import type { TraceRow } from '../scenario/types.ts';

/** Blocks are drawn from this part of the rows around their place, so that a rush stays where it is. */
const NEAR = 0.1;
/** Times the rows beyond which none are drawn: where many share an instant, time may stand still. */
const MOST_TIMES = 4;

/**
 * Rows that could have been recorded instead: blocks of neighbours with their gaps and their work,
 * n^(1/3) long so that clumps and slow spells stay what they are, each drawn from rows near the
 * instant that is reached (the local block bootstrap of Paparoditis and Politis, 2002). As many come
 * as fit into the time of the rows, so that their number varies as their gaps do.
 */
export function resampledRows(rows: readonly TraceRow[], rng: Rng): TraceRow[] {
  const sorted = [...rows].sort((a, b) => a.atUs - b.atUs);
  const endUs = sorted.at(-1)?.atUs ?? 0;
  const block = Math.max(1, Math.round(Math.cbrt(sorted.length)));
  const near = Math.max(block, Math.round((NEAR / 2) * sorted.length));
  const last = Math.max(0, sorted.length - block);
  const drawn: TraceRow[] = [];
  let atUs = 0;
  let place = 0;
  while (drawn.length < MOST_TIMES * sorted.length) {
    while ((sorted[place]?.atUs ?? Infinity) < atUs) place++;
    const low = Math.min(last, Math.max(0, place - near));
    const high = Math.max(low, Math.min(last, place + near - block));
    const from = low + Math.floor(rng.uniform() * (high - low + 1));
    for (let i = from; i < Math.min(from + block, sorted.length); i++) {
      const row = sorted[i];
      if (row === undefined) break;
      atUs += row.atUs - (sorted[i - 1]?.atUs ?? 0);
      if (atUs > endUs) return drawn;
      drawn.push({ ...row, atUs });
    }
  }
  return drawn;
}
