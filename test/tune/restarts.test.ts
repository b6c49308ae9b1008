import { describe, expect, it } from 'vitest';
import { numberOf } from '../../src/result/figure.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { resolveScenario } from '../../src/scenario/resolve.ts';
import type { Scenario } from '../../src/scenario/types.ts';
import { floorsOf } from '../../src/tune/floors.ts';
import { looserRestarts } from '../../src/tune/restarts.ts';
import { valueAt, withoutAnyRule, withoutTuned } from '../../src/tune/setting.ts';
import { evaluate, smallRush, tuned } from './support.ts';

async function shipped(name: string, sets: readonly string[] = []): Promise<Scenario> {
  const { input } = await loadScenario(name);
  return resolveScenario({ input, env: {}, flags: {}, sets });
}

const maxPreempts = [{ path: 'gate.maxPreempts', values: Array.from({ length: 9 }, (_, i) => i) }];

describe('restart rules that give more up than the preempts do', () => {
  it('are loss of the threshold, and their loosening is ordered where no value of what is tuned is enough', async () => {
    const night = await shipped('preempt-night');
    const { lossSplit, recommendation, slotsNeeded } = await tuned(night, { axes: maxPreempts });
    expect(numberOf(lossSplit?.threshold ?? null)).toBeGreaterThan(0.1);
    expect(numberOf(lossSplit?.upstream ?? null)).toBeLessThan(0.02);
    expect(slotsNeeded?.needed).toBe(night.gate.slots);
    expect(recommendation.headline).toBe(
      'NO SETTING OF THIS PARAMETER IS ENOUGH. LOOSEN THE RESTART RULES: maxPreempts off, restartFraction 1 (now maxPreempts 2, restartFraction 0.2).',
    );
    const rules = recommendation.lines.find(({ name }) => name === 'RULES')?.text ?? '';
    expect(rules).toContain('PUT /admin/policy {"maxPreempts":null,"restartFraction":1}');
    expect(rules).toContain('UNDO: maxPreempts 2, restartFraction 0.2');
  });

  it('are not spoken of where they are off, or nothing is preempted', async () => {
    expect(looserRestarts(smallRush())).toEqual([]);
    const off = [
      'gate.maxPreempts=null',
      'gate.taskBudgetTokens=null',
      'gate.queueAgeFraction=null',
    ];
    expect(looserRestarts(await shipped('preempt-night', off))).toEqual([]);
  });
});

describe('no gate', () => {
  const RULES = {
    ...{ ageRejectS: 5, depthMultiple: 2, queueCapacity: 4, maxWaitS: 5, predictedWaitS: 5 },
    ...{ maxHoldS: 60, slackRejectS: 5, slackAdmitS: 9, interactiveCap: 1, retryBudget: 1 },
    ...{ killWindowS: 9, queueAgeFraction: 0.5, taskBudgetTokens: 9, maxPreempts: 1 },
    stopAfterPreempts: true,
  };

  it('is a gate in which every rule is off', () => {
    const { gate } = withoutAnyRule(smallRush({ gate: { slots: 4, ...RULES } }));
    expect(gate).toEqual({ ...smallRush().gate, slackAdmitS: 9 });
  });

  it('stands beside a tuned slack rule as the sweep without it does', async () => {
    const night = await shipped('lease-night');
    const axes = [{ path: 'gate.slackRejectS', values: [0, 60, 90, 120, 180] }];
    const { baselines } = await tuned(night, { axes });
    const served = (name: string) => {
      const row = baselines.find((one) => one.name === name);
      return row?.byScenario[0]?.figures.goodput;
    };
    const off = await shipped('lease-night', ['gate.slackRejectS=null']);
    const [runs = []] = await evaluate({
      ...{ scenarios: [off], replications: 8, figures: 'requests' },
    });
    const mean = runs.reduce((sum, run) => sum + (run['rates.goodput'] ?? 0), 0) / runs.length;
    expect(served('no gate')).toMatchObject({ mean: expect.closeTo(mean, 8) });
    expect(served('no gate')).not.toEqual(served('present'));
  });

  it('is no measure of what a group keeps under a rule that is not tuned', () => {
    const capped = smallRush({ gate: { slots: 4, maxWaitS: 5, interactiveCap: 1 } });
    const kept = withoutTuned(capped, ['gate.maxWaitS']);
    expect(valueAt(kept, 'gate.interactiveCap')).toBe(1);
    expect(valueAt(kept, 'gate.maxWaitS')).toBe(null);
    expect(valueAt(withoutTuned(capped, ['gate.interactiveCap']), 'gate.interactiveCap')).toBe(
      null,
    );
    const runs = (goodput: number) => [[{ 'byClass.a.rates.goodput': goodput }]];
    const [floor] = floorsOf(['a'], runs(0.5), runs(0.6), 0.9);
    expect(floor?.least[0]).toBeCloseTo(0.53, 5);
  });
});
