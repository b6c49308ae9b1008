import { US_PER_MS } from '../../units.ts';

/** Scenario time of the generator: whole microseconds since the start of the run. */
export interface RunClock {
  /** Wall seconds per scenario second. */
  readonly timeScale: number;
  /** Never goes back; below zero before the start. */
  nowUs(): number;
  /** How long it is until an instant, in wall milliseconds; negative when it has passed. */
  wallMsUntil(atUs: number): number;
}

/**
 * A clock whose zero is a wall reading, which may lie ahead.
 * @param timeScale wall seconds per scenario second, > 0
 * @param zeroMs the monotonic reading that is zero
 * @param readMs a monotonic reading in milliseconds
 */
export function startRunClock(
  timeScale: number,
  zeroMs: number,
  readMs: () => number = () => performance.now(),
): RunClock {
  const usPerWallMs = US_PER_MS / timeScale;
  let lastUs = Number.NEGATIVE_INFINITY;
  return {
    timeScale,
    nowUs() {
      lastUs = Math.max(lastUs, Math.floor((readMs() - zeroMs) * usPerWallMs));
      return lastUs;
    },
    wallMsUntil: (atUs) => zeroMs + atUs / usPerWallMs - readMs(),
  };
}
