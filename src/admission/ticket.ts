import type { Expected } from './expected.ts';
import type { ClassRules, GateRequest } from './types.ts';

/** A request inside the gate: first in its class's queue, then among the leases of its kind. */
export interface Ticket {
  /** As the driver gave it. */
  readonly request: GateRequest;
  readonly of: ClassState;
  readonly arrivedUs: number;
  /** Order of the arrivals, which breaks ties of `arrivedUs`. */
  readonly order: number;
  /** A shadowed gate has already said what it would have done: it says so once a request. */
  readonly shadowed: boolean;
  /** Its neighbours in the one list that it is in. */
  before: Ticket | undefined;
  after: Ticket | undefined;
  /** Place in the heap of callers' deadlines; -1: it has none there. */
  heapAt: number;
  leased: boolean;
  /** When the slot was given. */
  sinceUs: number;
  /** Order of the grants, which breaks ties of `sinceUs`. */
  grant: number;
  tokens: number;
  preempts: number;
  restartTokens: number;
}

/** A ticket of someone who is about to queue, or to be given a slot. */
export function ticketOf(
  request: GateRequest,
  of: ClassState,
  arrivedUs: number,
  order: number,
  shadowed: boolean,
): Ticket {
  return {
    request,
    of,
    arrivedUs,
    order,
    shadowed,
    before: undefined,
    after: undefined,
    heapAt: -1,
    leased: false,
    sinceUs: arrivedUs,
    grant: 0,
    tokens: 0,
    preempts: 0,
    restartTokens: 0,
  };
}

/** From arrival to the end of the work: the caller's own deadline, else that of the class. */
export function deadlineOf({ request, of }: Ticket): number | null {
  return request.deadlineUs ?? of.rules.deadlineUs;
}

/** Tickets in the order in which they were appended. All operations take constant time. */
export class TicketList {
  head: Ticket | undefined = undefined;
  tail: Ticket | undefined = undefined;
  size = 0;

  append(ticket: Ticket): void {
    ticket.before = this.tail;
    if (this.tail === undefined) this.head = ticket;
    else this.tail.after = ticket;
    this.tail = ticket;
    this.size++;
  }

  remove(ticket: Ticket): void {
    const { before, after } = ticket;
    if (before === undefined) this.head = after;
    else before.after = after;
    if (after === undefined) this.tail = before;
    else after.before = before;
    ticket.before = undefined;
    ticket.after = undefined;
    this.size--;
  }
}

/** A class: its rules, its queue, and what its completed work has taught. */
export class ClassState {
  readonly queue = new TicketList();
  readonly isInteractive: boolean;

  /** @param leases those of its kind, which it shares with other classes */
  constructor(
    readonly name: string,
    readonly rules: ClassRules,
    readonly expected: Expected,
    readonly leases: TicketList,
  ) {
    this.isInteractive = rules.kind === 'interactive';
  }
}
