import type { Figures } from '../result/figures.ts';
import type { Scenario } from '../scenario/types.ts';

/** Scenarios to be played in virtual time on common random numbers. */
export interface Evaluation {
  readonly scenarios: readonly Scenario[];
  /** Replication k of every scenario has the same seed, so that differences are paired. At least 1. */
  readonly replications: number;
  /**
   * `requests`: counts and rates, and the times of response, wait and refusal, which is what a search looks at.
   * `all`: also slots, busy and queue age.
   */
  readonly figures: 'requests' | 'all';
  /** Two tenths of the run, the third and the seventh, in which work takes this many times as long; 1: none. */
  readonly slowPhases?: number;
  /** false: nobody keeps a slot longer than its own compute takes. */
  readonly holds?: boolean;
}

/** Figures by scenario, then by replication. */
export type Evaluated = readonly (readonly Figures[])[];

/** How a tuner gets its figures. It knows no engine: the command hands one in. */
export type Evaluate = (evaluation: Evaluation) => Promise<Evaluated>;

/** Thirds of the arrivals by service time, so that a rule that starves long requests is seen. */
export const SIZES = ['short', 'middle', 'long'] as const;

/** Equal parts of the run in which offered work is measured. */
export const LOAD_BINS = 10;
