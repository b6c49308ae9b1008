import { US_PER_S } from '../../units.ts';

/** What one number cannot say of a trace: its rate, its gaps, its bursts and its clock. */
export interface TraceFigures {
  readonly rows: number;
  readonly spanS: number;
  /** Rows / span; null where all come at once. */
  readonly ratePerS: number | null;
  /** Squared coefficient of variation of the gaps. */
  readonly scv: number | null;
  /** Busiest 10 s / mean 10 s, bins from the first arrival on, the empty ones counted. */
  readonly p2m10: number | null;
  /** Gaps of more than 30 s: one SCV says little of a trace that has them. */
  readonly silentGaps: number;
  /** Share of the arrivals that have their time stamp in common with another. */
  readonly tiedShare: number;
  /** The step of the clock that wrote the stamps; null where ties are few. */
  readonly resolutionS: number | null;
}

const BIN_US = 10 * US_PER_S;
const SILENCE_US = 30 * US_PER_S;
/** Below this the ties may be chance. */
const FEW_TIES = 0.05;

/** Figures of arrivals in rising order. */
export function figuresOf(timesUs: readonly number[]): TraceFigures {
  const first = timesUs[0] ?? 0;
  const spanUs = (timesUs.at(-1) ?? 0) - first;
  const gaps = timesUs.slice(1).map((atUs, i) => atUs - (timesUs[i] ?? 0));
  const tiedShare = timesUs.length === 0 ? 0 : tied(gaps) / timesUs.length;
  return {
    rows: timesUs.length,
    spanS: spanUs / US_PER_S,
    ratePerS: spanUs === 0 ? null : timesUs.length / (spanUs / US_PER_S),
    scv: scvOf(gaps),
    p2m10: spanUs === 0 ? null : peakToMean(timesUs, first, spanUs),
    silentGaps: gaps.filter((gap) => gap > SILENCE_US).length,
    tiedShare,
    resolutionS: tiedShare < FEW_TIES ? null : resolutionOf(gaps),
  };
}

/** Squared coefficient of variation; null where the values have no mean above 0. */
export function scvOf(values: readonly number[]): number | null {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (!(mean > 0)) return null;
  return values.reduce((sum, value) => sum + (value / mean - 1) ** 2, 0) / values.length;
}

/** One pass, no cell for each bin: one wrong time stamp makes a span of centuries. */
function peakToMean(timesUs: readonly number[], first: number, spanUs: number): number {
  let [peak, bin, count] = [0, 0, 0];
  for (const atUs of timesUs) {
    const own = Math.floor((atUs - first) / BIN_US);
    count = own === bin ? count + 1 : 1;
    bin = own;
    peak = Math.max(peak, count);
  }
  return peak / (timesUs.length / (Math.floor(spanUs / BIN_US) + 1));
}

function tied(gaps: readonly number[]): number {
  let count = 0;
  gaps.forEach((gap, i) => {
    if (gap === 0) count += i > 0 && gaps[i - 1] === 0 ? 1 : 2;
  });
  return count;
}

/** A low quantile of the distinct steps, to two digits: the clock's own jitter is not its step. */
function resolutionOf(gaps: readonly number[]): number | null {
  const steps = gaps.filter((gap) => gap > 0).sort((a, b) => a - b);
  const step = steps[Math.floor(steps.length / 10)];
  return step === undefined ? null : Number((step / US_PER_S).toPrecision(2));
}
