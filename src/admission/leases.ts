import { type Ticket, TicketList } from './ticket.ts';
import type { Kind, LeaseView } from './types.ts';

/** The slots that are out, by kind, the longest held first. */
export class Leases {
  readonly batch = new TicketList();
  readonly interactive = new TicketList();
  count = 0;
  private grants = 0;

  grant(ticket: Ticket, nowUs: number): void {
    ticket.leased = true;
    ticket.sinceUs = nowUs;
    ticket.grant = this.grants++;
    ticket.of.leases.append(ticket);
    this.count++;
  }

  end(ticket: Ticket): void {
    ticket.leased = false;
    ticket.of.leases.remove(ticket);
    this.count--;
  }

  listOf(kind: Kind): TicketList {
    return kind === 'batch' ? this.batch : this.interactive;
  }

  /** The longest held of any kind. */
  get longestHeld(): Ticket | undefined {
    const batch = this.batch.head;
    const interactive = this.interactive.head;
    if (batch === undefined || interactive === undefined) return batch ?? interactive;
    return batch.grant < interactive.grant ? batch : interactive;
  }

  /** All of them, in the order in which they were given. */
  all(): Ticket[] {
    const leases: Ticket[] = [];
    for (const list of [this.batch, this.interactive]) {
      for (let ticket = list.head; ticket !== undefined; ticket = ticket.after) leases.push(ticket);
    }
    return leases.sort((a, b) => a.grant - b.grant);
  }
}

/** A lease as an operator sees it. @param id the driver's */
export function leaseView(id: number, ticket: Ticket): LeaseView {
  const { seq, client } = ticket.request;
  const { name, rules } = ticket.of;
  const { sinceUs, tokens } = ticket;
  return { id, seq, class: name, kind: rules.kind, client, sinceUs, tokens };
}
