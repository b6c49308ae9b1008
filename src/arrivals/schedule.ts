import type { Demand } from '../scenario/types.ts';

/** One request that will be made, whatever happens to the ones before it. */
export interface Arrival {
  /** Position in the schedule, from 0, by time. */
  readonly seq: number;
  readonly atUs: number;
  readonly class: string;
  readonly demand: Demand;
  /** Position within its own arrival process: the place of all its draws. */
  readonly keySeq: number;
  /** True where the demand was not observed but drawn (a replay of a refused request). */
  readonly drawn?: boolean;
}

/** The materialised arrivals of a scenario. The same seed gives the same digest in every engine. */
export interface Schedule {
  readonly seed: number;
  readonly arrivals: readonly Arrival[];
}
