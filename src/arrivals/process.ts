import { UserError } from '../errors.ts';
import { drawsAt, type Rng, streamKey } from '../random.ts';
import type { Arrivals, TraceRow } from '../scenario/types.ts';
import { atTimes } from './at.ts';
import { constantTimes } from './constant.ts';
import { gammaTimes } from './gamma.ts';
import { poissonTimes } from './poisson.ts';
import { rateOf, steadyRate } from './rate.ts';
import { replayedRows } from './replayed.ts';

/** The instants of one process in rising order, and what its rows recorded where it has rows. */
export interface ProcessTimes {
  readonly timesUs: readonly number[];
  /** Place of each in the list or trace it came from; null: its position. */
  readonly places: readonly number[] | null;
  readonly rows: readonly TraceRow[] | null;
}

/**
 * Plays an arrival process over [0, durationS).
 * @param name whose process it is, the key of its draws: '' for the scenario's, else the class
 * @throws UserError where it would be more than fit into memory
 */
export function processTimes(
  arrivals: Arrivals,
  durationS: number,
  seed: number,
  name: string,
): ProcessTimes {
  switch (arrivals.process) {
    case 'at':
      return { ...atTimes(arrivals.atS, durationS), rows: null };
    case 'trace':
      return replayedRows(arrivals, durationS, streamKey(seed, 'spread', name));
    default: {
      const rng = drawsAt(streamKey(seed, 'gap', name));
      return { timesUs: drawnTimes(arrivals, durationS, rng), places: null, rows: null };
    }
  }
}

/** More do not fit into memory with their demands and what becomes of them. */
const MOST_ARRIVALS = 5_000_000;

type Drawn = Exclude<Arrivals, { readonly process: 'at' | 'trace' }>;

function drawnTimes(arrivals: Drawn, durationS: number, rng: Rng): number[] {
  const { bursts } = arrivals;
  const rate =
    arrivals.process === 'ramp'
      ? rateOf(arrivals, bursts, durationS)
      : steadyRate(arrivals.ratePerS, bursts, durationS);
  if (!(rate.total <= MOST_ARRIVALS)) throw tooMany(rate.total);
  switch (arrivals.process) {
    case 'poisson':
    case 'ramp':
      return poissonTimes(rate, rng);
    case 'constant':
      return constantTimes(rate);
    case 'gamma':
      return gammaTimes(rate, arrivals.burstiness, rng);
  }
}

function tooMany(total: number): UserError {
  return new UserError(
    `arrivals: expected at most ${MOST_ARRIVALS} in a run, got ${total.toPrecision(3)} by their rate, bursts and durationS`,
  );
}
