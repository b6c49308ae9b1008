import type { Ticket } from './ticket.ts';

/**
 * Queued tickets whose callers sent a deadline of their own, soonest first: a binary heap that
 * knows where each ticket sits, so that one that leaves early is taken out and not left behind.
 */
export class Deadlines {
  /** When the soonest is due; Infinity when there is none. */
  nextUs = Infinity;
  private readonly heap: Ticket[] = [];

  get first(): Ticket | undefined {
    return this.heap[0];
  }

  add(ticket: Ticket): void {
    this.heap.push(ticket);
    this.rise(ticket, this.heap.length - 1);
    this.lookAhead();
  }

  remove(ticket: Ticket): void {
    const hole = ticket.heapAt;
    if (hole < 0) return;
    ticket.heapAt = -1;
    const last = this.heap.pop();
    if (last !== undefined && last !== ticket) {
      this.rise(last, hole);
      this.sink(last, last.heapAt);
    }
    this.lookAhead();
  }

  private lookAhead(): void {
    const { first } = this;
    this.nextUs = first === undefined ? Infinity : dueUs(first);
  }

  private rise(ticket: Ticket, from: number): void {
    let at = from;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.heap[above];
      if (parent === undefined || !sooner(ticket, parent)) break;
      this.put(parent, at);
      at = above;
    }
    this.put(ticket, at);
  }

  private sink(ticket: Ticket, from: number): void {
    let at = from;
    for (;;) {
      const child = this.soonerChild(at);
      if (child === undefined || !sooner(child, ticket)) break;
      const below = child.heapAt;
      this.put(child, at);
      at = below;
    }
    this.put(ticket, at);
  }

  private soonerChild(at: number): Ticket | undefined {
    const left = this.heap[2 * at + 1];
    const right = this.heap[2 * at + 2];
    if (left === undefined || right === undefined) return left;
    return sooner(right, left) ? right : left;
  }

  private put(ticket: Ticket, at: number): void {
    this.heap[at] = ticket;
    ticket.heapAt = at;
  }
}

function dueUs(ticket: Ticket): number {
  return ticket.arrivedUs + (ticket.request.deadlineUs ?? Infinity);
}

function sooner(a: Ticket, b: Ticket): boolean {
  const differenceUs = dueUs(a) - dueUs(b);
  return differenceUs < 0 || (differenceUs === 0 && a.order < b.order);
}
