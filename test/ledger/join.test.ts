import { expect, it } from 'vitest';
import { encodeLine, readLedger } from '../../src/ledger/codec.ts';
import { joinLedgers } from '../../src/ledger/join.ts';
import type { ClientLine, GateLine } from '../../src/ledger/lines.ts';
import type { RequestRow, Row, RowSink } from '../../src/ledger/rows.ts';
import { arrive, done, headerOf, record, S } from './gate-of-a-run.ts';

const demand = { serviceUs: S, inTokens: 4, outTokens: 2, holdUs: 0 };
const offered = (seq: number, atUs: number) => ({ seq, atUs, class: 'small', demand });

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

const sent = (seq: number, t: number, attempt = 0): ClientLine[] => [
  { t, out: { type: 'send', atUs: t, seq, attempt } },
  { t, wire: { seq, attempt, event: 'sent' } },
];

async function joined(
  gateLines: readonly GateLine[] | null,
  clientLines: readonly ClientLine[],
  offsetUs: number,
) {
  const clientHeader = {
    ledger: 'client',
    schemaVersion: 1,
    scheduleDigest: 'd',
    offsetUs,
  } as const;
  const header = headerOf({ maxWaitUs: 2 * S });
  const client = [clientHeader, ...clientLines].map((line) => encodeLine<'client'>(line)).join('');
  const gate = [header, ...(gateLines ?? [])].map((line) => encodeLine<'gate'>(line)).join('');
  const rows: Row[] = [];
  const push = (row: Row) => void rows.push(row);
  const sink: RowSink = {
    request: push,
    state: push,
    busy: push,
    decision: push,
    lease: push,
    preempt: push,
  };
  const recorded = {
    client: await readLedger('client', once(client), 'client.jsonl'),
    gate: gateLines === null ? null : await readLedger('gate', once(gate), 'gate.jsonl'),
    arrivals: [0, 1, 2, 3].map((seq) => offered(seq, seq * S)),
  };
  const facts = await joinLedgers(recorded, sink);
  const of = <K extends Row['kind']>(kind: K) =>
    rows.filter((row): row is Extract<Row, { kind: K }> => row.kind === kind);
  return { facts, of, requests: of('request') as RequestRow[] };
}

/** The gate's clock is 10 s ahead. Request 0 is served, 1 expires after 2 s, 2 was never sent, 3 is open at the end. */
const at = (t: number) => 10 * S + t;
const GATE = record(headerOf({ maxWaitUs: 2 * S }), [
  [at(1000), arrive(0)],
  [at(S + 1000), arrive(1)],
  [at(5 * S), done(0)],
  [at(5 * S + 1000), arrive(3)],
]).map(({ line }) => line);
const CLIENT: ClientLine[] = [
  ...sent(0, 500),
  ...sent(1, S + 700),
  { t: 3 * S + 2000, wire: { seq: 1, attempt: 0, event: 'end', status: 429, code: 'max_wait' } },
  {
    t: 3 * S + 2000,
    out: { type: 'settled', atUs: 3 * S + 2000, seq: 1, outcome: 'expired', attempts: 1 },
  },
  { t: 4 * S, wire: { seq: 0, attempt: 0, event: 'firstByte' } },
  { t: 4 * S + 100, wire: { seq: 0, attempt: 0, event: 'firstToken' } },
  { t: 4 * S + 200, wire: { seq: 0, attempt: 0, event: 'firstContent' } },
  {
    t: 5 * S + 1000,
    wire: { seq: 0, attempt: 0, event: 'end', status: 200, inTokens: 5, outTokens: 3 },
  },
  {
    t: 5 * S + 1100,
    out: { type: 'settled', atUs: 5 * S + 1100, seq: 0, outcome: 'completed', attempts: 1 },
  },
  ...sent(3, 5 * S + 500),
  { t: 6 * S, end: { interrupted: false, eventLoopP99Ms: 2 } },
];

it('takes the queue from the gate and what is felt from the client', async () => {
  const { requests, facts } = await joined(GATE, CLIENT, 10 * S);
  expect(requests[0]).toMatchObject({
    outcome: 'completed',
    intendedUs: 0,
    sentUs: 500,
    firstByteUs: 4 * S,
    firstTokenUs: 4 * S + 100,
    firstContentUs: 4 * S + 200,
    endUs: 5 * S + 1000,
    doorUs: 1000,
    waitUs: 0,
    heldUs: 5 * S - 1000,
    inTokens: 5,
    outTokens: 3,
    code: null,
  });
  expect(requests[1]).toMatchObject({
    outcome: 'expired',
    code: 'max_wait',
    waitUs: null,
    doorUs: S + 1000,
  });
  expect(requests[2]).toMatchObject({ outcome: 'unsent', sentUs: null, attempts: 0, endUs: 2 * S });
  expect(requests[3]).toMatchObject({ outcome: 'censored', endUs: 6 * S, waitUs: 0 });
  expect(facts.pace.latenessUs).toEqual([500, 700, 2 * S + 500]);
  expect(facts).toMatchObject({ interrupted: false, torn: 0, endUs: 6 * S });
});

