/** What is kept: a present setting that a change would hardly better, wherever it stands. */
import { describe, expect, it } from 'vitest';
import { smallRush, tuned } from './support.ts';

const PATIENCE_MS = 60_000;

async function headlineOf(gate: object, path = 'gate.maxWaitS', values?: readonly number[]) {
  const axes = values === undefined ? undefined : [{ path, values }];
  const scenario = smallRush({ gate: { slots: 4, ...gate } });
  const { recommendation } = await tuned(scenario, axes === undefined ? {} : { axes });
  const why = recommendation.lines.find(({ name }) => name === 'WHY')?.text ?? '';
  return { headline: recommendation.headline, why };
}

describe('a present setting', { timeout: PATIENCE_MS }, () => {
  it('between the values that were tried is kept where a change gains less than .01', async () => {
    const { headline, why } = await headlineOf({ maxWaitS: 6.3 });
    expect(headline).toMatch(/^KEEP maxWaitS 6\.3\./);
    expect(why).toContain('maxWaitS 6, gains less than 1 % of offered');
  });

  it('of another rule is kept where a swap gains less than .01', async () => {
    const capacities = [4, 5, 6];
    const { headline } = await headlineOf(
      { predictedWaitS: 4.5 },
      'gate.queueCapacity',
      capacities,
    );
    expect(headline).toMatch(/^KEEP predictedWaitS 4\.5\./);
  });

  it('is changed where that gains more', async () => {
    expect((await headlineOf({ maxWaitS: 5.5 })).headline).toMatch(/^SET maxWaitS 5\.5 -> 6\./);
  });

  it('is changed where another is less late and serves no less', async () => {
    const { headline } = await headlineOf({ predictedWaitS: 5 }, 'gate.queueCapacity', [4, 5, 6]);
    expect(headline).toMatch(/^SET queueCapacity 5, predictedWaitS 5 -> off\./);
  });
});
