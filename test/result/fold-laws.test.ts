import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Outcome } from '../../src/client/types.ts';
import type { RequestRow, StateRow } from '../../src/ledger/rows.ts';
import { createFold } from '../../src/result/fold.ts';
import type { Distribution, Result } from '../../src/result/types.ts';
import { busyOf, CONTEXT, decisionOf, requestOf, scenarioOf, stateOf } from './rows-of-a-run.ts';

const OUTCOMES: Outcome[] = [
  'unsent',
  'undecided',
  'rejected',
  'completed',
  'failed',
  'expired',
  'abandoned',
  'killed',
  'censored',
];
const us = fc.nat(20_000_000);

const request: fc.Arbitrary<RequestRow> = fc
  .record({
    seq: fc.nat(100_000),
    outcome: fc.constantFrom(...OUTCOMES),
    intendedUs: us,
    took: us,
    wait: us,
    doorAgeUs: fc.option(us),
    class: fc.constantFrom('small', 'other'),
  })
  .map(({ took, wait, ...rest }) => {
    const granted = ['completed', 'failed', 'killed', 'censored'].includes(rest.outcome);
    return requestOf({
      ...rest,
      sentUs: rest.outcome === 'unsent' ? null : rest.intendedUs,
      endUs: rest.intendedUs + took,
      waitUs: granted ? wait : null,
      code: rest.outcome === 'rejected' || rest.outcome === 'expired' ? 'queue_age' : null,
    });
  });

/** A gate's history: pauses, and after each a new state. */
const states: fc.Arbitrary<StateRow[]> = fc
  .array(
    fc.record({ pause: fc.nat(3_000_000), leased: fc.nat(4), age: fc.option(fc.nat(9_000_000)) }),
  )
  .map((steps) => {
    let atUs = 0;
    return steps.map(({ pause, leased, age }) => {
      atUs += pause;
      const oldestUs = age === null ? -1 : Math.max(0, atUs - age);
      return stateOf({ atUs, leased, slots: 4, oldestUs, queued: age === null ? 0 : 1 });
    });
  });

const plain = (value: unknown) => value as number;

it('puts every request in one bucket, and keeps the refused and failed out of latencies', () => {
  const law = fc.property(fc.array(request), (rows) => {
    const fold = createFold(scenarioOf(), { detail: 'full' });
    for (const row of rows) fold.request(row);
    const { outcomes, rejectedBy, responseS, waitS, refusalS, byClass, rates } =
      fold.finish(CONTEXT);
    const o = outcomes as unknown as Record<string, number>;
    const sum = (...names: string[]) => names.reduce((total, name) => total + (o[name] ?? 0), 0);
    expect(o['offered']).toBe(rows.length);
    expect(o['offered']).toBe(sum('unsent', 'undecided', 'rejected', 'admitted'));
    const kinds = ['completed', 'failed', 'expired', 'abandoned', 'killed', 'censored'];
    expect(o['admitted']).toBe(sum(...kinds));
    expect(responseS.n).toBe(o['completed']);
    expect(plain(waitS.n)).toBeLessThanOrEqual(
      rows.length - sum('failed', 'rejected', 'expired', 'unsent'),
    );
    expect(refusalS.n).toBe(sum('rejected', 'expired'));
    const refused = Object.values(rejectedBy).reduce((total: number, n) => total + plain(n), 0);
    expect(refused).toBe(sum('rejected', 'expired'));
    const offered = Object.values(byClass).map((of) => plain(of.outcomes.offered));
    expect(offered.reduce((total, n) => total + n, 0)).toBe(rows.length);
    for (const rate of [rates.rejection, rates.breach, rates.goodput]) {
      expect(rate === null || (plain(rate) >= 0 && plain(rate) <= 1)).toBe(true);
    }
  });
  fc.assert(law);
});

