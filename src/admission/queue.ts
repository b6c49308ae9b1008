import { Deadlines } from './deadlines.ts';
import type { ClassState, Ticket } from './ticket.ts';
import type { Kind } from './types.ts';

/**
 * Everyone who waits: one line for each class, first in, first out. A place is taken and given up
 * in constant time; only when the oldest leaves are the heads of the lines looked at again.
 *
 *     priority 1   batch  ──►  [3] [5] [6]          served next: 3
 *     priority 0   debug  ──►  [2] [4]              oldest:      2
 */
export class Queue {
  size = 0;
  /** How many of them are batch work. */
  batchSize = 0;
  /** Who came first, of any class. */
  oldest: Ticket | undefined = undefined;
  private readonly deadlines = new Deadlines();

  /** @param classes by priority, the highest first */
  constructor(private readonly classes: readonly ClassState[]) {}

  push(ticket: Ticket): void {
    ticket.of.queue.append(ticket);
    this.size++;
    if (!ticket.of.isInteractive) this.batchSize++;
    if (this.oldest === undefined) this.oldest = ticket;
    if (ticket.request.deadlineUs !== undefined) this.deadlines.add(ticket);
  }

  remove(ticket: Ticket): void {
    ticket.of.queue.remove(ticket);
    this.size--;
    if (!ticket.of.isInteractive) this.batchSize--;
    if (ticket.heapAt >= 0) this.deadlines.remove(ticket);
    if (ticket === this.oldest) this.oldest = this.oldestHead(undefined);
  }

  /**
   * Who is served next: the highest priority, then who came first.
   * @param withInteractive false while no further interactive lease may be given
   */
  next(withInteractive: boolean): Ticket | undefined {
    let best: Ticket | undefined;
    const { classes } = this;
    for (let i = 0; i < classes.length; i++) {
      const { queue, rules } = classes[i] as ClassState;
      const head = queue.head;
      if (head === undefined || (rules.kind === 'interactive' && !withInteractive)) continue;
      if (best === undefined) best = head;
      else if (rules.priority < best.of.rules.priority) break;
      else if (head.order < best.order) best = head;
    }
    return best;
  }

  /** Who came first among the batch work. */
  oldestBatch(): Ticket | undefined {
    return this.batchSize === 0 ? undefined : this.oldestHead('batch');
  }

  /** Whose own deadline comes first. */
  get mostUrgent(): Ticket | undefined {
    return this.deadlines.first;
  }

  /** When that deadline is; Infinity when nobody has one. */
  get urgentUs(): number {
    return this.deadlines.nextUs;
  }

  private oldestHead(kind: Kind | undefined): Ticket | undefined {
    let oldest: Ticket | undefined;
    if (this.size === 0) return oldest;
    const { classes } = this;
    for (let i = 0; i < classes.length; i++) {
      const { queue, rules } = classes[i] as ClassState;
      const head = queue.head;
      if (head === undefined || (kind !== undefined && rules.kind !== kind)) continue;
      if (oldest === undefined || head.order < oldest.order) oldest = head;
    }
    return oldest;
  }
}
