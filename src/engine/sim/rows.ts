import type { Code } from '../../admission/types.ts';
import { callerName } from '../../arrivals/caller-name.ts';
import type { Outcome } from '../../client/types.ts';
import type { DecisionRow, LeaseRow, RequestRow } from '../../ledger/rows.ts';
import type { Flight } from './flight.ts';

function orNull(us: number): number | null {
  return us < 0 ? null : us;
}

/** The row of a request that has ended. */
export function requestRow(
  flight: Flight,
  outcome: Outcome,
  attempts: number,
  endUs: number,
): RequestRow {
  const { arrival, doorUs, grantUs } = flight;
  return {
    kind: 'request',
    seq: arrival.seq,
    class: flight.of.name,
    intendedUs: arrival.atUs,
    sentUs: attempts > 0 ? arrival.atUs : null,
    firstByteUs: orNull(flight.firstByteUs),
    firstTokenUs: orNull(flight.firstTokenUs),
    endUs,
    outcome,
    code: flight.code,
    doorUs: orNull(doorUs),
    doorAgeUs: doorUs < 0 ? null : flight.doorAgeUs,
    waitUs: grantUs < 0 ? null : grantUs - doorUs,
    heldUs: orNull(flight.heldUs),
    attempts,
    inTokens: arrival.demand.inTokens,
    outTokens: flight.outTokens,
    preempts: flight.preempts,
    restartTokens: flight.restartTokens,
    wouldReject: flight.wouldReject,
  };
}

/** The row of the gate's decision on an attempt. */
export function decisionRow(
  flight: Flight,
  decision: DecisionRow['decision'],
  code: Code | null,
  atUs: number,
): DecisionRow {
  return {
    kind: 'decision',
    atUs,
    seq: flight.arrival.seq,
    attempt: flight.attempt,
    class: flight.of.name,
    decision,
    code,
    ageUs: flight.doorAgeUs,
  };
}

/** The row of a lease that has ended. A caller that holds reads until its answer has begun; the others read on. */
export function leaseRow(flight: Flight, ended: LeaseRow['ended'], toUs: number): LeaseRow {
  const { firstByteUs, of } = flight;
  return {
    kind: 'lease',
    seq: flight.arrival.seq,
    class: of.name,
    client: callerName(flight.arrival),
    fromUs: flight.grantUs,
    toUs,
    ended,
    outTokens: flight.outTokens,
    lastReadUs: of.holds || firstByteUs < 0 ? orNull(firstByteUs) : toUs,
  };
}
