import type { Ticket } from './ticket.ts';
import type { GateRequest, KillCode, Refusal } from './types.ts';

/**
 * Whom the gate tells what it has decided, at once. By then its own state is whole: the driver may
 * call it again from within. `atUs` is when it was due, which a late driver may learn a little
 * later. What each means stands with the effect of that name (`types.ts`).
 */
export interface GateDriver {
  granted(ticket: Ticket, shadow: Refusal | undefined, atUs: number): void;
  queued(ticket: Ticket, shadow: Refusal | undefined, atUs: number): void;
  rejected(
    request: GateRequest,
    refusal: Refusal,
    queueAgeUs: number,
    retryAfterUs: number,
    atUs: number,
  ): void;
  expired(
    ticket: Ticket,
    refusal: Refusal,
    queueAgeUs: number,
    retryAfterUs: number,
    atUs: number,
  ): void;
  killed(ticket: Ticket, code: KillCode, reason: string, atUs: number): void;
  replay(ticket: Ticket, resumeTokens: number, atUs: number): void;
  failed(ticket: Ticket, refusal: Refusal, atUs: number): void;
}
