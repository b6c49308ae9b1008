/** Something that stands in one heap: the smallest key first, then the smallest tie. */
export interface HeapEntry {
  key: number;
  tie: number;
  /** Its place in the heap; -1: not there. */
  place: number;
}

/**
 * A binary heap whose entries know where they stand, so one that leaves early is taken out at once
 * and no dead entry can wake the driver. Key and tie of an entry must not change while it is in.
 */
export class DueHeap<T extends HeapEntry> {
  size = 0;
  /** Heap order up to `size`; what lies beyond is left over. */
  private readonly entries: T[] = [];

  /** The first; call only where `size` is above 0. */
  get top(): T {
    return this.entries[0] as T;
  }

  /** Key of the first; Infinity: none is in. */
  get topKey(): number {
    return this.size > 0 ? this.top.key : Number.POSITIVE_INFINITY;
  }

  push(entry: T): void {
    this.rise(entry, this.size++);
  }

  /** Takes out the first; call only where `size` is above 0. */
  pop(): T {
    const { top } = this;
    top.place = -1;
    const last = this.entries[--this.size] as T;
    if (last !== top) this.sink(last, 0);
    return top;
  }

  /** Nothing happens where it is not in. */
  remove(entry: T): void {
    const at = entry.place;
    if (at < 0) return;
    entry.place = -1;
    const last = this.entries[--this.size] as T;
    if (last !== entry) this.settle(last, at);
  }

  private settle(entry: T, at: number): void {
    if (at > 0 && isBefore(entry, this.entries[(at - 1) >> 1] as T)) this.rise(entry, at);
    else this.sink(entry, at);
  }

  private rise(entry: T, from: number): void {
    const { entries } = this;
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = entries[above] as T;
      if (!isBefore(entry, parent)) break;
      entries[at] = parent;
      parent.place = at;
      at = above;
    }
    entries[at] = entry;
    entry.place = at;
  }

  private sink(entry: T, from: number): void {
    const { entries, size } = this;
    let at = from;
    for (let below = 2 * at + 1; below < size; below = 2 * at + 1) {
      const right = below + 1;
      if (right < size && isBefore(entries[right] as T, entries[below] as T)) below = right;
      const child = entries[below] as T;
      if (isBefore(entry, child)) break;
      entries[at] = child;
      child.place = at;
      at = below;
    }
    entries[at] = entry;
    entry.place = at;
  }
}

function isBefore(a: HeapEntry, b: HeapEntry): boolean {
  return a.key < b.key || (a.key === b.key && a.tie < b.tie);
}
