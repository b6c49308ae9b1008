/** What keeps a recommendation from being carried where it does not hold. */
import { describe, expect, it } from 'vitest';
import { numberOf } from '../../src/result/figure.ts';
import { choose } from '../../src/tune/choose.ts';
import { expiryOf } from '../../src/tune/expiry.ts';
import { gateLines } from '../../src/tune/guard-text.ts';
import { perGateText, shareOf } from '../../src/tune/per-gate.ts';
import { plateauOf } from '../../src/tune/plateau.ts';
import type { Recommendation } from '../../src/tune/types.ts';
import { ADMIT, GOODPUT, smallRush, trialWith, tuned } from './support.ts';

const PATIENCE_MS = 60_000;
const FEW = { objective: GOODPUT, replications: 3 } as const;
const line = ({ lines }: Recommendation, name: string) =>
  lines.find((one) => one.name === name)?.text;

describe('limits of several gates', { timeout: PATIENCE_MS }, () => {
  it('are asked about where nobody said how many there are (A10)', () => {
    const text = perGateText({ slots: 16 }, null);
    expect(text).toContain('of one process');
    expect(text).toContain('--replicas n');
    expect(text).toContain('16 / n slots');
  });

  it('are told in total and in each, and seconds are not divided', () => {
    expect(perGateText({ slots: 16, queueCapacity: 10 }, 4)).toContain(
      'slots 16 in total, 4 in each; queueCapacity 10 in total, 3 in 2 of them and 2 in 2',
    );
    expect(perGateText({ slots: 3 }, 4)).toContain('too few for one in each');
    expect(shareOf('gate.slots', 16, 4)).toBe(4);
    expect(shareOf('gate.queueCapacity', 0, 4)).toBe(0);
    expect(shareOf('gate.slots', 3, 4)).toBe(1);
    expect(shareOf('gate.maxWaitS', 30, 4)).toBe(30);
    // Tries of one request, which meets one gate at a time.
    expect(shareOf('gate.retryBudget', 2, 4)).toBe(2);
    expect(shareOf('gate.slots', 16, null)).toBe(16);
  });

  it('speak of slots to buy where there are any to buy', () => {
    const of = (needed: number | null) =>
      gateLines(
        {
          chosen: null,
          replicas: null,
          slotsNeeded: { at: 'gate', present: 4, needed, curve: [] },
          slotsElsewhere: [],
          ...{ gates: [{ scenarios: [smallRush()] }], scenarios: [{}] },
        } as never,
        smallRush(),
      )[0]?.text;
    expect(of(6)).toContain('6 / n slots to buy');
    expect(of(4)).not.toContain('to buy');
    expect(of(null)).not.toContain('to buy');
  });

  it('are divided in what is to be done and undone', async () => {
    const axes = [{ path: 'gate.slots', values: [2, 4, 6, 8] }];
    const { recommendation, chosen } = await tuned(smallRush({ gate: { slots: 4, maxWaitS: 6 } }), {
      ...{ axes, replicas: 2, ...FEW },
    });
    const slots = Number(chosen?.setting['gate.slots']);
    expect(slots).toBeGreaterThan(4);
    expect(line(recommendation, 'DO')).toContain(`{"slots":${slots / 2}} to each gate`);
    expect(line(recommendation, 'CHECK')).toContain('UNDO: slots 2');
    expect(line(recommendation, 'GATES')).toContain(
      `slots ${slots} in total, ${slots / 2} in each`,
    );
  });
});

