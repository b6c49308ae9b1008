import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { figuresOf } from '../../src/result/figures.ts';
import { createFold } from '../../src/result/fold.ts';
import { createReplicator, poolBins, replicate } from '../../src/result/replicate.ts';
import type { AgeBin, Replicated } from '../../src/result/types.ts';
import { CONTEXT, decisionOf, requestOf, scenarioOf, stateOf } from './rows-of-a-run.ts';

const S = 1_000_000;

function runOf(late: number, code: 'queue_age' | 'queue_depth' = 'queue_age') {
  const fold = createFold(scenarioOf(), { detail: 'full' });
  fold.state(stateOf({ leased: 1, oldestUs: 0, queued: 1 }));
  for (let seq = 0; seq < 10; seq++) {
    const endUs = (seq < late ? 3 : 1) * S;
    fold.decision(decisionOf({ seq, ageUs: seq * S }));
    fold.request(requestOf({ seq, endUs }));
  }
  fold.request(requestOf({ seq: 10, outcome: 'rejected', code, waitUs: null }));
  return fold.finish(CONTEXT);
}

describe('replicate', () => {
  it('gives the mean of the rates of the runs, its Student interval and their band', () => {
    const { rates, replications } = replicate([runOf(0), runOf(2), runOf(4)]);
    const breach = rates.breach as Replicated;
    expect(replications).toBe(3);
    expect(breach.mean).toBeCloseTo(0.2, 12);
    // sd .2 over three runs: 4.30265 * .2 / sqrt(3).
    expect(breach.hi - breach.mean).toBeCloseTo(0.49683, 5);
    expect(breach.band[0]).toBeCloseTo(0.01, 12);
    expect(breach.band[1]).toBeCloseTo(0.39, 12);
  });

  it('has no width where all runs are equal', () => {
    const { responseS, queueAgeS } = replicate(Array.from({ length: 7 }, () => runOf(3)));
    for (const figure of [responseS.mean, responseS.p95, queueAgeS.mean]) {
      const { mean, lo, hi, band } = figure as Replicated;
      expect([lo, hi, ...band]).toEqual([mean, mean, mean, mean]);
    }
  });

  it('counts a code that a run did not have as 0 of it', () => {
    const { rejectedBy } = replicate([runOf(0), runOf(0, 'queue_depth'), runOf(0), runOf(0)]);
    expect((rejectedBy['queue_depth'] as Replicated).mean).toBe(0.25);
    expect((rejectedBy['queue_age'] as Replicated).mean).toBe(0.75);
  });

  it('is null where fewer than two runs have data', () => {
    const replicator = createReplicator();
    replicator.add({ 'rates.breach': null, 'rates.goodput': 1 });
    replicator.add({ 'rates.breach': 0.5, 'rates.goodput': 0 });
    expect(replicator.figures()['rates.breach']).toBeNull();
    expect(replicator.figures()['rates.goodput']).toMatchObject({ mean: 0.5 });
  });

  it('leaves a single run as it is', () => {
    const run = runOf(1);
    expect(replicate([run])).toEqual(run);
  });

  it('pools age bins: means of the counts, averages weighted by time', () => {
    const { byQueueAge } = replicate([runOf(0), runOf(4)]);
    expect(byQueueAge.reduce((sum, bin) => sum + bin.decisions, 0)).toBeCloseTo(10, 9);
    expect(byQueueAge.reduce((sum, bin) => sum + bin.sloBreached, 0)).toBeCloseTo(2, 9);
    expect(byQueueAge.reduce((sum, bin) => sum + bin.timeS, 0)).toBeCloseTo(10, 9);
  });
});

it('pools bins of different widths without losing a count', () => {
  const bins = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.array(fc.nat(50), { maxLength: 20 }));
  const of = ([power, counts]: [number, number[]]): AgeBin[] => {
    const width = 2 ** power;
    return [0, ...counts].map((n, i) => ({
      fromS: i === 0 ? 0 : (i - 1) * width,
      toS: i === 0 ? 0 : i * width,
      timeS: n,
      decisions: n,
      admitted: n,
      rejected: 0,
      expired: 0,
      sloBreached: 0,
      slots: 0.5,
      busy: null,
    }));
  };
  fc.assert(
    fc.property(bins, bins, (a, b) => {
      const pooled = poolBins(of(a), of(b));
      const sum = (list: readonly AgeBin[]) =>
        list.reduce((total, bin) => total + bin.decisions, 0);
      expect(sum(pooled)).toBe(sum(of(a)) + sum(of(b)));
      expect(pooled.every((bin, i) => i < 2 || bin.fromS === pooled[i - 1]?.toS)).toBe(true);
    }),
  );
});

it('turns a result to figures and back', () => {
  const run = runOf(2);
  const replicator = createReplicator();
  for (let i = 0; i < 2; i++) replicator.add(figuresOf(run));
  const { responseS, byClass } = replicator.finish(run);
  expect((responseS.p99 as Replicated).mean).toBe(run.responseS.p99);
  expect(byClass['small']?.outcomes.offered).toMatchObject({ mean: 11 });
});
