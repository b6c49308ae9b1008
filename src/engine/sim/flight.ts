import type { Ticket } from '../../admission/ticket.ts';
import type { GateRequest } from '../../admission/types.ts';
import type { Arrival } from '../../arrivals/schedule.ts';
import type { Request } from '../../client/request.ts';
import type { Wish } from '../../client/types.ts';
import { type RowDraft, unsentRow } from '../../ledger/unsent-row.ts';
import type { Run } from '../../model/requests.ts';
import type { Work } from '../../model/types.ts';
import type { ClassFacts } from './classes.ts';

/**
 * A request on its way, and its attempt of the moment: what each machine is given of it, and what
 * each keeps for it. It fills in the request's row as it goes.
 *
 *   away ──► queued ──► leased ──► away        (behind a gate)
 *   away ──► direct ──► away                   (straight to the model)
 */
export interface Flight extends Wish, GateRequest, Work {
  readonly seq: number;
  readonly class: string;
  readonly keySeq: number;
  readonly arrival: Arrival;
  readonly of: ClassFacts;
  attempt: number;
  place: 'away' | 'queued' | 'leased' | 'direct';
  grantUs: number;
  /** With the client, from its first attempt on. */
  request: Request | undefined;
  /** With the gate, while it is queued or leased. */
  ticket: Ticket | undefined;
  /** With the model, while it waits or is served there. */
  run: Run | undefined;
  /** Who finished after it at the same instant. */
  next: Flight | undefined;
  readonly row: RowDraft;
}

/** A request that has yet to be sent. A literal: there are millions, and it is made in one go. */
export function newFlight(arrival: Arrival, of: ClassFacts): Flight {
  const { seq, keySeq, demand, atUs } = arrival;
  return {
    seq,
    class: of.name,
    keySeq,
    demand,
    holdUs: demand.holdUs,
    arrival,
    of,
    attempt: 0,
    place: 'away',
    grantUs: NaN,
    request: undefined,
    ticket: undefined,
    run: undefined,
    next: undefined,
    row: unsentRow(seq, of.name, atUs, demand.inTokens),
  };
}

/** Another try: what the last one left behind goes, but for what it cost. */
export function tryAgain(flight: Flight, attempt: number): void {
  const { row } = flight;
  flight.place = 'away';
  flight.attempt = attempt;
  row.firstByteUs = null;
  row.firstTokenUs = null;
  row.code = null;
  row.doorUs = null;
  row.doorAgeUs = null;
  row.waitUs = null;
  row.heldUs = null;
  row.outTokens = 0;
}

/** The machines hand back what they were given, and the wire gives them flights alone. */
export function flightOf(given: Wish | GateRequest | Work): Flight {
  return given as Flight;
}
