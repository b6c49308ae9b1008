/** Runs in which nobody arrives: nothing is served in them, and nothing is lost. */
import { describe, expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { foreseeFor } from '../../src/commands/foresee.ts';
import { renderTunePage } from '../../src/report/tune-page.ts';
import { numberOf } from '../../src/result/figure.ts';
import { lossSplitOf, slotsNeeded } from '../../src/tune/loss.ts';
import { tuneText } from '../../src/tune/tune-text.ts';
import { evaluate, smallRush, tuned } from './support.ts';

const waits = [{ path: 'gate.maxWaitS', values: [1, 2, 3] }];
/** One request in the mean: a third of the runs has none. */
const rare = smallRush({
  durationS: 1,
  arrivals: { ratePerS: 1 },
  gate: { slots: 4, maxWaitS: 3 },
});
const empty = smallRush({ name: 'empty', arrivals: { ratePerS: 1e-9 } });
const REPLICATIONS = 20;

describe('a run in which nobody arrives', () => {
  it('is left out: no slots are missing where nothing is lost', async () => {
    const [runs = []] = await evaluate({
      ...{ scenarios: [rare], replications: REPLICATIONS, figures: 'requests' },
    });
    expect(runs.some((run) => run['outcomes.offered'] === 0)).toBe(true);
    const { split, goodput } = await lossSplitOf(rare, rare, REPLICATIONS, evaluate);
    expect(goodput).toBe(1);
    expect(numberOf(split.capacity)).toBe(0);
    const needed = await slotsNeeded([{ under: 'present', scenario: rare }], {
      ...{ target: 0.99, maxBreach: 0.05, replications: REPLICATIONS, evaluate },
    });
    expect(needed.needed).toBe(4);
    const document = await tuned(rare, { axes: waits, replications: REPLICATIONS });
    expect(document.recommendation.headline).toBe('KEEP maxWaitS 3.');
    const { tried } = await tuned(rare, {
      ...{ axes: waits, replications: REPLICATIONS },
      objective: { type: 'goodput', maxBreach: null },
    });
    expect(numberOf(tried[0]?.byScenario[0]?.figures.goodput ?? null)).toBe(1);
    expect(tried.map(({ regret }) => regret)).toEqual([0, 0, 0]);
  });

  it('says nothing in the forecast behind a verdict', () => {
    const forecast = foreseeFor(rare, buildSchedule(rare), [])({ type: 'gate', set: {} });
    expect(forecast?.goodput).toBe(1);
  });
});

describe('where nobody arrives in any run', () => {
  it('there is one answer, and no table', async () => {
    const document = await tuned(empty, { axes: waits, replications: 2 });
    const { recommendation, lossSplit, slotsNeeded: slots } = document;
    expect(recommendation.headline).toBe('CANNOT TELL.');
    expect(recommendation.lines).toEqual([{ name: 'WHY', text: 'no request arrived in any run' }]);
    expect([lossSplit, slots]).toEqual([null, null]);
    expect(tuneText(document).trimEnd().split('\n')).toHaveLength(3);
    expect(await renderTunePage(document)).not.toContain('Which rule');
  });

  it('a scenario binds nothing beside others, and the notes say so', async () => {
    const rush = smallRush({ gate: { slots: 4 } });
    const document = await tuned(empty, {
      ...{ axes: waits, replications: 4, scenarios: [empty, rush], digests: ['a', 'b'] },
    });
    expect(document.chosen?.binding).toBe('small-rush');
    expect(document.notes).toContain(
      'empty: no request arrived in any run, so that it binds nothing',
    );
  });
});
