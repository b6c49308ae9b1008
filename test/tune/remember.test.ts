import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../src/scenario/types.ts';
import type { Evaluate, Evaluation } from '../../src/tune/evaluate.ts';
import { remembering } from '../../src/tune/remember.ts';
import { underSetting } from '../../src/tune/setting.ts';
import { withoutRetries, withoutUpstreamFailures, withSlots } from '../../src/tune/what-if.ts';
import { evaluate, smallRush } from './support.ts';

/** Tells how many scenarios are really played, at how many replications. */
function counted(): { evaluate: Evaluate; played: string[] } {
  const played: string[] = [];
  const remembered = remembering((evaluation) => {
    played.push(`${evaluation.scenarios.length} x ${evaluation.replications}`);
    return evaluate(evaluation);
  });
  return { evaluate: remembered, played };
}

const ask = (scenarios: readonly Scenario[], replications: number): Evaluation => ({
  ...{ scenarios, replications, figures: 'requests' },
});

describe('an evaluation that is remembered', () => {
  const scenario = smallRush();
  const waits = [2, 4].map((maxWaitS) => underSetting(scenario, { 'gate.maxWaitS': maxWaitS }));

  it('plays nothing twice, and gives what would have been played', async () => {
    const { evaluate: remembered, played } = counted();
    const first = await remembered(ask([scenario, ...waits, scenario], 4));
    const fewer = await remembered(ask([...waits, { ...scenario }], 2));
    expect(played).toEqual(['3 x 4']);
    expect(first[3]).toEqual(first[0]);
    const anew = await evaluate(ask([...waits, scenario], 2));
    expect(fewer).toEqual(anew);
  });

  it('plays again what is asked for more often, and what differs in the least', async () => {
    const { evaluate: remembered, played } = counted();
    await remembered(ask([scenario], 2));
    await remembered(ask([scenario, ...waits], 3));
    await remembered({ ...ask([scenario], 2), slowPhases: 1.5 });
    await remembered({ ...ask([scenario], 2), holds: false });
    await remembered(ask([{ ...scenario, seed: 2 }], 2));
    expect(played).toEqual(['1 x 2', '3 x 3', '1 x 2', '1 x 2', '1 x 2']);
  });

  it('asks once where two ask at the same time', async () => {
    const { evaluate: remembered, played } = counted();
    const both = await Promise.all([
      remembered(ask([scenario], 2)),
      remembered(ask([scenario], 2)),
    ]);
    expect(both[1]).toEqual(both[0]);
    expect(played).toEqual(['1 x 2']);
  });
});

describe('a scenario in which there is nothing to change', () => {
  it('is the same as before, so that it need not be played', () => {
    const plain = smallRush();
    expect(withoutRetries(plain)).toBe(plain);
    const retrying = smallRush({ classes: { a: { retry: { max: 2 } } } });
    expect(withoutRetries(retrying).classes['a']?.retry.max).toBe(0);
  });

  it('is played once for a loss split that finds neither holds nor retries nor failures', async () => {
    const { evaluate: remembered, played } = counted();
    const plain = smallRush();
    const parts = [plain, withoutRetries(plain)];
    await remembered(ask([...parts, withoutUpstreamFailures(plain), withSlots(plain, 4)], 2));
    expect(played).toEqual(['1 x 2']);
  });
});
