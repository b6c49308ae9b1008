/** What the first line says, and that it does not say what the figures deny. */
import { describe, expect, it } from 'vitest';
import { renderTunePage } from '../../src/report/tune-page.ts';
import { numberOf } from '../../src/result/figure.ts';
import { buyLines, stillLines } from '../../src/tune/capacity-text.ts';
import { slotsNeeded } from '../../src/tune/loss.ts';
import { bandText, pc, pcPair } from '../../src/tune/recommend-parts.ts';
import { riskLines } from '../../src/tune/risk-text.ts';
import { tuneText } from '../../src/tune/tune-text.ts';
import type { TuneDocument } from '../../src/tune/types.ts';
import { evaluate, GOODPUT, smallRush, tuned } from './support.ts';

const PATIENCE_MS = 60_000;
const waits = (...values: number[]) => [{ path: 'gate.maxWaitS', values }];
const text = ({ recommendation }: TuneDocument) =>
  recommendation.lines.map(({ name, text: of }) => `${name} ${of}`).join('\n');

describe('a first line', { timeout: PATIENCE_MS }, () => {
  it('keeps a present setting that is allowed where nothing in the range is', async () => {
    const kept = smallRush({ gate: { slots: 4, maxWaitS: 6 } });
    const document = await tuned(kept, { axes: waits(12, 16, 20), replications: 4 });
    const { recommendation } = document;
    expect(recommendation.action).toBe('keep');
    expect(recommendation.headline).toContain(
      'KEEP maxWaitS 6. NOTHING IN THE RANGE THAT WAS TRIED IS ALLOWED.',
    );
    expect(text(document)).toContain('tried 3 of 3 settings, maxWaitS 12 to 20');
    if (document.slotsNeeded?.under !== 'present')
      throw new Error('expected slots for what is kept');
    expect(recommendation.headline).toMatch(/ADD SLOTS: 4 -> \d+\.$/);
    expect(text(document)).toMatch(/DO scale to \d+ slots\. If you cannot: change nothing/);
  });

  it('does not join a threshold for a starved pool with the slots that make it needless', async () => {
    const starved = smallRush({ gate: { slots: 2, maxWaitS: 20 }, durationS: 40 });
    const document = await tuned(starved, { axes: waits(4, 6, 8), replications: 4 });
    const { recommendation, slotsNeeded: needed } = document;
    expect(needed?.under).toBe('present');
    expect(recommendation.headline).toMatch(
      /^SET maxWaitS 20 -> [468]\. (ANOTHER RULE SERVES MORE: \w+ [\d.]+\. )?OR ADD SLOTS: 2 -> \d+ AND KEEP maxWaitS 20\.$/,
    );
    expect(text(document)).toMatch(/DO scale to \d+ slots and keep maxWaitS 20\. If you cannot: /);
  });

  it.each([
    ['keeps', 3, /^KEEP ageRejectS 3\. ANOTHER RULE SERVES MORE: \w+ [\d.]+\./, /PUT .*null/],
    [
      'sets',
      20,
      /^SET ageRejectS 20 -> \d\. ANOTHER RULE SERVES MORE: /,
      /; or, which serves more: PUT /,
    ],
  ])(
    '%s a setting of a rule beside another rule that serves more, and names it',
    async (_, now, first, order) => {
      const scenario = smallRush({
        gate: { slots: 4, ageRejectS: now },
        model: { service: { uniform: [1, 9] } },
      });
      const axes = [{ path: 'gate.ageRejectS', values: [3, 4, 5, 6] }];
      const document = await tuned(scenario, { axes, objective: GOODPUT, replications: 30 });
      expect(document.recommendation.headline).toMatch(first);
      expect(text(document)).toMatch(/^WHY .* is allowed: it serves \d+ % in time/m);
      expect(text(document)).toMatch(order);
      expect(text(document)).not.toContain('change nothing');
    },
  );

  it('takes capacity for no threshold: it is not bought twice, nor saved by a rule', async () => {
    const axes = [{ path: 'gate.slots', values: [3, 4, 6, 8, 12] }];
    const scenario = smallRush({ gate: { slots: 4, maxWaitS: 6 } });
    const document = await tuned(scenario, { axes, replications: 4 });
    expect(document.recommendation.headline).toMatch(/^SET slots 4 -> \d+\.$/);
    expect(text(document)).not.toMatch(/^BUY|slots to buy/m);
    expect(text(document)).toMatch(/^DO add capacity for \d+ at a time in place of 4, then PUT /m);
    expect(numberOf(document.lossSplit?.threshold ?? null)).toBeLessThan(0.05);
    expect(numberOf(document.lossSplit?.capacity ?? null)).toBeGreaterThan(0.1);
  });

  it('says that nothing is enough where the present setting is not allowed either', async () => {
    const lax = smallRush({ gate: { slots: 4, maxWaitS: 15 } });
    const { recommendation } = await tuned(lax, { axes: waits(12, 16, 20), replications: 4 });
    expect(recommendation.headline).toMatch(/^NO SETTING OF THIS PARAMETER IS ENOUGH\./);
  });
});