describe('advice', { timeout: PATIENCE_MS }, () => {
  it('is to be measured again a month after what it rests on was measured', () => {
    expect(expiryOf('2026-11-29', null).remeasureBy).toBe('2026-12-29');
    expect(expiryOf('2026-11-29', '2026-11-15').remeasureBy).toBe('2026-12-15');
  });

  it('from a run of long ago says so before anything else of its age', async () => {
    const axes = [{ path: 'gate.maxWaitS', values: [4, 8] }];
    const old = { axes, ...FEW, measuredOn: '2026-01-02' };
    const { recommendation, expiry } = await tuned(smallRush(), old);
    expect(expiry).toEqual({
      ...{ advisedOn: '2026-11-29', measuredOn: '2026-01-02', remeasureBy: '2026-02-01' },
    });
    expect(line(recommendation, 'STALE')).toMatch(/^measured on 2026-01-02, .*measure again/);
  });

  it('tells the longest hold apart from the longest service, which it only has to outlast', async () => {
    const held = { share: 0.1, hold: { uniform: [4, 8] }, service: { fixed: 3600 } };
    const axes = [{ path: 'gate.maxWaitS', values: [4, 8] }];
    const classes = { held, batch: { share: 0.9 } };
    const { recommendation } = await tuned(smallRush({ classes }), { axes, ...FEW });
    expect(line(recommendation, 'VALID')).toContain(
      'longest service <= 6.0 s, longest hold <= 8.0 s',
    );
  });

  it('for several scenarios tells what it does in each, and what a quiet day cannot show', async () => {
    const axes = [{ path: 'gate.maxWaitS', values: [4, 8] }];
    const quiet = smallRush({ name: 'quiet', arrivals: { ratePerS: 0.3 } });
    const both = { scenarios: [quiet, smallRush()], digests: ['a', 'b'], axes, ...FEW };
    const { recommendation } = await tuned(quiet, both);
    expect(line(recommendation, 'EACH')).toMatch(/^quiet: goodput .*; small-rush: goodput /);
    const alone = await tuned(quiet, { axes, ...FEW });
    expect(line(alone.recommendation, 'VALID')).toContain('No evidence of overload');
    expect(line(alone.recommendation, 'EACH')).toBeUndefined();
  });
});

describe('beside the number', { timeout: PATIENCE_MS }, () => {
  it('stand the rule that bounds the wait, its price, and the world in which it fails', async () => {
    const axes = [{ path: 'gate.maxWaitS', values: [2, 4, 6, 8] }];
    const document = await tuned(smallRush({ gate: { slots: 4, maxWaitS: 20 } }), { axes, ...FEW });
    const { recommendation, sensitivity } = document;
    expect(line(recommendation, 'WAIT')).toMatch(
      /predictedWaitS [\d.]+: [\d.]+ s, [\d.]+ %.*Only maxWaitS bounds a wait by its own number$/,
    );
    const least = Math.min(...sensitivity.map(({ advised }) => numberOf(advised.goodput) ?? 1));
    const risk = line(recommendation, 'RISK');
    expect(risk).toMatch(/^of 6 changed worlds maxWaitS \d+ /);
    expect(risk).toContain(`goodput ${Math.round(100 * least)} %`);
    for (const { change, holds } of sensitivity) {
      if (!holds) expect(risk).toContain(change);
    }
  });

  it('stands no change where another scenario is what differs', async () => {
    const axes = [{ path: 'gate.maxWaitS', values: [6, 12, 18] }];
    const kept = smallRush({ gate: { slots: 4, maxWaitS: 6 } });
    const other = smallRush({ name: 'other', gate: { slots: 4, ageRejectS: 30 } });
    const { recommendation } = await tuned(kept, {
      ...{ scenarios: [kept, other], digests: ['a', 'b'], axes, ...FEW },
    });
    expect(recommendation.headline).not.toMatch(/(\d+) -> \1\./);
    expect(recommendation.headline).toContain('SET maxWaitS 6');
  });
});

it('a kept setting outside the flat region is not counted in it, and its margins are its own', () => {
  const served = [0.78, 0.825, 0.829, 0.837, 0.8];
  const trials = served.map((share, i) => trialWith(29 + i, { goodput: share - 0.01, late: 0.01 }));
  const choice = choose(trials, ADMIT, () => null);
  const axes = [{ path: 'gate.maxWaitS', values: [29, 30, 31, 32, 33] }];
  const [, kept, chosen] = trials;
  if (kept === undefined || chosen === undefined) throw new Error('expected trials');
  const of = plateauOf(axes, choice, kept, 0);
  expect(of.flatRegion).toEqual({ 'gate.maxWaitS': [31, 32] });
  expect(of.cliff.map(({ at, margin }) => [at, margin])).toEqual([
    [29, 1],
    [33, 3],
  ]);
  expect(plateauOf(axes, choice, chosen, 0).flatRegion).toEqual({ 'gate.maxWaitS': [31, 32] });
});
