/** A promise that cannot be kept is not missing capacity. */
import { describe, expect, it } from 'vitest';
import { stillLines } from '../../src/tune/capacity-text.ts';
import { smallRush, tuned } from './support.ts';

const axes = [{ path: 'gate.maxWaitS', values: [1, 2, 3] }];
const short = smallRush({ name: 'short', sloS: 0.5, gate: { slots: 4, maxWaitS: 3 } });

describe('an SLO that no service keeps', () => {
  it.each(['admit', 'goodput'] as const)('has an answer of its own (%s)', async (type) => {
    const objective = { type, maxBreach: type === 'admit' ? 0.05 : null };
    const document = await tuned(short, { axes, replications: 4, objective });
    const { recommendation, slotsNeeded, lossSplit, chosen } = document;
    expect(recommendation.headline).toBe(
      'THE SLO IS SHORTER THAN ANY SERVICE. NO THRESHOLD AND NO SLOTS HELP.',
    );
    expect(recommendation.lines[0]?.text).toContain(
      'the SLO is 0.5 s, the shortest service takes 1 s',
    );
    expect([slotsNeeded, lossSplit, chosen]).toEqual([null, null, null]);
  });

  it('is named among scenarios that can be kept', async () => {
    const rush = smallRush({ gate: { slots: 4, maxWaitS: 3 } });
    const both = { scenarios: [rush, short], digests: ['a', 'b'], axes, replications: 4 };
    const { recommendation, notes } = await tuned(rush, both);
    expect(recommendation.headline).toMatch(/^THE SLO IS SHORTER THAN ANY SERVICE\./);
    expect(recommendation.lines[0]?.text).toMatch(/^short: /);
    expect(notes.join()).toContain('short: no service keeps the SLO');
  });

  it('for a part of the services only is told by what no number of slots serves', () => {
    const curve = [4, 8, 16].map((slots, i) => ({ slots, goodput: [0.1, 0.199, 0.2][i] ?? 0 }));
    const slotsNeeded = { needed: null, present: 4, target: 0.99, curve };
    const lossSplit = { capacity: 0.8, threshold: 0.1, goodput: 0.1 };
    const [still] = stillLines({ lossSplit, slotsNeeded } as never);
    expect(still?.text).toContain(
      '80 % no number of slots serves in time: a service alone outlasts',
    );
  });
});
