import { movableDraws, type StreamKey } from '../random.ts';
import type { Arrivals, TraceRow } from '../scenario/types.ts';
import { US_PER_S, usFromS } from '../units.ts';
import { placesInOrder } from './at.ts';
import type { ProcessTimes } from './process.ts';

type Trace = Extract<Arrivals, { readonly process: 'trace' }>;

/**
 * Recorded arrivals, replayed: at most `limit` of them, spread over `dequantiseS` (every row, since
 * a coarse clock hides the instant of a lone row as much as that of a tied one), gaps divided by
 * `speed`. Tokens and services stay as recorded. Rows at or after the end of the run are left out,
 * and, where that is asked for, those that are taken for retries: then a first try asks for what its
 * last one was served with, and all the others keep their draws.
 */
export function replayedRows(trace: Trace, durationS: number, spread: StreamKey): ProcessTimes {
  const recorded = trace.limit === null ? trace.rows : trace.rows.slice(0, trace.limit);
  const rows = trace.retries === 'kept' ? recorded : recorded.map(logical);
  const spreadUs = spreadTimes(rows, trace.dequantiseS, spread);
  const timesUs = spreadUs.map((atUs) => Math.round(atUs / trace.speed));
  const endUs = usFromS(durationS);
  const counts = (place: number) => trace.retries === 'kept' || rows[place]?.retry !== true;
  const places = placesInOrder(timesUs).filter(
    (place) => (timesUs[place] ?? endUs) < endUs && counts(place),
  );
  return { timesUs: places.map((place) => timesUs[place] ?? 0), places, rows };
}

function logical(row: TraceRow): TraceRow {
  return row.served === undefined ? row : { ...row, ...row.served };
}

/** The rows' instants, each moved forward by a keyed uniform part of `dequantiseS`. Microseconds. */
export function spreadTimes(
  rows: readonly TraceRow[],
  dequantiseS: number,
  key: StreamKey,
): number[] {
  if (dequantiseS === 0) return rows.map((row) => row.atUs);
  const rng = movableDraws();
  return rows.map(
    (row, i) => row.atUs + Math.floor(rng.moveTo(key, i).uniform() * dequantiseS * US_PER_S),
  );
}
