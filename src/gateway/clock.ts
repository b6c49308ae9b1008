import { US_PER_MS } from '../units.ts';

/** Scenario time for a process that lives in wall time. */
export interface Clock {
  /** Wall seconds per scenario second: .1 plays 300 s in 30 s. */
  readonly timeScale: number;
  /** Whole microseconds of scenario time since the start; never goes back. */
  nowUs(): number;
  /** How long a span of scenario time takes, in wall milliseconds. */
  wallMs(spanUs: number): number;
}

/**
 * Starts a clock at zero.
 * @param timeScale > 0
 * @param readMs a monotonic reading in milliseconds
 */
export function startClock(timeScale: number, readMs = () => performance.now()): Clock {
  const startMs = readMs();
  const scenarioUsPerWallMs = US_PER_MS / timeScale;
  let lastUs = 0;
  return {
    timeScale,
    nowUs() {
      lastUs = Math.max(lastUs, Math.floor((readMs() - startMs) * scenarioUsPerWallMs));
      return lastUs;
    },
    wallMs: (spanUs) => spanUs / scenarioUsPerWallMs,
  };
}
