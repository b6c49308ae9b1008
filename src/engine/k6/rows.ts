/** From the facts of a run in k6 to the rows that every engine tells the result. */

import type { Arrival } from '../../arrivals/schedule.ts';
import type { Pace, RequestRow, RowSink } from '../../ledger/rows.ts';
import { unsentRow } from '../../ledger/unsent-row.ts';
import type { Scenario } from '../../scenario/types.ts';
import { usFromS } from '../../units.ts';
import { GateEcho } from './gate-echo.ts';
import type { Facts } from './metrics.ts';
import type { K6Output } from './output.ts';

type Measured = Pick<K6Output, 'facts' | 'sentUs'>;

/** How well k6 kept the schedule. */
export function paceOf({ sentUs }: Measured, arrivals: readonly Arrival[]): Pace {
  const sent = arrivals.flatMap(({ seq, atUs }) => {
    const at = sentUs.get(seq);
    return at === undefined ? [] : [{ at, lateUs: at - atUs }];
  });
  return {
    latenessUs: sent.map(({ lateUs }) => lateUs),
    sentUs: sent.map(({ at }) => at),
    intendedUs: arrivals.map(({ atUs }) => atUs),
    eventLoopP99Ms: null,
  };
}

/**
 * Tells a sink of a run without its gate's ledger: queue and leases are drawn again from what the
 * gate said in the headers of its answers. A request that was sent and never ended is censored, one
 * of which nothing is known was never sent.
 */
export function sayRows(
  measured: Measured,
  arrivals: readonly Arrival[],
  scenario: Scenario,
  sink: RowSink,
): void {
  const echo = new GateEcho(scenario, sink);
  const known = arrivals.flatMap((arrival) => {
    const facts = measured.facts.get(arrival.seq);
    return facts === undefined ? [] : [{ arrival, facts }];
  });
  const doorAges = echo.play(known);
  const endUs = Math.max(usFromS(scenario.durationS), ...lastOf(measured));
  for (const arrival of arrivals) {
    const facts = measured.facts.get(arrival.seq);
    if (facts === undefined) sink.request(unfinished(arrival, measured, endUs));
    else sink.request(finished(arrival, facts, doorAges.get(arrival.seq) ?? null));
  }
}

function lastOf({ facts }: Measured): number[] {
  let last = 0;
  for (const { endUs } of facts.values()) last = Math.max(last, endUs);
  return [last];
}

function finished(arrival: Arrival, facts: Facts, doorAgeUs: number | null): RequestRow {
  const { sentUs, outcome, firstByteUs, inTokens, outTokens } = facts;
  // What runs backwards is listed by `backwardsIn`; a duration is never below 0.
  const endUs = Math.max(facts.endUs, sentUs, arrival.atUs);
  const waitUs = hadSlot(facts) ? facts.waitUs : null;
  return {
    ...blank(arrival),
    sentUs,
    firstByteUs: firstByteUs < 0 ? null : Math.min(endUs, Math.max(firstByteUs, sentUs)),
    endUs,
    outcome,
    code: facts.code === '' ? null : (facts.code as RequestRow['code']),
    doorUs: doorAgeUs === null ? null : sentUs,
    doorAgeUs,
    waitUs,
    heldUs: waitUs === null ? null : Math.max(0, endUs - sentUs - waitUs),
    attempts: 1,
    inTokens,
    outTokens,
  };
}

/** A gate spoke, and did not turn it away. */
export function hadSlot({ outcome, waitUs }: Facts): boolean {
  return waitUs >= 0 && outcome !== 'rejected' && outcome !== 'expired';
}

function unfinished(arrival: Arrival, { sentUs }: Measured, runEndUs: number): RequestRow {
  const at = sentUs.get(arrival.seq);
  if (at === undefined) return { ...blank(arrival), endUs: arrival.atUs };
  const endUs = Math.max(runEndUs, at);
  return { ...blank(arrival), sentUs: at, endUs, outcome: 'censored', attempts: 1 };
}

function blank({ seq, class: name, atUs, demand }: Arrival): RequestRow {
  return { ...unsentRow(seq, name, atUs, demand.inTokens), firstContentUs: null };
}
