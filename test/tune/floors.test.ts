/** What no class or size may fall below, and which way it points where everything falls below. */
import { describe, expect, it } from 'vitest';
import type { Figures } from '../../src/result/figures.ts';
import { choose } from '../../src/tune/choose.ts';
import type { Evaluate } from '../../src/tune/evaluate.ts';
import { floorsOf, refuseBelow } from '../../src/tune/floors.ts';
import { search } from '../../src/tune/search.ts';
import { ADMIT, smallRush, trialWith, tuned } from './support.ts';

const RARE = 'byClass.rare';

function rare(goodput: number, offered: number): { goodput: number; more: Figures } {
  return {
    goodput: 0.9,
    more: { [`${RARE}.rates.goodput`]: goodput, [`${RARE}.outcomes.offered`]: offered },
  };
}

function refusalOf(goodput: number, offered: number) {
  const all = trialWith(1, rare(1, offered));
  const floors = floorsOf(['rare'], all.runs, all.runs, 0.9);
  return refuseBelow(floors)(trialWith(2, rare(goodput, offered)));
}

describe('a floor', () => {
  it('is not broken by one or two of a dozen requests, and is by half of them', () => {
    expect(refusalOf(10 / 12, 6)).toBeNull();
    expect(refusalOf(6 / 12, 6)?.text).toContain('rare: goodput 50.0 %, below its floor of');
  });

  it('is held to a point where there are many requests', () => {
    expect(refusalOf(0.885, 1e5)?.miss).toBeCloseTo(0.005, 6);
    expect(refusalOf(0.891, 1e5)).toBeNull();
  });

  it('that is missed most is the reason, by how far', () => {
    const more = { 'byClass.a.rates.goodput': 1, 'byClass.b.rates.goodput': 1 };
    const now = trialWith(1, { goodput: 1, more });
    const floors = floorsOf(['a', 'b'], now.runs, now.runs, 0.9);
    const both = { 'byClass.a.rates.goodput': 0.8, 'byClass.b.rates.goodput': 0.4 };
    const { judged } = choose(
      [trialWith(2, { goodput: 0.6, more: both })],
      ADMIT,
      refuseBelow(floors),
    );
    expect(judged[0]?.refused).toContain('b: goodput 40.0 %');
    expect(judged[0]?.miss).toBeCloseTo(0.49, 6);
  });
});

const values = Array.from({ length: 21 }, (_, i) => Number((0.1 + 0.2 * i).toFixed(1)));
/** Of a class that is served the better the longer it may wait; beyond 3.9 s the others are late. */
const patient: Evaluate = async ({ scenarios, replications }) =>
  scenarios.map(({ gate }) => {
    const waitS = gate.maxWaitS ?? 3.9;
    const run: Figures = {
      'outcomes.offered': 1000,
      'outcomes.sloBreached': waitS > 3.9 ? 200 : 0,
      'rates.goodput': waitS > 3.9 ? 0.7 : 0.9,
      'rates.breach': waitS > 3.9 ? 0.22 : 0,
      'byClass.task.rates.goodput': Math.min(1, waitS / 3.9),
      'byClass.task.outcomes.offered': 1e6,
    };
    return Array.from({ length: replications }, () => run);
  });

describe('a search in which everything is refused at first', () => {
  it('goes where the miss is least, and finds the one setting that is allowed', async () => {
    const now = trialWith(1, { goodput: 0.9, more: { 'byClass.task.rates.goodput': 1 } });
    const { choice } = await search({
      ...{ scenarios: [smallRush()], axes: [{ path: 'gate.maxWaitS', values }], coarse: 16 },
      ...{ objective: ADMIT, replications: 2, evaluate: patient },
      refuse: refuseBelow(floorsOf(['task'], now.runs, now.runs, 0.98)),
    });
    expect(choice.chosen?.trial.setting).toEqual({ 'gate.maxWaitS': 3.9 });
  });

  it('quotes the nearest miss where nothing is allowed at all', async () => {
    const axes = [{ path: 'gate.maxWaitS', values: values.filter((value) => value < 3) }];
    const { recommendation } = await tuned(smallRush(), { axes, evaluate: patient });
    const why = recommendation.lines.find(({ name }) => name === 'WHY')?.text;
    expect(why).toContain('nearest to it is maxWaitS 2.9: task: goodput 74.4 %');
  });
});
