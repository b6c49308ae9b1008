import { describe, expect, it, vi } from 'vitest';
import { type Measured, measure, quantile, queue, SEEDS, verdictOn } from './measure.ts';

vi.setConfig({ testTimeout: 120_000 });

type Pick = (run: Measured) => number;
const runs = (input: Parameters<typeof queue>[0]) => {
  const scenario = queue(input);
  return SEEDS.map((seed) => measure(scenario, seed));
};
const check = (of: readonly Measured[], pick: Pick, expected: number, within: number) =>
  expect(verdictOn(of.map(pick), expected, within)).toBeUndefined();
const loss: Pick = (run) => run.loss;
const wait: Pick = (run) => run.meanWaitS;

describe('M/M/4 without a queue', () => {
  it('blocks as Erlang B says', () => {
    const of = runs({ gate: { slots: 4, queueCapacity: 0 } });
    check(of, loss, 0.228145, 0.05);
  });
});

describe('M/M/4', () => {
  const of = runs({ gate: { slots: 4 }, durationS: 30_000 });

  it('delays as many as Erlang C says', () => {
    check(of, (run) => run.delayed, 0.596432, 0.06);
  });
  it('has the mean wait of the textbook', () => {
    check(of, wait, 2.98216, 0.25);
  });
  it('has its tail: the share beyond 10 s, p95 and p99', () => {
    const beyond = (run: Measured) =>
      run.waitsS.filter((waitS) => waitS > 10).length / run.waitsS.length;
    check(of, beyond, 0.080718, 0.4);
    check(of, (run) => quantile(run.waitsS, 0.95), 12.395, 0.25);
    check(of, (run) => quantile(run.waitsS, 0.99), 20.442, 0.35);
  });
});

describe('M/M/4/14, ten waiting places', () => {
  it('blocks and waits at load .8', () => {
    const of = runs({ gate: { slots: 4, queueCapacity: 10 }, durationS: 30_000 });
    check(of, loss, 0.0135, 0.6);
    check(of, wait, 2.1599, 0.2);
  });
  it('blocks and waits at load 1.25', () => {
    const of = runs({ gate: { slots: 4, queueCapacity: 10 }, ratePerS: 1.25 });
    check(of, loss, 0.211297, 0.08);
    check(of, wait, 6.8899, 0.06);
  });
});

describe('M/M/4/5, as an age gate of 0 s', () => {
  it.each([
    [0.8, 0.154345],
    [1.25, 0.332411],
  ])('at rate %s it turns away %s', (ratePerS, expected) => {
    const of = runs({ gate: { slots: 4, ageRejectS: 0 }, ratePerS });
    check(of, loss, expected, 0.1);
  });
});

describe('M/M/4+D, a limit on the wait', () => {
  it.each([
    [10, 0.8, 0.017258, 1.9269],
    [10, 1.25, 0.208523, 6.6691],
    [5, 0.8, 0.053226, null],
    [5, 1.25, 0.233279, null],
    [10, 1, 0.07565, null],
  ])('of %s s at rate %s loses %s', (maxWaitS, ratePerS, expected, meanWaitS) => {
    const of = runs({ gate: { slots: 4, maxWaitS }, ratePerS, durationS: 25_000 });
    check(of, loss, expected, 0.5);
    if (meanWaitS !== null) check(of, wait, meanWaitS, 0.15);
    expect(Math.max(...of.map((run) => quantile(run.waitsS, 1)))).toBeLessThanOrEqual(maxWaitS);
  });
});

describe('Erlang-A, callers with exponential patience of 10 s', () => {
  it.each([
    [0.8, 0.085971],
    [1.25, 0.2505],
  ])('at rate %s a share of %s gives up', (ratePerS, expected) => {
    const of = runs({
      gate: { slots: 4 },
      ratePerS,
      classes: { task: { patience: { exponential: 10 } } },
    });
    check(of, (run) => run.abandoned, expected, 0.12);
  });
});
