import { expect, it } from 'vitest';
import { simulateResult } from '../../src/commands/simulate.ts';
import { numberOf } from '../../src/result/figure.ts';
import type { Figure } from '../../src/result/types.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { resolveScenario } from '../../src/scenario/resolve.ts';

async function pressure(...sets: string[]) {
  const { input } = await loadScenario('memory-pressure');
  return simulateResult(resolveScenario({ input, env: {}, flags: {}, sets }));
}

const n = (figure: Figure | undefined) => numberOf(figure ?? null) ?? 0;

it('fails what can never fit at once, and only that', async () => {
  const { byClass, failedBy, preempts } = await pressure();
  const { huge, batch } = byClass;
  expect(n(huge?.outcomes.offered)).toBeGreaterThan(0);
  expect(n(huge?.outcomes.failed) + n(huge?.outcomes.expired)).toBe(n(huge?.outcomes.offered));
  expect(n(failedBy['too_large'])).toBe(n(huge?.outcomes.failed));
  expect(n(batch?.outcomes.failed)).toBe(0);
  expect(n(preempts)).toBeGreaterThan(0);
});

it('shows that a lower cap redoes less and serves more', async () => {
  const wide = await pressure();
  const narrow = await pressure('gate.slots=12');
  expect(n(wide.tokens.restarted)).toBeGreaterThan(10 * n(narrow.tokens.restarted));
  expect(n(narrow.rates.goodput)).toBeGreaterThan(n(wide.rates.goodput) + 0.3);
});

it.each([
  ['the memory of one request', 'model.preempts.blocks=38'],
  ['the memory of none', 'model.preempts.blocks=10'],
  ['twice the load on a third of the memory', 'model.preempts.blocks=140'],
])('ends with %s, each request in one bucket, restarts bounded', async (_, setting) => {
  const seeds = ['seed=1', 'seed=2', 'seed=3'];
  for (const seed of seeds) {
    const {
      outcomes: o,
      preempts,
      health,
    } = await pressure(setting, 'arrivals.ratePerS=1.4', seed);
    const admitted = [o.completed, o.failed, o.expired, o.abandoned, o.killed, o.censored];
    expect(admitted.reduce<number>((sum, figure) => sum + n(figure), 0)).toBe(n(o.admitted));
    expect(n(o.admitted) + n(o.rejected) + n(o.undecided) + n(o.unsent)).toBe(n(o.offered));
    expect(n(o.censored)).toBe(0);
    expect(health.notes.join()).not.toContain('cut off');
    expect(n(preempts) / n(o.offered)).toBeLessThan(50);
  }
});
