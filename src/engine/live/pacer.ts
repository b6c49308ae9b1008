/**
 * Hybrid pacing: a timer sleeps until shortly before something is due, then the event loop is
 * turned without pause until the clock says so. Never before its time, and always against the
 * absolute schedule: a late turn delays nothing that comes after it.
 */
import type { RunClock } from './clock.ts';

/** A timer may fire a little early or a millisecond late, so the last stretch is not left to it. */
const SPIN_MS = 2;
/** Longest delay that a timer takes. */
const TIMER_LIMIT_MS = 2 ** 31 - 1;

/** What sleeps and what turns; replaced in tests. */
export interface Turns {
  later(run: () => void, ms: number): void;
  soon(run: () => void): void;
}

export interface PacerWork {
  /** The earliest instant at which something is due; undefined: nothing is. */
  nextDueUs(): number | undefined;
  /** Does all that is due by `nowUs`. */
  run(nowUs: number): void;
}

export interface Pacer {
  /** Something may have become due earlier than it was. */
  wake(): void;
  /** Nothing runs after this. */
  stop(): void;
}

/** Real timers; those of one pacer replace each other. */
function realTurns(): Turns {
  let timer: NodeJS.Timeout | undefined;
  return {
    later(run, ms) {
      clearTimeout(timer);
      timer = setTimeout(run, ms);
    },
    soon: (run) => void setImmediate(run),
  };
}

/** Starts to pace `work` along `clock`. */
export function startPacer(clock: RunClock, work: PacerWork, turns: Turns = realTurns()): Pacer {
  let stopped = false;
  let spinning = false;

  function turn(): void {
    spinning = false;
    if (stopped) return;
    const dueUs = work.nextDueUs();
    if (dueUs !== undefined && clock.nowUs() >= dueUs) work.run(clock.nowUs());
    arm();
  }

  function arm(): void {
    const dueUs = work.nextDueUs();
    if (stopped || spinning || dueUs === undefined) return;
    const restMs = clock.wallMsUntil(dueUs) - SPIN_MS;
    if (restMs >= 1) {
      turns.later(turn, Math.min(Math.floor(restMs), TIMER_LIMIT_MS));
      return;
    }
    spinning = true;
    turns.soon(turn);
  }

  arm();
  return {
    wake: arm,
    stop() {
      stopped = true;
      turns.later(() => {}, 0);
    },
  };
}
