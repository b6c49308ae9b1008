/**
 * A binary heap of request slots, the smallest key first and the earliest started among equals.
 * It knows where each slot stands, so a cancelled request leaves at once and no dead entry can
 * wake the driver. Typed arrays and one shape: this is the hottest data of a simulation.
 */
export class WorkHeap {
  size = 0;
  private keys = new Float64Array(64);
  private ties = new Float64Array(64);
  private slots = new Int32Array(64);
  /** Position by slot; -1: not here. */
  private places = new Int32Array(64).fill(-1);

  /** Key of the first entry; call only where `size` is above 0. */
  topKey(): number {
    return this.keys[0] as number;
  }

  topSlot(): number {
    return this.slots[0] as number;
  }

  push(slot: number, key: number, tie: number): void {
    if (this.size === this.keys.length) this.growEntries();
    if (slot >= this.places.length) this.growPlaces(slot);
    this.up(this.size++, slot, key, tie);
  }

  /** Takes a slot out; nothing happens where it is not in. */
  remove(slot: number): void {
    const at = slot < this.places.length ? (this.places[slot] as number) : -1;
    if (at < 0) return;
    this.places[slot] = -1;
    const last = --this.size;
    if (at === last) return;
    const moved = this.slots[last] as number;
    const key = this.keys[last] as number;
    const tie = this.ties[last] as number;
    if (at > 0 && this.before(key, tie, (at - 1) >> 1)) this.up(at, moved, key, tie);
    else this.down(at, moved, key, tie);
  }

  private before(key: number, tie: number, at: number): boolean {
    const other = this.keys[at] as number;
    return key < other || (key === other && tie < (this.ties[at] as number));
  }

  private set(at: number, slot: number, key: number, tie: number): void {
    this.keys[at] = key;
    this.ties[at] = tie;
    this.slots[at] = slot;
    this.places[slot] = at;
  }

  private move(from: number, to: number): void {
    this.set(to, this.slots[from] as number, this.keys[from] as number, this.ties[from] as number);
  }

  private up(from: number, slot: number, key: number, tie: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.before(key, tie, parent)) break;
      this.move(parent, at);
      at = parent;
    }
    this.set(at, slot, key, tie);
  }

  private down(from: number, slot: number, key: number, tie: number): void {
    let at = from;
    for (let child = 2 * at + 1; child < this.size; child = 2 * at + 1) {
      const right = child + 1;
      const rightKey = this.keys[right] as number;
      const rightTie = this.ties[right] as number;
      if (right < this.size && this.before(rightKey, rightTie, child)) child = right;
      if (this.before(key, tie, child)) break;
      this.move(child, at);
      at = child;
    }
    this.set(at, slot, key, tie);
  }

  private growEntries(): void {
    const length = this.keys.length * 2;
    this.keys = copied(new Float64Array(length), this.keys);
    this.ties = copied(new Float64Array(length), this.ties);
    this.slots = copied(new Int32Array(length), this.slots);
  }

  private growPlaces(slot: number): void {
    const length = Math.max(slot + 1, this.places.length * 2);
    this.places = copied(new Int32Array(length).fill(-1), this.places);
  }
}

function copied<T extends Float64Array | Int32Array>(target: T, source: T): T {
  target.set(source);
  return target;
}
