/**
 * What is due when: a binary heap. A timer whose purpose has gone (its request has moved on) is
 * not searched for; it is dropped when it comes to the top.
 */

/** In the order in which they fire at one instant: a completed hold before an impatience. */
export type TimerKind = 'hold' | 'patience' | 'timeout' | 'retry';
const RANK: Readonly<Record<TimerKind, number>> = { hold: 0, patience: 1, timeout: 2, retry: 3 };

export interface Timer<T> {
  readonly dueUs: number;
  readonly kind: TimerKind;
  readonly subject: T;
  /** The attempt that it belongs to. */
  readonly attempt: number;
  readonly order: number;
}

export class Timers<T> {
  /** When the first is due; Infinity: there is none. */
  nextUs = Infinity;
  /** How many have been added so far: each is of the order that this was before. */
  added = 0;
  private readonly heap: Timer<T>[] = [];

  add(dueUs: number, kind: TimerKind, subject: T, attempt: number): void {
    this.heap.push({ dueUs, kind, subject, attempt, order: this.added++ });
    rise(this.heap, this.heap.length - 1);
    if (dueUs < this.nextUs) this.nextUs = dueUs;
  }

  peek(): Timer<T> | undefined {
    return this.heap[0];
  }

  pop(): Timer<T> | undefined {
    const { heap } = this;
    const top = heap[0];
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) {
      heap[0] = last;
      sink(heap);
    }
    this.nextUs = heap[0]?.dueUs ?? Infinity;
    return top;
  }
}

function isBefore<T>(a: Timer<T>, b: Timer<T>): boolean {
  if (a.dueUs !== b.dueUs) return a.dueUs < b.dueUs;
  if (a.kind !== b.kind) return RANK[a.kind] < RANK[b.kind];
  return a.order < b.order;
}

function rise<T>(heap: Timer<T>[], from: number): void {
  let at = from;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!swapIfBefore(heap, at, parent)) return;
    at = parent;
  }
}

function sink<T>(heap: Timer<T>[]): void {
  let at = 0;
  for (;;) {
    const child = earlierChild(heap, at);
    if (!swapIfBefore(heap, child, at)) return;
    at = child;
  }
}

function earlierChild<T>(heap: readonly Timer<T>[], at: number): number {
  const left = heap[2 * at + 1];
  const right = heap[2 * at + 2];
  if (left === undefined || right === undefined) return 2 * at + 1;
  return isBefore(right, left) ? 2 * at + 2 : 2 * at + 1;
}

/** Exchange two places if the first should be above the second. */
function swapIfBefore<T>(heap: Timer<T>[], lower: number, upper: number): boolean {
  const below = heap[lower];
  const above = heap[upper];
  if (below === undefined || above === undefined || !isBefore(below, above)) return false;
  heap[lower] = above;
  heap[upper] = below;
  return true;
}
