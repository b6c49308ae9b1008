import { expect, it } from 'vitest';
import { withLossSplit } from '../../src/commands/loss-split.ts';
import { simulateResult } from '../../src/commands/simulate.ts';
import { numberOf } from '../../src/result/figure.ts';
import { stableJson } from '../../src/result/json.ts';
import type { LossSplit, Result } from '../../src/result/types.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { resolveScenario } from '../../src/scenario/resolve.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import { smallRush } from '../tune/support.ts';

const sumOf = (split: LossSplit | null) =>
  Object.values(split ?? {}).reduce((sum, part) => sum + (numberOf(part) ?? Number.NaN), 0);
const share = (result: Result, part: keyof LossSplit) =>
  numberOf(result.lossSplit?.[part] ?? null) ?? Number.NaN;

it('adds up to what the run lost, threshold apart from capacity', async () => {
  const open = await withLossSplit(simulateResult(smallRush({ arrivals: { ratePerS: 2.4 } })));
  const goodput = numberOf(open.rates.goodput) ?? Number.NaN;
  expect(sumOf(open.lossSplit)).toBeCloseTo(1 - goodput, 10);
  expect(share(open, 'threshold')).toBeGreaterThan(0.2);
  expect(share(open, 'capacity')).toBeGreaterThan(0.2);
  expect(open.lossSplit).toMatchObject({ holds: 0, retries: 0, upstream: 0 });
});

it('says the same again to the last bit, of runs with intervals', async () => {
  const split = async () =>
    withLossSplit(simulateResult(smallRush({ gate: { slots: 4 } }), { replications: 4 }));
  const [first, second] = [await split(), await split()];
  expect(stableJson(first)).toBe(stableJson(second));
  expect(first.lossSplit?.threshold).toHaveProperty('band');
  expect(sumOf(first.lossSplit)).toBeCloseTo(1 - (numberOf(first.rates.goodput) ?? 0), 10);
});

it('puts held slots down to holds', async () => {
  const held = parseScenario({
    durationS: 60,
    sloS: 10,
    arrivals: { ratePerS: 1 },
    classes: { a: { kind: 'interactive', mayQueue: true, hold: { fixed: 12 } } },
    gate: { slots: 4 },
    model: { service: { fixed: 1 } },
  });
  const result = await withLossSplit(simulateResult(held));
  expect(share(result, 'holds')).toBeGreaterThan(0.3);
});

it('puts what the restart rules of the gate give up down to the gate, not to the upstream', async () => {
  const { input } = await loadScenario('preempt-night');
  const night = resolveScenario({ input, env: {}, flags: {}, sets: [] });
  const result = await withLossSplit(simulateResult(night));
  expect(share(result, 'threshold')).toBeGreaterThan(0.1);
  expect(share(result, 'upstream')).toBeLessThan(0.02);
});

it('is not worked out where no simulation speaks, and says so where it is too long', async () => {
  const lossy = simulateResult(smallRush({ arrivals: { ratePerS: 2.4 } }));
  const limited = { ...lossy, health: { ...lossy.health, status: 'generator-limited' as const } };
  const endpoint = { target: 'endpoint' as const };
  const theirs: Result = {
    ...lossy,
    engine: 'live',
    environment: { ...lossy.environment, ...endpoint },
  };
  for (const result of [limited, theirs]) expect(await withLossSplit(result)).toBe(result);
  const long = { ...lossy, schedule: { ...lossy.schedule, count: 1e6 } };
  const { lossSplit, environment } = await withLossSplit(long);
  expect(lossSplit).toBeNull();
  expect(environment.notes.join()).toContain('1000000 arrivals are too many to simulate again');
});
