import { performance } from 'node:perf_hooks';
import { US_PER_MS } from '../src/units.ts';

/** Scenario time of this process: wall time divided by the scale, from the last `restart`. */
export interface ScenarioClock {
  /** Whole microseconds of scenario time, rounded down: never ahead of the wall. */
  nowUs(): number;
  /** Milliseconds of wall time that a span of scenario time takes. */
  wallMs(us: number): number;
  /** Microseconds of scenario time that pass in this wall time. */
  scenarioUs(wallMs: number): number;
  /** Makes this instant 0. */
  restart(): void;
}

/** @param scale wall time per scenario time: .1 plays 300 s in 30 s. */
export function createScenarioClock(scale: number): ScenarioClock {
  let originMs = performance.now();
  return {
    nowUs: () => Math.floor(((performance.now() - originMs) * US_PER_MS) / scale),
    wallMs: (us) => (us * scale) / US_PER_MS,
    scenarioUs: (wallMs) => (wallMs * US_PER_MS) / scale,
    restart() {
      originMs = performance.now();
    },
  };
}
