import { describe, expect, it, vi } from 'vitest';
import { measure, queue, SEEDS, verdictOn } from './measure.ts';

vi.setConfig({ testTimeout: 120_000 });

describe('M/G/1 at load .8 waits as Pollaczek and Khinchine say', () => {
  it.each([
    ['deterministic', { fixed: 1 }, 2, 0.2],
    ['Erlang-2', { gamma: { mean: 1, scv: 0.5 } }, 3, 0.2],
    ['exponential', { exponential: 1 }, 4, 0.25],
    ['hyper-variable, scv 4,', { gamma: { mean: 1, scv: 4 } }, 10, 0.35],
  ])('%s service', (_, service, expected, within) => {
    const scenario = queue({ durationS: 30_000, model: { service, slots: 0 }, gate: { slots: 1 } });
    const waits = SEEDS.map((seed) => measure(scenario, seed).meanWaitS);
    expect(verdictOn(waits, expected, within)).toBeUndefined();
  });
});

describe('Cobham: two priorities at M/M/4', () => {
  it('serves the first class before the second and interrupts nobody', () => {
    const scenario = queue({
      durationS: 40_000,
      gate: { slots: 4 },
      classes: { first: { share: 0.25, priority: 1 }, second: { share: 0.75 } },
    });
    const runs = SEEDS.map((seed) => measure(scenario, seed).waitByClass);
    const waits = (name: string) => runs.map((byClass) => byClass[name]!);
    expect(verdictOn(waits('first'), 0.74554, 0.12)).toBeUndefined();
    expect(verdictOn(waits('second'), 3.7277, 0.25)).toBeUndefined();
  });
});
