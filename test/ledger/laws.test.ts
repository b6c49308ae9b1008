import { describe, expect, it } from 'vitest';
import { scheduleDigest } from '../../src/ledger/digest.ts';
import { checkDigest, checkGate, createRowLaws } from '../../src/ledger/laws.ts';
import type { GateLine } from '../../src/ledger/lines.ts';
import { decisionOf, requestOf, stateOf } from '../result/rows-of-a-run.ts';
import { arrive, done, headerOf, S } from './gate-of-a-run.ts';

const header = headerOf();

async function lawsBroken(lines: readonly GateLine[]): Promise<number[]> {
  const numbered = lines.map((line, i) => ({ number: i + 2, line }));
  return (await checkGate(header, numbered)).map(({ law }) => law);
}

const granted = (id: number, t: number): GateLine => ({
  t,
  out: { type: 'granted', atUs: t, id, waitUs: 0 },
});
const queued = (id: number, t: number): GateLine => ({ t, out: { type: 'queued', atUs: t, id } });

describe('checkGate', () => {
  it('names law 2 where there are more leases than slots', async () => {
    const lines = [{ t: 0, in: arrive(0) }, granted(0, 0), { t: 1, in: arrive(1) }, granted(1, 1)];
    expect(await lawsBroken(lines)).toContain(2);
  });

  it('names law 3 where a lease is released twice', async () => {
    const lines = [
      { t: 0, in: arrive(0) },
      granted(0, 0),
      { t: 1, in: done(0) },
      { t: 2, in: done(0) },
    ];
    expect(await lawsBroken(lines)).toEqual([3, 5]);
  });

  it('names law 4 where a later request of the class got the slot first', async () => {
    const waiting = [{ t: 1, in: arrive(1) }, queued(1, 1), { t: 2, in: arrive(2) }, queued(2, 2)];
    const lines = [{ t: 0, in: arrive(0) }, granted(0, 0), ...waiting, { t: 3, in: done(0) }];
    expect(await lawsBroken([...lines, granted(2, 3)])).toContain(4);
  });

  it('names law 7 where a request is refused after it got its slot', async () => {
    const refusal = { code: 'queue_age', reason: '', queueAgeUs: 0, retryAfterUs: 0 } as const;
    const late: GateLine = { t: 0, out: { type: 'rejected', atUs: 0, id: 0, ...refusal } };
    expect(await lawsBroken([{ t: 0, in: arrive(0) }, granted(0, 0), late])).toContain(7);
  });
});

describe('row laws', () => {
  it('name a request that ended twice, never or before it began', () => {
    const laws = createRowLaws();
    laws.request(requestOf());
    laws.request(requestOf({ endUs: -1 }));
    expect(laws.end(2).map(({ law }) => law)).toEqual([1, 1, 1]);
  });

  it('allow leases above slots that were cut, but no new one', () => {
    const laws = createRowLaws();
    laws.state(stateOf({ leased: 2, slots: 2 }));
    laws.state(stateOf({ leased: 2, slots: 1 }));
    expect(laws.end(0)).toEqual([]);
    laws.state(stateOf({ leased: 3, slots: 1 }));
    expect(laws.end(0)).toMatchObject([{ law: 2, evidence: '3 leases of 1 slots at 0 us' }]);
  });

  it('name a refusal without a code, a second decision and a lease held twice', () => {
    const laws = createRowLaws();
    laws.request(requestOf({ outcome: 'rejected', code: null }));
    laws.decision(decisionOf());
    laws.decision(decisionOf());
    const lease = {
      kind: 'lease',
      class: 'small',
      client: null,
      outTokens: 0,
      lastReadUs: null,
    } as const;
    laws.lease?.({ ...lease, seq: 0, fromUs: 0, toUs: 2 * S, ended: 'completed' });
    laws.lease?.({ ...lease, seq: 0, fromUs: 1 * S, toUs: 3 * S, ended: 'completed' });
    expect(laws.end(1).map(({ law }) => law)).toEqual([7, 7, 3]);
  });
});

it('names law 6 where the arrivals are not those of the digest', () => {
  const demand = { serviceUs: 1, inTokens: 1, outTokens: 1, holdUs: 0 };
  const arrivals = [{ seq: 0, atUs: 5, class: 'small', demand }];
  const digest = scheduleDigest({ arrivals });
  expect(checkDigest(arrivals, digest)).toEqual([]);
  const moved = arrivals.map((arrival) => ({ ...arrival, atUs: 6 }));
  expect(checkDigest(moved, digest)).toMatchObject([{ law: 6 }]);
});
