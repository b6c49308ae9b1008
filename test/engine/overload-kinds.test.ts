import { describe, expect, it } from 'vitest';
import { simulateResult } from '../../src/commands/simulate.ts';
import { numberOf } from '../../src/result/figure.ts';
import type { Figure, Result } from '../../src/result/types.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const n = (figure: Figure) => numberOf(figure) ?? Number.NaN;
const play = (input: Record<string, unknown>): Result => simulateResult(parseScenario(input));
const twentyAtOnce = { process: 'at', atS: new Array(20).fill(0) };

describe('retries after an overload', () => {
  const storm = (retry: Record<string, unknown>) =>
    play({
      ...{ durationS: 240, sloS: 5 },
      arrivals: { ratePerS: 2.8, bursts: [{ fromS: 0, toS: 60, factor: 2.15 }] },
      classes: { a: { retry: { baseS: 1, capS: 4, onRefusal: true, ...retry } } },
      gate: { slots: 4, queueCapacity: 4 },
      model: { service: { fixed: 1 } },
    });
  const servedLate = ({ timeline }: Result) =>
    timeline.filter(({ tS }) => tS >= 120).reduce((sum, { completed }) => sum + completed, 0);

  it('stand apart from first attempts, and a budget bounds the amplification', () => {
    const none = storm({ max: 0 });
    const plain = storm({ max: 3, jitter: 'none', budget: null });
    const budget = storm({ max: 3, budget: 0.1 });
    expect(n(none.attempts.amplification)).toBe(1);
    expect(n(plain.attempts.amplification)).toBeGreaterThan(1.15);
    expect(n(budget.attempts.amplification)).toBeLessThanOrEqual(1.1);
    for (const { attempts, outcomes } of [plain, budget]) {
      expect(n(attempts.total)).toBe(n(outcomes.offered) + n(attempts.retries));
    }
  });

  it('are on the time line, where goodput is seen to come back once the burst is over', () => {
    const plain = storm({ max: 3, jitter: 'none', budget: null });
    const retries = (from: number, to: number) =>
      plain.timeline
        .filter(({ tS }) => tS >= from && tS < to)
        .reduce((sum, point) => sum + point.retries, 0);
    expect(retries(0, 60)).toBeGreaterThan(3 * retries(120, 180));
    expect(servedLate(plain)).toBeGreaterThan(0.9 * 2.8 * 120);
  });
});

describe('a caller that does not wait for ever', () => {
  const crowd = (spec: Record<string, unknown>, gate: Record<string, unknown>) =>
    play({
      ...{ durationS: 1, sloS: 10, arrivals: twentyAtOnce },
      classes: { a: { patience: { fixed: 2.5 }, ...spec } },
      gate: { slots: 1, ...gate },
      model: { service: { fixed: 1 }, firstTokenS: 0.01 },
    });

  it('takes no slot once it has gone', () => {
    const { outcomes } = crowd({}, {});
    expect(outcomes).toMatchObject({ completed: 3, abandoned: 17, expired: 0, failed: 0 });
  });

  it('is told at once where the wait is limited, instead of leaving', () => {
    const { outcomes, refusalS } = crowd({}, { maxWaitS: 0.5 });
    expect(outcomes).toMatchObject({ completed: 1, abandoned: 0, expired: 19 });
    expect(n(refusalS.max)).toBe(0.5);
  });

  it.each([
    ['its own patience', 0.4, 2, { abandoned: 19, expired: 0 }, {}],
    ['the limit on the wait', 2, 0.4, { abandoned: 0, expired: 19 }, { max_wait: 19 }],
  ])('goes by whichever comes first, counted once: %s', (_, patience, wait, expected, codes) => {
    const result = crowd({ patience: { fixed: patience } }, { maxWaitS: wait });
    expect(result.outcomes).toMatchObject(expected);
    expect(result.rejectedBy).toEqual(codes);
  });
});

it('shows an endpoint that works one by one as busy, however few of the slots that seems', () => {
  const serial = (slots: number) =>
    play({
      ...{ durationS: 200, sloS: 5, arrivals: { ratePerS: 1.2 } },
      gate: { slots, maxWaitS: 30 },
      model: { service: { fixed: 1 }, slots: 1 },
    });
  const [narrow, wide] = [serial(8), serial(16)];
  expect(n(narrow.utilization.busy)).toBeGreaterThan(0.9);
  expect(n(wide.rates.goodput)).toBeLessThanOrEqual(n(narrow.rates.goodput));
});

it('keeps few huge prompts apart from the many small ones that they block', () => {
  const { byClass } = play({
    ...{ durationS: 600, sloS: 30, arrivals: { ratePerS: 0.5 } },
    classes: {
      small: { share: 0.98, inTokens: 500, maxTokens: 10 },
      huge: { share: 0.02, inTokens: 100_000, maxTokens: 10 },
    },
    gate: { slots: 4 },
    model: { service: { tokens: { prefillPerS: 2000, gapS: 0, overheadS: 0 } }, slots: 1 },
  });
  const p50 = (name: string) => n(byClass[name]?.responseS.p50 ?? null);
  expect(p50('huge')).toBeGreaterThanOrEqual(50);
  expect(p50('small')).toBeLessThan(50);
  expect(n(byClass['small']?.responseS.p95 ?? null)).toBeGreaterThan(20);
});

it('counts who is still in service when the drain ends, and lets no one vanish', () => {
  const { outcomes, responseS } = play({
    ...{ durationS: 30, drainS: 5, sloS: 8, arrivals: { ratePerS: 1 } },
    gate: { slots: 100 },
    model: { service: { lognormal: { mean: 20, scv: 4 } } },
  });
  expect(n(outcomes.censored)).toBeGreaterThan(0);
  expect(n(outcomes.completed) + n(outcomes.censored)).toBe(n(outcomes.offered));
  expect(responseS.n).toBe(outcomes.completed);
  expect(n(outcomes.sloBreached)).toBeGreaterThan(n(outcomes.censored) / 2);
});