describe('beside the first line', { timeout: PATIENCE_MS }, () => {
  it('a setting that is not advised is not called chosen', async () => {
    const kept = smallRush({ gate: { slots: 4, maxWaitS: 6 } });
    const rejected = await tuned(kept, { axes: waits(0.1, 0.2), replications: 4, floor: 0 });
    expect(rejected.recommendation).toMatchObject({ action: 'keep', chosenIs: 'best tried' });
    const printed = tuneText(rejected) + (await renderTunePage(rejected));
    expect(printed).toContain('best tried: maxWaitS');
    expect(printed).not.toContain('chosen: maxWaitS');
    const same = await tuned(kept, { axes: waits(2, 6), replications: 4 });
    expect(same.recommendation.chosenIs).toBe('kept');
    expect(tuneText(same)).toContain('kept: maxWaitS 6');
  });

  it('worlds are named in which the change serves less than the present setting', () => {
    const world = (change: string, mean: number, lo: number) => ({
      ...{ change, holds: true, regret: 0, presentMore: { mean, lo, hi: 2 * mean - lo } },
      cure: null,
      advised: { goodput: 0.8, breach: 0 },
    });
    const sensitivity = [
      world('a', 0.004, 0.001),
      world('b', 0.004, -0.001),
      world('c', -0.1, -0.2),
    ];
    const draft = { sensitivity, limits: { late: 0.05, below: 0.05 }, gates: [], params: [] };
    const [risk] = riskLines(draft as never, 'maxWaitS 4', false);
    expect(risk?.text).toContain(
      'maxWaitS 4 holds in all; THE PRESENT SETTING SERVES MORE with a (0.4 points);',
    );
    expect(riskLines(draft as never, 'maxWaitS 4', true)[0]?.text).not.toContain('PRESENT');
  });

  it.each([
    [0, 0, 300, '0 % to 0.4 %'],
    [0, 0, 1e6, '0 % to 0.1 %'],
    [1, 1, 1000, '99.9 % to 100.0 %'],
    [0.2, 0.3, 100, '19 % to 31 %'],
  ])('the band %f to %f of %i requests has a width', (lo, hi, n, told) => {
    const figure = { mean: lo, lo, hi, band: [lo, hi] } as never;
    expect(bandText(figure, n)).toBe(told);
  });
});

describe('of several scenarios', { timeout: PATIENCE_MS }, () => {
  it.each([
    ['are of one gate', 4],
    ['are of two', 6],
  ])('that %s every line says of which one its figures are', async (_, other) => {
    const gate = { slots: 2, maxWaitS: 20 };
    const day = smallRush({ name: 'day', gate });
    const night = smallRush({
      ...{ name: 'night', arrivals: { ratePerS: 0.6 }, gate: { ...gate, slots: other } },
      gate: { slots: other, maxWaitS: other === 4 ? 20 : 18 },
    });
    const document = await tuned(day, {
      ...{ scenarios: [day, night], digests: ['a', 'b'], replications: 4 },
      axes: waits(4, 6, 8),
    });
    const { lines, headline } = document.recommendation;
    expect(headline).toMatch(/SLOTS: 2 -> \d+ .*IN day/);
    const told = (name: string) => lines.find((one) => one.name === name)?.text;
    for (const name of ['NOW', 'WHY', 'BUY', 'COST', 'STILL', 'RISK', 'WAIT']) {
      expect(told(name), name).toMatch(/^day: /);
    }
    expect(told('DO')).toMatch(/^scale to \d+ slots .*in day/);
    expect(told('CHECK')).toContain('in the next run like day');
    expect(told('VALID')).toMatch(/day: while .*night: while /);
    expect(told('GATES')).toMatch(/2 \/ n slots \(day\), \d \/ n slots \(night\)/);
    expect(tuneText(document)).toMatch(/if \(day\) [\s\S]*goodput of \(day\)/);
  });
});

