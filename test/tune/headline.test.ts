/** What the first line says, and that it does not say what the figures deny. */
import { describe, expect, it } from 'vitest';
import { buyLines, stillLines } from '../../src/tune/capacity-text.ts';
import type { TuneDocument } from '../../src/tune/types.ts';
import { smallRush, tuned } from './support.ts';

const PATIENCE_MS = 60_000;
const waits = (...values: number[]) => [{ path: 'gate.maxWaitS', values }];
const text = ({ recommendation }: TuneDocument) =>
  recommendation.lines.map(({ name, text: of }) => `${name} ${of}`).join('\n');

describe('a first line', { timeout: PATIENCE_MS }, () => {
  it('keeps a present setting that is allowed where nothing in the range is', async () => {
    const kept = smallRush({ gate: { slots: 4, maxWaitS: 5 } });
    const document = await tuned(kept, { axes: waits(12, 16, 20), replications: 4 });
    const { recommendation } = document;
    expect(recommendation.action).toBe('keep');
    expect(recommendation.headline).toContain(
      'KEEP maxWaitS 5. NOTHING IN THE RANGE THAT WAS TRIED IS ALLOWED.',
    );
    expect(text(document)).toContain('tried 3 of 3 settings, maxWaitS 12 to 20');
  });

  it('says that nothing is enough where the present setting is not allowed either', async () => {
    const lax = smallRush({ gate: { slots: 4, maxWaitS: 15 } });
    const { recommendation } = await tuned(lax, { axes: waits(12, 16, 20), replications: 4 });
    expect(recommendation.headline).toMatch(/^NO SETTING OF THIS PARAMETER IS ENOUGH\./);
  });
});

describe('slots that are not enough', () => {
  it.each([
    [0.99, 0.98996, 'BUY 23 slots -> 98.9 %, 24 slots -> 99.2 %', 'at least 99.0 %'],
    [0.9995, 0.999496, 'BUY 23 slots -> 99.94 %, 24 slots -> 99.96 %', 'at least 99.95 %'],
  ])('are not rounded up to the target of %f', (target, short, bought, least) => {
    const enough = target === 0.99 ? 0.9923 : 0.99961;
    const curve = [
      { slots: 16, goodput: 0.82 },
      { slots: 23, goodput: short },
      { slots: 24, goodput: enough },
    ];
    const slotsNeeded = { at: 'gate', target, present: 16, needed: 24, curve } as const;
    const draft = {
      slotsNeeded,
      evidence: { arrivals: null },
      lossSplit: { capacity: 0.17, threshold: 0, goodput: 0.82 },
    } as never;
    const lines = [...buyLines(draft), ...stillLines(draft)];
    const told = lines.map(({ name, text: of }) => `${name} ${of}`).join('\n');
    expect(told).toContain(bought);
    expect(told).toContain(least);
  });
});
