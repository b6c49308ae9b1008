import type { Arrival } from '../../arrivals/schedule.ts';
import { type RowDraft, unsentRow } from '../../ledger/unsent-row.ts';
import type { ClassSpec } from '../../scenario/types.ts';

/** What the driver has to know of a class. */
export interface ClassFacts {
  readonly name: string;
  /** The answer begins when its service ends, not with it. A held answer never is of this kind. */
  readonly comesWhole: boolean;
  readonly holds: boolean;
  /** The client has to hear when its answer begins. */
  readonly minds: boolean;
}

/** @param spec as the scenario has it */
export function classFacts(name: string, spec: ClassSpec): ClassFacts {
  const holds = spec.hold !== null;
  return {
    name,
    holds,
    comesWhole: !spec.stream && !holds,
    minds: holds || spec.patience !== null,
  };
}

/**
 * A request on its way, and its attempt of the moment. It fills in the request's row as it goes.
 *
 *   away ──► queued ──► leased ──► away        (behind a gate)
 *   away ──► direct ──► away                   (straight to the model)
 */
export class Flight {
  id: number;
  place: 'away' | 'queued' | 'leased' | 'direct' = 'away';
  attempt = 0;
  grantUs = NaN;
  readonly row: RowDraft;

  constructor(
    readonly arrival: Arrival,
    readonly of: ClassFacts,
  ) {
    this.id = arrival.seq;
    this.row = unsentRow(arrival.seq, of.name, arrival.atUs, arrival.demand.inTokens);
  }

  /** Another try: what the last one left behind goes, but for what it cost. */
  tryAgain(id: number, attempt: number): void {
    const { row } = this;
    this.id = id;
    this.place = 'away';
    this.attempt = attempt;
    row.firstByteUs = null;
    row.firstTokenUs = null;
    row.code = null;
    row.doorUs = null;
    row.doorAgeUs = null;
    row.waitUs = null;
    row.heldUs = null;
    row.outTokens = 0;
  }
}
