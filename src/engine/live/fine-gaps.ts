import type { Schedule } from '../../arrivals/schedule.ts';
import { msFromUs } from '../../units.ts';

/** Mean gaps below this are near the grain of timers, in milliseconds of wall time. */
const FINE_GAP_MS = 3;
/** The peak rate is that of the fullest window of this many arrivals. */
const WINDOW_ARRIVALS = 50;

/** A note where a compressed run is played so fast that its gaps are hard to keep. */
export function fineGapNotes({ arrivals }: Schedule, timeScale: number): string[] {
  if (timeScale === 1) return [];
  let shortestUs = Number.POSITIVE_INFINITY;
  for (let i = WINDOW_ARRIVALS; i < arrivals.length; i++) {
    const spanUs = (arrivals[i]?.atUs ?? 0) - (arrivals[i - WINDOW_ARRIVALS]?.atUs ?? 0);
    shortestUs = Math.min(shortestUs, spanUs);
  }
  const gapMs = (msFromUs(shortestUs) / WINDOW_ARRIVALS) * timeScale;
  if (gapMs >= FINE_GAP_MS) return [];
  return [
    `at its peak the mean gap is ${gapMs.toPrecision(2)} ms of wall time: near a timer's grain`,
  ];
}