it('has percentiles that rise, between the least and the greatest', () => {
  fc.assert(
    fc.property(fc.array(request), (rows) => {
      const fold = createFold(scenarioOf(), { detail: 'full' });
      for (const row of rows) fold.request(row);
      const result = fold.finish(CONTEXT);
      for (const of of [result.responseS, result.waitS, result.refusalS]) expectRising(of);
    }),
  );
});

function expectRising({ n, mean, p50, p95, p99, max }: Distribution): void {
  if (n === 0) {
    expect([mean, p50, p95, p99, max]).toEqual([null, null, null, null, null]);
    return;
  }
  const inOrder = [0, p50, p95, p99, max].map(plain);
  expect(inOrder).toEqual([...inOrder].sort((a, b) => a - b));
  expect(plain(mean)).toBeLessThanOrEqual(plain(max) * (1 + 1e-12));
}

it('has bins whose time, leases, compute and counts add up to those of the run', () => {
  const law = fc.property(
    states,
    fc.array(us),
    fc.integer({ min: 1, max: 9 }),
    (rows, ages, every) => {
      const result = foldGate(rows, ages, every);
      const bins = result.byQueueAge;
      const total = (of: (bin: (typeof bins)[number]) => number) =>
        bins.reduce((n, bin) => n + of(bin), 0);
      expect(total((bin) => bin.timeS)).toBeCloseTo(10, 6);
      expect(total((bin) => bin.decisions)).toBe(ages.length);
      expect(bins.slice(1).every((bin, i) => bin.fromS === (i === 0 ? 0 : bins[i]?.toS))).toBe(
        true,
      );
      if (rows.length > 0) {
        const slots = total((bin) => (bin.slots ?? 0) * bin.timeS) / 10;
        expect(slots).toBeCloseTo(plain(result.utilization.slots), 9);
        // The age's own integral lies between those of the bins' two edges.
        const meanAge = plain(result.queueAgeS.mean) * 10;
        expect(meanAge).toBeGreaterThanOrEqual(total((bin) => bin.fromS * bin.timeS) - 1e-6);
        expect(meanAge).toBeLessThanOrEqual(total((bin) => (bin.toS ?? 0) * bin.timeS) + 1e-6);
      }
    },
  );
  fc.assert(law);
});

it('has a timeline whose integrals are those of the figures', () => {
  const law = fc.property(
    states,
    fc.array(us),
    fc.integer({ min: 1, max: 9 }),
    (rows, ages, every) => {
      const { timeline, queueAgeS, utilization } = foldGate(rows, ages, every);
      const width = (timeline[1]?.tS ?? 10) - (timeline[0]?.tS ?? 0);
      const inside = timeline.filter(({ tS }) => tS < 10);
      const integral = (of: (point: (typeof inside)[number]) => number) =>
        inside.reduce((sum, point) => sum + of(point) * width, 0);
      // The least width divides the duration, so no interval lies across its end.
      if (rows.length === 0 || width > 0.1) return;
      expect(integral((point) => point.queueAgeS) / 10).toBeCloseTo(plain(queueAgeS.mean), 6);
      expect(integral((point) => point.leases) / 40).toBeCloseTo(plain(utilization.slots), 6);
      expect(timeline.reduce((sum, point) => sum + point.admitted, 0)).toBe(ages.length);
    },
  );
  fc.assert(law);
});

function foldGate(rows: readonly StateRow[], ages: readonly number[], every: number): Result {
  const scenario = scenarioOf({ gate: { ...scenarioOf().gate, slots: 4 } });
  const fold = createFold(scenario, { detail: 'full' });
  for (const [i, row] of rows.entries()) {
    fold.state(row);
    if (i % every === 0) fold.busy(busyOf(row.atUs, row.atUs * 0.25));
  }
  for (const [seq, ageUs] of ages.entries()) fold.decision(decisionOf({ seq, atUs: ageUs, ageUs }));
  return fold.finish(CONTEXT);
}
