/**
 * What is here, by its number: open addressing with linear probing. A `Map` that is filled and
 * emptied a million times a second rebuilds itself all the time; this one never does.
 */
export class IdMap<T extends { readonly id: number }> {
  size = 0;
  private mask = 127;
  private places: (T | undefined)[] = emptyPlaces(128);

  get(id: number): T | undefined {
    const { places, mask } = this;
    for (let at = id & mask; ; at = (at + 1) & mask) {
      const item = places[at];
      if (item === undefined || item.id === id) return item;
    }
  }

  /** False, and nothing happens, where the id is here already. */
  add(item: T): boolean {
    const { places, mask } = this;
    let at = item.id & mask;
    for (let other = places[at]; other !== undefined; other = places[at]) {
      if (other.id === item.id) return false;
      at = (at + 1) & mask;
    }
    places[at] = item;
    if (++this.size * 2 > mask) this.grow();
    return true;
  }

  /** Nothing happens where the id is unknown. */
  delete(id: number): void {
    const { places, mask } = this;
    let at = id & mask;
    for (;;) {
      const item = places[at];
      if (item === undefined) return;
      if (item.id === id) break;
      at = (at + 1) & mask;
    }
    this.size--;
    places[at] = undefined;
    if (places[(at + 1) & mask] !== undefined) this.closeUp(at);
  }

  /** Entries that were pushed past the hole move back into it, so that no search ends too early. */
  private closeUp(from: number): void {
    const { places, mask } = this;
    let hole = from;
    for (let at = (hole + 1) & mask; ; at = (at + 1) & mask) {
      const item = places[at];
      if (item === undefined) return;
      if (((at - item.id) & mask) < ((at - hole) & mask)) continue;
      places[hole] = item;
      places[at] = undefined;
      hole = at;
    }
  }

  /** Ids are mostly handed out in a row, and then each has a place of its own. */
  private put(item: T): void {
    const { places, mask } = this;
    let at = item.id & mask;
    while (places[at] !== undefined) at = (at + 1) & mask;
    places[at] = item;
  }

  private grow(): void {
    const old = this.places;
    this.mask = this.mask * 2 + 1;
    this.places = emptyPlaces(this.mask + 1);
    for (const item of old) if (item !== undefined) this.put(item);
  }
}

/** Without holes: a look at a place need not ask whether there is one. */
function emptyPlaces<T>(count: number): (T | undefined)[] {
  const places: (T | undefined)[] = [];
  for (let i = 0; i < count; i++) places.push(undefined);
  return places;
}
