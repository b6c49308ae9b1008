import type { Scenario } from '../src/scenario/types.ts';
import type { Driver } from './driver.ts';
import type { FaultBox } from './faults.ts';
import type { StubMetrics } from './metrics.ts';
import type { ScenarioClock } from './scenario-clock.ts';
import type { WorkSource } from './work.ts';

/** One line of the stub's log. */
export type LogLine = Readonly<Record<string, string | number>>;

/** The parts of a running stub that its routes share. */
export interface Site {
  /** Replaced by `/admin/config`. */
  scenario: Scenario;
  /** Wall time per scenario time. */
  readonly timeScale: number;
  readonly clock: ScenarioClock;
  readonly driver: Driver;
  readonly metrics: StubMetrics;
  readonly faults: FaultBox;
  readonly work: WorkSource;
  readonly log: (line: LogLine) => void;
  /** Model ids by the caller's `x-loadline-seq`, of what is at the model. */
  readonly bySeq: Map<number, number>;
}

/** What the stub's model is called. */
export const MODEL_NAME = 'loadline-stub';
