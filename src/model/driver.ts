import type { Run } from './requests.ts';
import type { PreemptCause } from './types.ts';

/**
 * Whom the model tells what happens to its requests, at once and in the order of DESIGN.md §4. The
 * driver takes note, may read, and calls again when the call that told it has ended: several things
 * may be due at one instant. A run is the driver's until it has finished or was preempted.
 */
export interface ModelDriver {
  started(run: Run, atUs: number): void;
  /** When it made its first token: `firstTokenUsOf`. */
  finished(run: Run, atUs: number): void;
  preempted(
    run: Run,
    outTokens: number,
    checkpointTokens: number,
    why: PreemptCause,
    atUs: number,
  ): void;
}
