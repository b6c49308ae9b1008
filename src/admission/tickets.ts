import type { Ticket } from './ticket.ts';

/**
 * Everyone inside the gate, by id: open addressing with linear probing. A `Map` that is filled and
 * emptied a million times a second rebuilds itself all the time; this one never does.
 */
export class Tickets {
  size = 0;
  private mask = 127;
  private table: (Ticket | undefined)[] = new Array(128).fill(undefined);

  get(id: number): Ticket | undefined {
    return this.table[this.find(id)];
  }

  /** The id must be new. */
  add(ticket: Ticket): void {
    if (this.size * 2 >= this.mask) this.grow();
    this.table[this.find(ticket.request.id)] = ticket;
    this.size++;
  }

  delete(id: number): void {
    const { table, mask } = this;
    let hole = this.find(id);
    if (table[hole] === undefined) return;
    this.size--;
    // Entries that were pushed past the hole move back into it, so that no search ends too early.
    for (let at = (hole + 1) & mask; ; at = (at + 1) & mask) {
      const ticket = table[at];
      if (ticket === undefined) break;
      if (((at - this.home(ticket.request.id)) & mask) < ((at - hole) & mask)) continue;
      table[hole] = ticket;
      hole = at;
    }
    table[hole] = undefined;
  }

  /** Ids are mostly handed out in a row, and then each has a home of its own. */
  private home(id: number): number {
    return id & this.mask;
  }

  private find(id: number): number {
    const { table, mask } = this;
    for (let at = this.home(id); ; at = (at + 1) & mask) {
      const ticket = table[at];
      if (ticket === undefined || ticket.request.id === id) return at;
    }
  }

  private grow(): void {
    const old = this.table;
    this.mask = this.mask * 2 + 1;
    this.table = new Array(this.mask + 1).fill(undefined);
    for (const ticket of old) {
      if (ticket !== undefined) this.table[this.find(ticket.request.id)] = ticket;
    }
  }
}
