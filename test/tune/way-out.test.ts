/** Where no rule and no slots do: what is said to allow something does allow it. */
import { describe, expect, it } from 'vitest';
import { leastBreach } from '../../src/tune/way-out.ts';
import { ADMIT, smallRush, trialWith, tuned } from './support.ts';

const PATIENCE_MS = 60_000;
const axes = [{ path: 'gate.maxWaitS', values: [1, 2, 4] }];
const tail = (changes: object = {}) =>
  smallRush({ sloS: 10, model: { service: { exponential: 4 } }, ...changes });

async function orderFor(scenario: ReturnType<typeof smallRush>) {
  const { recommendation } = await tuned(scenario, { axes, replications: 8 });
  expect(recommendation.action).toBe('none');
  return recommendation.lines.find(({ name }) => name === 'DO')?.text ?? '';
}

describe('a way out', { timeout: PATIENCE_MS }, () => {
  it('is a longer promise and a looser limit, under each of which a setting is chosen', async () => {
    const order = await orderFor(tail());
    const told =
      /^promise ([\d.]+) s, which allows maxWaitS \d, or tune with --max-breach ([\d.]+), which allows maxWaitS (\d)$/;
    expect(order).toMatch(told);
    const [, sloS, maxBreach, allowed] = told.exec(order) ?? [];
    const looser = await tuned(tail(), {
      ...{ axes, replications: 8, objective: { ...ADMIT, maxBreach: Number(maxBreach) } },
    });
    expect(looser.chosen?.setting).toEqual({ 'gate.maxWaitS': Number(allowed) });
    const longer = await tuned(tail({ sloS: Number(sloS) }), { axes, replications: 8 });
    expect(longer.chosen).not.toBeNull();
  });

  it('names the promise of a class, and what was tried in vain', async () => {
    const classes = { small: { share: 0.7 }, large: { share: 0.3, sloS: 0.2 } };
    expect(await orderFor(smallRush({ sloS: 12, classes }))).toMatch(
      /^promise more than 12 s \(large 0\.2 s\): 3 times as much allows nothing yet, or tune with --max-breach 0\.\d+, /,
    );
  });
});

describe('the least limit on late ones', () => {
  const trials = [
    trialWith(1, { goodput: 0.5, late: 0.1 }),
    trialWith(2, { goodput: 0.6, late: 0.15 }),
  ];

  it('is that of the least late, rounded so that it allows it', () => {
    expect(leastBreach(trials, ADMIT, () => null)).toEqual({
      ...{ limit: 0.167, setting: { 'gate.maxWaitS': 1 } },
    });
  });

  it('is none of a setting that starves somebody', () => {
    const starved = { text: 'large: starved', miss: 0.1 };
    const refuse = (trial: (typeof trials)[number]) => (trial === trials[0] ? starved : null);
    expect(leastBreach(trials, ADMIT, refuse)).toMatchObject({
      ...{ limit: 0.2, setting: { 'gate.maxWaitS': 2 } },
    });
    expect(leastBreach(trials, ADMIT, () => starved)).toBeNull();
  });
});
