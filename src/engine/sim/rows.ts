import type { Code } from '../../admission/types.ts';
import { callerName } from '../../arrivals/caller-name.ts';
import type { DecisionRow, LeaseRow, PreemptRow } from '../../ledger/rows.ts';
import type { Flight } from './flight.ts';

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
    seq: flight.seq,
    attempt: flight.attempt,
    class: flight.of.name,
    decision,
    code,
    ageUs: flight.row.doorAgeUs ?? 0,
  };
}

/** The row of a lease that has ended. A caller that holds reads until its answer has begun; the others read on. */
export function leaseRow(flight: Flight, ended: LeaseRow['ended'], toUs: number): LeaseRow {
  const { row, of } = flight;
  return {
    kind: 'lease',
    seq: flight.seq,
    class: of.name,
    client: callerName(flight.arrival),
    fromUs: flight.grantUs,
    toUs,
    ended,
    outTokens: row.outTokens,
    lastReadUs: of.holds || row.firstByteUs === null ? row.firstByteUs : toUs,
  };
}

/** What a preempt cost, and how the gate stood when it heard of it. */
export type PreemptFacts = Omit<PreemptRow, 'kind' | 'atUs' | 'seq' | 'class'>;

export function preemptRow({ seq, of }: Flight, facts: PreemptFacts, atUs: number): PreemptRow {
  return { kind: 'preempt', atUs, seq, class: of.name, ...facts };
}
