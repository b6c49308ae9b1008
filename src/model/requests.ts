import { IdTable } from './id-table.ts';

/** What a request's next entry in the work heap stands for; at one instant in this order. */
export const MILESTONE = { first: 1, tick: 2, finish: 3 } as const;
export type Milestone = (typeof MILESTONE)[keyof typeof MILESTONE];

/** A request at the model. Used again for the next one when it has gone: there are millions. */
export class Run {
  id = 0;
  keySeq = 0;
  attempt = 0;
  classIndex = 0;
  serviceUs = 0;
  holdUs = 0;
  inTokens = 0;
  outTokens = 0;
  /** Output tokens that need not be made again. */
  resumed = 0;
  isRunning = false;
  /** Order of the starts. */
  order = 0;
  /** Work clock and instant at the start of this run. */
  startWork = 0;
  startedUs = 0;
  /** Plan of the run, in work since its start. */
  firstWork = 0;
  gapWork = 0;
  /** Infinity for a hold: it ends when its caller goes. */
  totalWork = 0;
  /** -1: not recorded. */
  firstTokenUs = -1;
  /** Preempted when it has made so many tokens; 0: never. */
  tickTokens = 0;
  milestone: Milestone = MILESTONE.finish;
  /** Its neighbours in the one list that it is in. */
  before: Run | undefined = undefined;
  after: Run | undefined = undefined;

  /** @param slot its number in the heaps */
  constructor(readonly slot: number) {}
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
  private readonly table = new IdTable();
  private readonly bySlot: Run[] = [];
  private readonly free: Run[] = [];

  find(id: number): Run | undefined {
    return this.bySlot[this.table.get(id)];
  }

  at(slot: number): Run {
    return this.bySlot[slot] as Run;
  }

  /** A place for a new request. Throws where the id is here already. */
  add(id: number): Run {
    const run = this.free.pop() ?? this.widen();
    if (!this.table.add(id, run.slot)) throw new Error(`request ${id} is at the model already`);
    run.id = id;
    run.isRunning = false;
    return run;
  }

  /** Forgets a request that stands in no list any more. */
  drop(run: Run): void {
    this.table.delete(run.id);
    this.free.push(run);
  }

  private widen(): Run {
    const run = new Run(this.bySlot.length);
    this.bySlot.push(run);
    return run;
  }
}
