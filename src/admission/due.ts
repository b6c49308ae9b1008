import { earlierUs } from '../units.ts';
import type { Door } from './door.ts';
import type { Pool } from './pool.ts';
import type { Ticket } from './ticket.ts';

/** A limit that somebody has reached. */
export interface Due {
  readonly limit: 'max_hold' | 'max_wait' | 'deadline';
  readonly ticket: Ticket;
}

/** When the next limit is reached, as things stand; Infinity: none is set, or nobody is under one. */
export function nextDueUs(pool: Pool, door: Door): number {
  const { oldest, urgentUs } = pool.queue;
  let dueUs = urgentUs < Infinity && door.enforced ? urgentUs : Infinity;
  if (oldest !== undefined) dueUs = earlierUs(dueUs, oldest.arrivedUs + door.maxWaitUs);
  return door.maxHoldUs < Infinity ? earlierUs(dueUs, holdEndsUs(pool, door)) : dueUs;
}

/** Who reaches the limit of {@link nextDueUs}. At one instant leases come before waits. */
export function nextDue(pool: Pool, door: Door): Due | undefined {
  const dueUs = nextDueUs(pool, door);
  if (dueUs === holdEndsUs(pool, door)) return due('max_hold', pool.leases.longestHeld);
  if (dueUs === waitEndsUs(pool, door)) return due('max_wait', pool.queue.oldest);
  return due('deadline', pool.queue.mostUrgent);
}

function due(limit: Due['limit'], ticket: Ticket | undefined): Due | undefined {
  return ticket && { limit, ticket };
}

function holdEndsUs({ leases }: Pool, { maxHoldUs }: Door): number {
  if (maxHoldUs === Infinity) return Infinity;
  const longest = leases.longestHeld;
  return longest === undefined ? Infinity : longest.sinceUs + maxHoldUs;
}

function waitEndsUs({ queue }: Pool, { maxWaitUs }: Door): number {
  return queue.oldest === undefined ? Infinity : queue.oldest.arrivedUs + maxWaitUs;
}
