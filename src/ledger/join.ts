import { type ClientFacts, ClientFactsFold, nothingYet } from './client-facts.ts';
import type { OpenLedger } from './codec.ts';
import type { Offered } from './digest.ts';
import { type GateAttempt, GateRows } from './gate-rows.ts';
import type { Pace, RequestRow, RowSink } from './rows.ts';

/** What a live run left behind. */
export interface Recorded {
  readonly client: OpenLedger<'client'>;
  /** null: the endpoint was driven without a gate. */
  readonly gate: OpenLedger<'gate'> | null;
  /** The schedule of the run: a late generator's own clock does not say what was intended. */
  readonly arrivals: readonly Offered[];
}

export interface Joined {
  readonly pace: Pace;
  readonly interrupted: boolean;
  /** Of the last thing that the client saw. */
  readonly endUs: number;
  /** Lines that were torn, in both files. */
  readonly torn: number;
}

/**
 * Joins the ledgers of a live run by sequence number and says them as rows: queue and leases by
 * the gate's ledger, whatever the caller feels by the client's. An arrival of which the client
 * knows nothing was never sent; one that it did not settle is censored.
 */
export async function joinLedgers(recorded: Recorded, sink: RowSink): Promise<Joined> {
  const client = new ClientFactsFold();
  for await (const { line } of recorded.client.lines) client.take(line);
  const gate = await gateRows(recorded, client, sink);
  for (const arrival of recorded.arrivals) {
    const facts = client.bySeq.get(arrival.seq);
    const attempt = facts === undefined ? undefined : gate?.attempt(arrival.seq, facts.attempt);
    const wouldReject = firstWouldReject(gate, arrival.seq, facts);
    sink.request({ ...requestRow(arrival, facts, attempt, client.endUs), wouldReject });
  }
  return {
    pace: paceOf(recorded.arrivals, client),
    interrupted: client.end?.interrupted ?? true,
    endUs: client.endUs,
    torn: recorded.client.torn() + (recorded.gate?.torn() ?? 0),
  };
}

async function gateRows(
  { gate, client: { header } }: Recorded,
  client: ClientFactsFold,
  sink: RowSink,
): Promise<GateRows | null> {
  if (gate === null) return null;
  const lastReadUs = (seq: number) => client.bySeq.get(seq)?.lastReadUs ?? null;
  const rows = new GateRows(gate.header, header.offsetUs, sink, lastReadUs);
  for await (const { line } of gate.lines) rows.take(line);
  rows.end(client.endUs);
  return rows;
}

function firstWouldReject(
  gate: GateRows | null,
  seq: number,
  facts: ClientFacts | undefined,
): RequestRow['wouldReject'] {
  for (let attempt = 0; attempt <= (facts?.attempt ?? -1); attempt++) {
    const code = gate?.attempt(seq, attempt)?.wouldReject ?? null;
    if (code !== null) return code;
  }
  return null;
}

function requestRow(
  arrival: Offered,
  known: ClientFacts | undefined,
  attempt: GateAttempt | undefined,
  runEndUs: number,
): Omit<RequestRow, 'wouldReject'> {
  const facts = known ?? nothingYet();
  const outcome = outcomeOf(facts);
  return {
    kind: 'request',
    seq: arrival.seq,
    class: arrival.class,
    intendedUs: arrival.atUs,
    sentUs: facts.sentUs,
    firstByteUs: facts.firstByteUs,
    firstTokenUs: facts.firstTokenUs,
    firstContentUs: facts.firstContentUs,
    endUs: endOf(arrival, facts, outcome, runEndUs),
    outcome,
    code: outcome === 'completed' ? null : (attempt?.code ?? facts.code),
    ...atTheGate(attempt),
    attempts: facts.attempts,
    inTokens: facts.inTokens ?? arrival.demand.inTokens,
    outTokens: facts.outTokens,
    transportRetries: facts.transportRetries,
    ...(facts.text === null || outcome === 'completed' ? {} : { text: facts.text }),
  };
}

function atTheGate(attempt: GateAttempt | undefined) {
  if (attempt === undefined) {
    const none = { doorUs: null, doorAgeUs: null, waitUs: null, heldUs: null };
    return { ...none, preempts: 0, restartTokens: 0 };
  }
  const { doorUs, doorAgeUs, grantUs, heldUs, preempts, restartTokens } = attempt;
  const waitUs = grantUs === null ? null : grantUs - doorUs;
  return { doorUs, doorAgeUs, waitUs, heldUs, preempts, restartTokens };
}

function outcomeOf({ outcome, sentUs }: ClientFacts): RequestRow['outcome'] {
  return outcome ?? (sentUs === null ? 'unsent' : 'censored');
}

/** When the caller had what it got: the last byte, not the later moment when the machine was told. */
function endOf(
  arrival: Offered,
  facts: ClientFacts,
  outcome: RequestRow['outcome'],
  runEndUs: number,
): number {
  if (outcome === 'unsent') return arrival.atUs;
  const settledUs = facts.settledUs ?? runEndUs;
  const byCaller = outcome === 'abandoned' || outcome === 'censored';
  const leastUs = Math.max(arrival.atUs, facts.sentUs ?? 0);
  return Math.max(leastUs, byCaller ? settledUs : (facts.wireEndUs ?? settledUs));
}

function paceOf(arrivals: readonly Offered[], client: ClientFactsFold): Pace {
  const latenessUs: number[] = [];
  const sentUs: number[] = [];
  for (const { seq, atUs } of arrivals) {
    const at = client.bySeq.get(seq)?.sentUs ?? null;
    if (at === null) continue;
    sentUs.push(at);
    latenessUs.push(at - atUs);
  }
  const intendedUs = arrivals.map(({ atUs }) => atUs);
  return { latenessUs, sentUs, intendedUs, eventLoopP99Ms: client.end?.eventLoopP99Ms ?? null };
}
