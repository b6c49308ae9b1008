/**
 * Request id to slot: open addressing with linear probing. A `Map` that is filled and emptied a
 * million times a second rebuilds itself all the time; this one never does.
 */
export class IdTable {
  private size = 0;
  private bits = 7;
  private ids = new Float64Array(1 << this.bits);
  /** Slot + 1; 0: free. */
  private slots = new Int32Array(1 << this.bits);

  /** The slot of an id; -1 where it is unknown. */
  get(id: number): number {
    return (this.slots[this.find(id)] as number) - 1;
  }

  /** False where the id is here already. */
  add(id: number, slot: number): boolean {
    if (this.size * 2 >= this.ids.length) this.grow();
    const at = this.find(id);
    if (this.slots[at] !== 0) return false;
    this.ids[at] = id;
    this.slots[at] = slot + 1;
    this.size++;
    return true;
  }

  delete(id: number): void {
    let hole = this.find(id);
    if (this.slots[hole] === 0) return;
    this.size--;
    const mask = this.ids.length - 1;
    // Entries that were pushed past the hole move back into it, so that no search ends too early.
    for (let at = (hole + 1) & mask; this.slots[at] !== 0; at = (at + 1) & mask) {
      const home = this.home(this.ids[at] as number);
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      this.ids[hole] = this.ids[at] as number;
      this.slots[hole] = this.slots[at] as number;
      hole = at;
    }
    this.slots[hole] = 0;
  }

  private home(id: number): number {
    return Math.imul(id | 0, 0x9e3779b1) >>> (32 - this.bits);
  }

  private find(id: number): number {
    const mask = this.ids.length - 1;
    let at = this.home(id);
    while (this.slots[at] !== 0 && this.ids[at] !== id) at = (at + 1) & mask;
    return at;
  }

  private grow(): void {
    const { ids, slots } = this;
    this.bits++;
    this.size = 0;
    this.ids = new Float64Array(1 << this.bits);
    this.slots = new Int32Array(1 << this.bits);
    for (let i = 0; i < ids.length; i++) {
      if (slots[i] !== 0) this.add(ids[i] as number, (slots[i] as number) - 1);
    }
  }
}
