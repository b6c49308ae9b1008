import type { ClassMeter } from './compute-meter.ts';
import type { HeapEntry } from './due-heap.ts';
import type { Work } from './types.ts';

/** What a request's next entry in the heap of milestones stands for; at one instant in this order. */
export const FIRST = 1;
export const TICK = 2;
export const FINISH = 3;
export type Milestone = typeof FIRST | typeof TICK | typeof FINISH;

/**
 * A request at the model. Used again for the next one when it has gone: there are millions. Times
 * begin as NaN, which is never read: a field that first holds a small whole number is kept in
 * another shape, and every object of the class is slower once it changes.
 */
export class Run implements HeapEntry {
  /** Output tokens that need not be made again. */
  resumed = 0;
  isRunning = false;
  /** It has finished, was preempted or cancelled, or never got in. */
  hasGone = false;
  /** Work clock and instant at the start of this run. */
  startWork = NaN;
  startedUs = NaN;
  /** Plan of the run, in work since its start. */
  firstWork = NaN;
  gapWork = NaN;
  /** Infinity for a hold: it ends when its caller goes. */
  totalWork = NaN;
  /** -1: not recorded. */
  firstTokenUs = NaN;
  /** Preempted when it has made so many tokens; 0: never. */
  tickTokens = 0;
  milestone: Milestone = FINISH;
  /** In the heap of milestones: the work clock when it is reached. */
  key = NaN;
  /** Order of the starts. */
  tie = 0;
  place = -1;
  /** Its neighbours in the one list that it is in. */
  before: Run | undefined = undefined;
  after: Run | undefined = undefined;
  /** Its entry in the heap of preempts that come at an instant. */
  readonly preempt = new PreemptEntry(this);

  constructor(
    /** As the driver gave it. */
    public work: Work,
    public meter: ClassMeter,
  ) {}
}

/** When a run is preempted, on the clock on the wall. */
export class PreemptEntry implements HeapEntry {
  key = NaN;
  tie = 0;
  place = -1;

  constructor(readonly run: Run) {}
}

/** Runs in the order in which they were appended. All operations take constant time. */
export class RunList {
  head: Run | undefined = undefined;
  tail: Run | undefined = undefined;
  length = 0;

  append(run: Run): void {
    run.before = this.tail;
    run.after = undefined;
    if (this.tail === undefined) this.head = run;
    else this.tail.after = run;
    this.tail = run;
    this.length++;
  }

  unlink(run: Run): void {
    const { before, after } = run;
    if (before === undefined) this.head = after;
    else before.after = after;
    if (after === undefined) this.tail = before;
    else after.before = before;
    this.length--;
  }
}

/**
 * The requests at the model. Each stands in one of two lists, waiting (in order of arrival) or
 * running (in order of start, so the tail is the youngest).
 */
export class Requests {
  readonly waiting = new RunList();
  readonly running = new RunList();
  /** Used ones, each behind the one that came after it. */
  private spare: Run | undefined = undefined;

  /** A place for a new request. */
  add(work: Work, meter: ClassMeter): Run {
    const { spare } = this;
    if (spare === undefined) return new Run(work, meter);
    this.spare = spare.after;
    spare.work = work;
    spare.meter = meter;
    spare.isRunning = false;
    spare.hasGone = false;
    return spare;
  }

  /** Forgets a request that stands in no list any more. */
  drop(run: Run): void {
    run.hasGone = true;
    run.after = this.spare;
    this.spare = run;
  }
}
