import { IdTable } from './id-table.ts';

/** What a request's next entry in the work heap stands for; at one instant in this order. */
export const MILESTONE = { first: 1, tick: 2, finish: 3 } as const;
export type Milestone = (typeof MILESTONE)[keyof typeof MILESTONE];

/** First and last slot of a list; -1: empty. */
export interface List {
  head: number;
  tail: number;
  length: number;
}

/**
 * The requests at the model, in columns: a slot number is a request. Whole numbers that go out in
 * effects stay out of float columns, from which each read would allocate. Each stands in one of two
 * lists, waiting (in order of arrival) or running (in order of start, so the tail is the youngest).
 */
export class Requests {
  readonly waiting: List = { head: -1, tail: -1, length: 0 };
  readonly running: List = { head: -1, tail: -1, length: 0 };

  readonly id: number[] = [];
  readonly keySeq: number[] = [];
  serviceUs = new Float64Array(64);
  holdUs = new Float64Array(64);
  /** Work clock and instant at the start of this run. */
  startWork = new Float64Array(64);
  startedUs = new Float64Array(64);
  /** Plan of the run, in work since its start. */
  firstWork = new Float64Array(64);
  gapWork = new Float64Array(64);
  /** Infinity for a hold: it ends when its caller goes. */
  totalWork = new Float64Array(64);
  /** -1: not recorded. */
  firstTokenUs = new Float64Array(64);
  order = new Float64Array(64);
  inTokens = new Int32Array(64);
  outTokens = new Int32Array(64);
  resumed = new Int32Array(64);
  attempt = new Int32Array(64);
  /** Preempted when it has made so many tokens; 0: never. */
  tickTokens = new Int32Array(64);
  classIndex = new Int32Array(64);
  milestone = new Int32Array(64);
  isRunning = new Int32Array(64);
  private next = new Int32Array(64);
  private prev = new Int32Array(64);

  private readonly table = new IdTable();
  private readonly free: number[] = [];
  private used = 0;

  /** The slot of an id; -1 where it is unknown. */
  find(id: number): number {
    return this.table.get(id);
  }

  /** A slot for a new request. Throws where the id is here already. */
  add(id: number): number {
    const slot = this.free.length > 0 ? (this.free.pop() as number) : this.used;
    if (!this.table.add(id, slot)) throw new Error(`request ${id} is at the model already`);
    if (slot === this.used) this.used++;
    if (slot === this.serviceUs.length) this.grow();
    this.id[slot] = id;
    return slot;
  }

  /** Forgets a request that stands in no list any more. */
  drop(slot: number): void {
    this.table.delete(this.id[slot] as number);
    this.free.push(slot);
  }

  /** The slot after this one in its list; -1: none. */
  after(slot: number): number {
    return this.next[slot] as number;
  }

  append(list: List, slot: number): void {
    this.prev[slot] = list.tail;
    this.next[slot] = -1;
    if (list.tail < 0) list.head = slot;
    else this.next[list.tail] = slot;
    list.tail = slot;
    list.length++;
  }

  unlink(list: List, slot: number): void {
    const before = this.prev[slot] as number;
    const behind = this.next[slot] as number;
    if (before < 0) list.head = behind;
    else this.next[before] = behind;
    if (behind < 0) list.tail = before;
    else this.prev[behind] = before;
    list.length--;
  }

  private grow(): void {
    const length = this.serviceUs.length * 2;
    const f64 = (old: Float64Array): Float64Array<ArrayBuffer> => {
      const wider = new Float64Array(length);
      wider.set(old);
      return wider;
    };
    const i32 = (old: Int32Array): Int32Array<ArrayBuffer> => {
      const wider = new Int32Array(length);
      wider.set(old);
      return wider;
    };
    this.serviceUs = f64(this.serviceUs);
    this.holdUs = f64(this.holdUs);
    this.startWork = f64(this.startWork);
    this.startedUs = f64(this.startedUs);
    this.firstWork = f64(this.firstWork);
    this.gapWork = f64(this.gapWork);
    this.totalWork = f64(this.totalWork);
    this.firstTokenUs = f64(this.firstTokenUs);
    this.order = f64(this.order);
    this.inTokens = i32(this.inTokens);
    this.outTokens = i32(this.outTokens);
    this.resumed = i32(this.resumed);
    this.attempt = i32(this.attempt);
    this.tickTokens = i32(this.tickTokens);
    this.classIndex = i32(this.classIndex);
    this.milestone = i32(this.milestone);
    this.isRunning = i32(this.isRunning);
    this.next = i32(this.next);
    this.prev = i32(this.prev);
  }
}
