import type { Code, KillCode } from '../../admission/types.ts';
import type { Arrival } from '../../arrivals/schedule.ts';
import type { FailureCode } from '../../ledger/rows.ts';
import type { ClassSpec } from '../../scenario/types.ts';

/** What the driver has to know of a class. */
export interface ClassFacts {
  readonly name: string;
  /** The answer begins when service does, not when it ends. A held answer is always of this kind. */
  readonly streams: boolean;
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
    streams: spec.stream || holds,
    minds: holds || spec.patience !== null,
  };
}

/**
 * A request on its way, and its attempt of the moment. Instants are -1 until they have come.
 *
 *   away ──► queued ──► leased ──► away        (behind a gate)
 *   away ──► direct ──► away                   (straight to the model)
 */
export class Flight {
  id = 0;
  place: 'away' | 'queued' | 'leased' | 'direct' = 'away';
  attempt = 0;
  doorUs = -1;
  doorAgeUs = 0;
  grantUs = -1;
  heldUs = -1;
  firstByteUs = -1;
  firstTokenUs = -1;
  outTokens = 0;
  preempts = 0;
  restartTokens = 0;
  code: Code | KillCode | FailureCode | null = null;
  wouldReject: Code | null = null;

  constructor(
    public arrival: Arrival,
    public of: ClassFacts,
  ) {
    this.id = arrival.seq;
  }

  /** The next request in the place of one that is settled: flights are used again, there are millions. */
  become(arrival: Arrival, of: ClassFacts): void {
    this.arrival = arrival;
    this.of = of;
    this.preempts = 0;
    this.restartTokens = 0;
    this.wouldReject = null;
    this.tryAgain(arrival.seq, 0);
  }

  /** Another try: what the last one left behind goes, but for what it cost. */
  tryAgain(id: number, attempt: number): void {
    this.id = id;
    this.place = 'away';
    this.attempt = attempt;
    this.doorUs = -1;
    this.doorAgeUs = 0;
    this.grantUs = -1;
    this.heldUs = -1;
    this.firstByteUs = -1;
    this.firstTokenUs = -1;
    this.outTokens = 0;
    this.code = null;
  }
}
