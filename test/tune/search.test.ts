import { describe, expect, it } from 'vitest';
import type { Figures } from '../../src/result/figures.ts';
import { choose } from '../../src/tune/choose.ts';
import type { Evaluate } from '../../src/tune/evaluate.ts';
import { evaluateSettings, search } from '../../src/tune/search.ts';
import { ADMIT, evaluate, GOODPUT, smallRush } from './support.ts';

const refuse = () => null;
/** Search and brute force meet the same runs, so few tell them apart. */
const RUNS = 8;
const values = Array.from({ length: 24 }, (_, i) => i + 1);
const axes = [{ path: 'gate.maxWaitS', values }];

describe('the search', () => {
  it('agrees with brute force within .01 of offered', async () => {
    const request = { scenarios: [smallRush()], objective: ADMIT, replications: RUNS, evaluate };
    const found = await search({ ...request, axes, refuse, coarse: 8 });
    const every = values.map((value) => ({ 'gate.maxWaitS': value }));
    const brute = choose(await evaluateSettings(request, every), ADMIT, refuse);
    const loss = (choice: typeof brute) => choice.best?.trial.loss[0]?.reduce((a, b) => a + b, 0);
    expect(found.trials.length).toBeLessThan(values.length);
    expect(Math.abs((loss(found.choice) ?? 1) - (loss(brute) ?? 0)) / RUNS).toBeLessThan(0.01);
  });

  it('finds the higher of two summits on a rough curve', async () => {
    const curve = (x: number) =>
      x < 30 ? 0.6 - 0.01 * Math.abs(x - 12) : 0.9 - 0.02 * Math.abs(x - 71);
    const rough: Evaluate = async ({ scenarios }) =>
      scenarios.map((scenario): Figures[] => [
        { 'outcomes.offered': 1, 'rates.goodput': curve(scenario.gate.maxWaitS ?? 0) },
      ]);
    const wide = [{ path: 'gate.maxWaitS', values: Array.from({ length: 100 }, (_, i) => i + 1) }];
    const request = { scenarios: [smallRush()], objective: GOODPUT, replications: 1 };
    const { choice, trials } = await search({
      ...request,
      evaluate: rough,
      axes: wide,
      refuse,
      coarse: 16,
    });
    expect(choice.best?.trial.setting).toEqual({ 'gate.maxWaitS': 71 });
    expect(trials.length).toBeLessThan(50);
  });

  it('tries the combinations of two parameters', async () => {
    const two = [axes[0], { path: 'gate.slots', values: [3, 4] }].flatMap((axis) => axis ?? []);
    const request = { scenarios: [smallRush()], objective: GOODPUT, replications: 4, evaluate };
    const { choice } = await search({ ...request, axes: two, refuse, coarse: 8 });
    expect(choice.best?.trial.setting['gate.slots']).toBe(4);
  });
});