it('says states at the instant at which they began, though the gate noticed later', async () => {
  const { of } = await joined(GATE, CLIENT, 10 * S);
  const states = of('state').map(({ atUs, queued, leased, oldestUs }) => [
    atUs,
    queued,
    leased,
    oldestUs,
  ]);
  expect(states).toEqual([
    [1000, 0, 1, -1],
    [S + 1000, 1, 1, S + 1000],
    // The wait ended at 3.001 s; the gate's next input came at 5 s.
    [3 * S + 1000, 0, 1, -1],
    [5 * S, 0, 0, -1],
    [5 * S + 1000, 0, 1, -1],
  ]);
  expect(of('decision').map(({ seq, decision, atUs }) => [seq, decision, atUs])).toEqual([
    [0, 'admitted', 1000],
    [1, 'expired', 3 * S + 1000],
    [3, 'admitted', 5 * S + 1000],
  ]);
  expect(of('lease').map(({ seq, ended }) => [seq, ended])).toEqual([
    [0, 'completed'],
    [3, 'open'],
  ]);
});

it('takes off what was computed before the run began', async () => {
  const busy = [
    { t: at(-S), busy: 7 * S },
    { t: at(2 * S), busy: 8 * S },
  ];
  const { of } = await joined(busy, CLIENT, 10 * S);
  expect(of('busy')).toEqual([{ kind: 'busy', atUs: 2 * S, computeUs: S }]);
});

it('joins a run without a gate, and one that was cut off', async () => {
  const { requests, facts, of } = await joined(null, CLIENT.slice(0, -1), 0);
  expect(requests[1]).toMatchObject({ outcome: 'expired', code: 'max_wait', doorUs: null });
  expect(of('state')).toEqual([]);
  expect(facts.interrupted).toBe(true);
});

it('puts a request in the bucket of its last attempt', async () => {
  const retried: ClientLine[] = [
    ...sent(0, 0),
    { t: 10, wire: { seq: 0, attempt: 0, event: 'firstByte' } },
    { t: 20, wire: { seq: 0, attempt: 0, event: 'end', code: 'reset', outTokens: 1 } },
    ...sent(0, S, 1),
    { t: 2 * S, wire: { seq: 0, attempt: 1, event: 'end', status: 200 } },
    { t: 2 * S, out: { type: 'settled', atUs: 2 * S, seq: 0, outcome: 'completed', attempts: 2 } },
  ];
  const gate = record(headerOf(), [
    [5, arrive(0)],
    [15, { type: 'release', id: 0, outcome: 'failed' }],
    [S + 5, arrive(7, 1, 0)],
    [2 * S, done(7)],
  ]).map(({ line }) => line);
  const { requests, of } = await joined(gate, retried, 0);
  expect(requests[0]).toMatchObject({
    outcome: 'completed',
    sentUs: 0,
    attempts: 2,
    firstByteUs: null,
    doorUs: S + 5,
    outTokens: 0,
  });
  expect(of('decision').map(({ attempt }) => attempt)).toEqual([0, 1]);
});

it('knows by the caller that it was a timeout, whatever the wire says of its end', async () => {
  const lines: ClientLine[] = [
    ...sent(0, 0),
    { t: S, out: { type: 'hangUp', atUs: S, seq: 0, why: 'timeout' } },
    { t: S, out: { type: 'settled', atUs: S, seq: 0, outcome: 'failed', attempts: 1 } },
    { t: S + 200, wire: { seq: 0, attempt: 0, event: 'end', code: 'reset' } },
    ...sent(1, S),
    { t: 2 * S, wire: { seq: 1, attempt: 0, event: 'end', code: 'reset' } },
    { t: 2 * S, out: { type: 'settled', atUs: 2 * S, seq: 1, outcome: 'failed', attempts: 1 } },
  ];
  const { requests } = await joined(null, lines, 0);
  expect(requests.slice(0, 2).map(({ code }) => code)).toEqual(['timeout', 'reset']);
});
