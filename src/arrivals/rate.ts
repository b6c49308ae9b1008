import type { Burst } from '../scenario/types.ts';

/** A stretch of time in which the rate is a straight line. */
interface Piece {
  readonly fromS: number;
  readonly toS: number;
  /** Arrivals per second at `fromS`. */
  readonly ratePerS: number;
  /** Change of the rate, per second and second. */
  readonly slope: number;
  /** Expected arrivals before `fromS`. */
  readonly before: number;
}

/** A rate over time; its integral is the expected count, straight or quadratic in each piece. */
export interface Rate {
  readonly pieces: readonly Piece[];
  readonly durationS: number;
  /** Expected arrivals from 0 to `durationS`. */
  readonly total: number;
}

/**
 * The rate that goes linearly from one value to the other over the run, multiplied in each window
 * by its factor (where windows overlap, by all of them). Windows are half-open, [fromS, toS), and
 * may reach beyond the run.
 * @param base arrivals per second at the start and at the end of the run, each >= 0
 * @param durationS > 0
 */
export function rateOf(
  base: { readonly fromPerS: number; readonly toPerS: number },
  bursts: readonly Burst[],
  durationS: number,
): Rate {
  const slope = (base.toPerS - base.fromPerS) / durationS;
  const pieces: Piece[] = [];
  let total = 0;
  for (const [fromS, toS] of stretches(bursts, durationS)) {
    const factor = factorAt(bursts, (fromS + toS) / 2);
    const ratePerS = (base.fromPerS + slope * fromS) * factor;
    pieces.push({ fromS, toS, ratePerS, slope: slope * factor, before: total });
    total += (toS - fromS) * (ratePerS + (slope * factor * (toS - fromS)) / 2);
  }
  return { pieces, durationS, total };
}

/** A rate that is the same throughout, apart from its windows. */
export function steadyRate(ratePerS: number, bursts: readonly Burst[], durationS: number): Rate {
  return rateOf({ fromPerS: ratePerS, toPerS: ratePerS }, bursts, durationS);
}

/** Expected arrivals from 0 to `atS`. */
export function expectedBy(rate: Rate, atS: number): number {
  let sum = 0;
  for (const piece of rate.pieces) {
    const span = Math.min(atS, piece.toS) - piece.fromS;
    if (span <= 0) break;
    sum = piece.before + span * (piece.ratePerS + (piece.slope * span) / 2);
  }
  return sum;
}

/**
 * The instant by which so many arrivals are expected, in seconds: the inverse of `expectedBy`.
 * Infinity when the run ends before. The returned function moves along the run, so it must be asked
 * in rising order.
 */
export function instants(rate: Rate): (count: number) => number {
  const { pieces, total } = rate;
  let index = 0;
  let piece = pieces[0];
  let end = pieces[1]?.before ?? total;
  return (count) => {
    if (count >= total) return Number.POSITIVE_INFINITY;
    while (count >= end) {
      index++;
      piece = pieces[index];
      end = pieces[index + 1]?.before ?? total;
    }
    return piece === undefined ? Number.POSITIVE_INFINITY : within(piece, count - piece.before);
  };
}

function within(piece: Piece, area: number): number {
  if (piece.slope === 0) return piece.fromS + area / piece.ratePerS;
  // The root of rate t + slope t^2 / 2 = area, in the form that loses no digits for a small slope.
  const root = Math.sqrt(Math.max(0, piece.ratePerS ** 2 + 2 * piece.slope * area));
  const spanS = area === 0 ? 0 : (2 * area) / (piece.ratePerS + root);
  return Math.min(piece.fromS + spanS, piece.toS);
}

function stretches(bursts: readonly Burst[], durationS: number): [number, number][] {
  const edges = new Set([0, durationS]);
  for (const { fromS, toS } of bursts) {
    if (fromS > 0 && fromS < durationS) edges.add(fromS);
    if (toS > 0 && toS < durationS) edges.add(toS);
  }
  const sorted = [...edges].sort((a, b) => a - b);
  return sorted.slice(1).map((toS, i) => [sorted[i] ?? 0, toS]);
}

function factorAt(bursts: readonly Burst[], atS: number): number {
  let factor = 1;
  for (const burst of bursts) {
    if (atS >= burst.fromS && atS < burst.toS) factor *= burst.factor;
  }
  return factor;
}