describe('shares in a sentence', () => {
  it.each([
    [0.2141, 0.2093, '21.4 % -> 20.9 %'],
    [0.214, 0.05, '21 % -> 5.0 %'],
    [0.0323, 0.0318, '3.23 % -> 3.18 %'],
    [0.5, 0.5, '50 % -> 50 %'],
    [0.5, 0.50001, '50 % -> 50 %'],
    [0.00001, 0, '<0.1 % -> 0 %'],
  ])('of %f and %f that are compared read differently where they differ', (a, b, told) => {
    expect(pcPair(a, b).join(' -> ')).toBe(told);
  });

  it('are not none or all where they are only next to it', () => {
    expect([0, 0.0003, -0.0003, 0.9997, 1].map((value) => pc(value))).toEqual([
      ...['0 %', '<0.1 %', '0.0 %', '>99.9 %', '100.0 %'],
    ]);
  });
});

describe('the slots that are counted', { timeout: PATIENCE_MS }, () => {
  const gate = (change: object) => smallRush({ gate: { slots: 2, ...change }, durationS: 40 });
  const conditions = { target: 0.95, maxBreach: 0.05, replications: 4, evaluate };

  it('are those of the present gate where another needs nearly as many', async () => {
    const found = await slotsNeeded(
      [
        { under: 'present', scenario: gate({ maxWaitS: 6 }) },
        { under: 'chosen', scenario: gate({ maxWaitS: 0.05 }) },
        { under: 'no rule', scenario: gate({}) },
      ],
      conditions,
    );
    expect(found.under).toBe('present');
    expect(found.others.map(({ under }) => under)).toEqual(['chosen', 'no rule']);
    expect(found.others[0]?.needed).toBeGreaterThan(found.needed ?? Infinity);
  });

  it('keep no present gate that needs more of them, where it is to be changed', async () => {
    const busy = (maxWaitS: number) => ({
      ...gate({ slots: 12, maxWaitS }),
      arrivals: smallRush({ arrivals: { ratePerS: 8 } }).arrivals,
    });
    const gates = [
      { under: 'present', scenario: busy(3) },
      { under: 'chosen', scenario: busy(5) },
    ] as const;
    const [kept, changed] = await Promise.all(
      [true, false].map((keeps) => slotsNeeded(gates, conditions, keeps)),
    );
    expect(kept).toMatchObject({ under: 'present' });
    expect(changed).toMatchObject({ under: 'chosen' });
    expect(changed?.needed).toBeLessThan(kept?.needed ?? 0);
    const same = gates.map((one) => ({ ...one, scenario: busy(5) }));
    expect((await slotsNeeded(same, conditions, false)).under).toBe('present');
  });

  it('are those of another gate where the present one would need many more', async () => {
    const found = await slotsNeeded(
      [
        { under: 'present', scenario: gate({ maxWaitS: 0.05 }) },
        { under: 'chosen', scenario: gate({ maxWaitS: 6 }) },
      ],
      conditions,
    );
    expect(found.under).toBe('chosen');
    expect(found.others[0]?.needed).toBeGreaterThan(found.needed ?? Infinity);
  });
});

describe('slots that are not enough', () => {
  it.each([
    [
      0.99,
      0.98996,
      'BUY 23 slots -> 98.9 %, 24 slots -> 99.2 % under the present setting',
      'at least 99.0 %',
    ],
    [0.9995, 0.999496, 'BUY 23 slots -> 99.94 %, 24 slots -> 99.96 %', 'at least 99.95 %'],
  ])('are not rounded up to the target of %f', (target, short, bought, least) => {
    const enough = target === 0.99 ? 0.9923 : 0.99961;
    const curve = [
      { slots: 16, goodput: 0.82 },
      { slots: 23, goodput: short },
      { slots: 24, goodput: enough },
    ];
    const slotsNeeded = {
      at: 'gate',
      target,
      present: 16,
      needed: 24,
      under: 'present',
      others: [],
      curve,
    } as const;
    const draft = {
      slotsNeeded,
      ...{ slotsElsewhere: [], gates: [], scenarios: [{}], keep: false },
      evidence: { arrivals: null },
      lossSplit: { capacity: 0.17, threshold: 0, goodput: 0.82 },
    } as never;
    const lines = [...buyLines(draft, smallRush()), ...stillLines(draft)];
    const told = lines.map(({ name, text: of }) => `${name} ${of}`).join('\n');
    expect(told).toContain(bought);
    expect(told).toContain(least);
  });
});
