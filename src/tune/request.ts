import type { Axis } from '../scenario/axis.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Evaluate } from './evaluate.ts';
import type { Setting } from './setting.ts';
import type { Origin, Verification } from './types.ts';
import type { Objective } from './weigh.ts';

/** What is to be tuned, in which scenarios, for what. */
export interface TuneRequest {
  /** A threshold must hold in each of them. */
  readonly scenarios: readonly Scenario[];
  /** Of each scenario. */
  readonly digests: readonly string[];
  /** The version that advises. */
  readonly loadline: string;
  readonly axes: readonly Axis[];
  readonly objective: Objective;
  readonly replications: number;
  /** Goodput that slots are counted for, 0 to 1. */
  readonly goodput: number;
  /** Share of its goodput that every class and size keeps, 0 to 1. */
  readonly floor: number;
  /** Observed arrivals, where the rates are known from a run; null: declared. */
  readonly arrivals: number | null;
  readonly evaluate: Evaluate;
  /** Told what is played from now on. */
  readonly doing?: (what: string) => void;
  readonly origin: Origin;
  readonly notes: readonly string[];
  /** The day of the advice, `2026-11-29`. */
  readonly today: string;
  /** The day of the oldest run that it rests on; null: nothing was measured. */
  readonly measuredOn: string | null;
  /** Gates that share the limits; null: nobody said. */
  readonly replicas: number | null;
  /** Plays the chosen and the present setting for real, against what is predicted. */
  readonly verify?: (
    chosen: Scenario,
    setting: Setting,
    present: Scenario,
  ) => Promise<readonly Verification[]>;
}
