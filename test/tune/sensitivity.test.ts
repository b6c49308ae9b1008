/** What is tried in the worlds that are not as described, when it fails there, and what would not. */
import { describe, expect, it } from 'vitest';
import { renderTunePage } from '../../src/report/tune-page.ts';
import { affordableOf, cureOf } from '../../src/tune/cure.ts';
import { riskLines } from '../../src/tune/risk-text.ts';
import { sensitivityOf } from '../../src/tune/sensitivity.ts';
import { tuneText } from '../../src/tune/tune-text.ts';
import type { TuneDocument } from '../../src/tune/types.ts';
import { ADMIT, evaluate, GOODPUT, smallRush, trialWith, tuned } from './support.ts';

const PATIENCE_MS = 60_000;
const line = ({ recommendation }: TuneDocument, name: string) =>
  recommendation.lines.find((one) => one.name === name)?.text ?? '';
const kept = smallRush({ gate: { slots: 4, maxWaitS: 6 } });

describe('what is kept is what is tried', { timeout: PATIENCE_MS }, () => {
  it.each([
    ['under another rule than the one that is tuned', 'gate.ageRejectS', [1, 2, 3]],
    ['outside a range in which nothing is allowed', 'gate.maxWaitS', [12, 16, 20]],
  ])('%s', async (_, path, values) => {
    const document = await tuned(kept, { axes: [{ path, values }], replications: 4 });
    expect(document.recommendation.headline).toMatch(/^KEEP maxWaitS 6\./);
    expect(document.sensitivity).toHaveLength(6);
    for (const { advised, present } of document.sensitivity) expect(advised).toEqual(present);
    expect(line(document, 'RISK')).toMatch(/^of 6 changed worlds maxWaitS 6 (holds|FAILS)/);
    const printed = tuneText(document);
    expect(printed).toContain('the present setting, which is kept, 4 replications; below');
    expect(printed).not.toContain('present - ');
    const page = await renderTunePage(document);
    expect(page).toContain('The present setting, which is kept: 4 runs in each world');
  });
});

describe('a setting fails', { timeout: PATIENCE_MS }, () => {
  it('by the same limits under either objective, and the limit is told', async () => {
    const axes = [{ path: 'gate.maxWaitS', values: [7, 30] }];
    const seven = smallRush({ gate: { slots: 4, maxWaitS: 7 } });
    const [admit, goodput] = await Promise.all(
      [ADMIT, GOODPUT].map((objective) => tuned(seven, { axes, objective, replications: 4 })),
    );
    expect(goodput?.limits).toEqual({ late: 0.05, below: 0.05 });
    const holding = ({ sensitivity }: TuneDocument) => sensitivity.map(({ holds }) => holds);
    if (admit === undefined || goodput === undefined) throw new Error('expected documents');
    expect(goodput.chosen?.setting).toEqual(admit.chosen?.setting);
    expect(holding(goodput)).toEqual(holding(admit));
    expect(holding(goodput)).toContain(false);
    expect(line(goodput, 'RISK')).toMatch(/FAILS with .* \(\d+\.\d % late, 5\.0 % allowed\)/);
    expect(await renderTunePage(goodput)).toContain('late (the default of --max-breach)');
  });

  it('and what holds there, at a price that was simulated too, is tried and named', async () => {
    const present = kept;
    const cheap = { setting: { 'gate.maxWaitS': 4 }, cost: 0.01 };
    const asked = { present, base: present, advised: { 'gate.maxWaitS': 7 }, others: [] };
    const how = { maxBreach: 0.05, replications: 6, evaluate };
    const all = await sensitivityOf({ ...asked, affordable: [cheap] }, how);
    const [longer, shorter] = all;
    expect(longer).toMatchObject({ holds: false, cure: { ...cheap } });
    expect(shorter).toMatchObject({ holds: true, cure: null });
    const limits = { late: 0.05, below: 0.05 };
    const of = (sensitivity: typeof all) =>
      riskLines({ sensitivity, limits, gates: [], params: [] }, 'maxWaitS 7', false)[0]?.text;
    expect(of(all.slice(0, 2))).toMatch(
      /FAILS with service 20 % longer \([^)]*\); maxWaitS 4 holds there: \d+ % in time, and costs 1\.0 points of offered in the world as described; /,
    );
    const without = await sensitivityOf({ ...asked, affordable: [] }, how);
    expect(without.every(({ cure }) => cure === null)).toBe(true);
    expect(of(without)).not.toContain('holds there');
  });
});

describe('a cure', () => {
  const judged = (value: number, of: Parameters<typeof trialWith>[1], refused: string | null) =>
    ({ trial: trialWith(value, of), refused }) as never;

  it('is allowed, no later than what is advised, and no dearer than five points', () => {
    const advised = trialWith(30, { goodput: 0.82 });
    const tried = [
      judged(20, { goodput: 0.76 }, null),
      judged(24, { goodput: 0.8 }, null),
      judged(26, { goodput: 0.81 }, 'a floor'),
      judged(32, { goodput: 0.82, late: 0.01 }, null),
    ];
    const found = affordableOf(tried, advised, 0);
    expect(found.map(({ setting }) => setting)).toEqual([{ 'gate.maxWaitS': 24 }]);
    expect(found[0]?.cost).toBeCloseTo(0.02);
  });

  it('is what holds in most of the worlds, then what costs least', () => {
    const of = (value: number, cost: number) => ({ setting: { 'gate.maxWaitS': value }, cost });
    const [dear, fair, cheap] = [of(20, 0.04), of(24, 0.02), of(28, 0.01)];
    expect(
      cureOf(
        [dear, fair, cheap],
        [
          [dear, fair],
          [dear, fair, cheap],
        ],
      ),
    ).toBe(fair);
    expect(cureOf([dear, cheap], [[{ setting: null }], [dear, cheap]])).toBe(cheap);
    expect(cureOf([dear], [[{ setting: null }]])).toBeUndefined();
  });
});
