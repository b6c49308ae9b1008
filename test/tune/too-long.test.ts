/** Services that alone outlast the SLO are lost to no missing capacity, and are told apart from it. */
import { describe, expect, it } from 'vitest';
import { numberOf } from '../../src/result/figure.ts';
import { tooLongOf } from '../../src/tune/too-long.ts';
import { tuneText } from '../../src/tune/tune-text.ts';
import { evaluate, smallRush, tuned } from './support.ts';

const PATIENCE_MS = 60_000;
const gate = { slots: 4, maxWaitS: 6 };
/** A third of the services take longer than 12 s. */
const long = { service: { uniform: [3, 16.5] } };
const shareOf = async (changes: object) =>
  numberOf(await tooLongOf(smallRush({ gate, ...changes }), 20, evaluate)) ?? Number.NaN;

describe('services that alone outlast the SLO', { timeout: PATIENCE_MS }, () => {
  it('are a share of offered that neither rules nor slots change', async () => {
    expect(await shareOf({ model: long })).toBeCloseTo(1 / 3, 1);
    expect(await shareOf({ model: long, gate: { slots: 1, maxWaitS: 0 } })).toBe(
      await shareOf({ model: long }),
    );
    expect(await shareOf({})).toBe(0);
  });

  it('are none where a held slot outlasts the SLO but its own compute does not', async () => {
    const chat = { kind: 'interactive', hold: { fixed: 60 }, service: { fixed: 60 } };
    expect(await shareOf({ classes: { chat }, sloS: 20 })).toBe(0);
  });

  it('stand beside what is lost to capacity, in the table and in what is still lost', async () => {
    const axes = [{ path: 'gate.maxWaitS', values: [1, 6] }];
    const document = await tuned(smallRush({ gate, model: long }), { axes, replications: 4 });
    const { capacity, tooLong } = document.lossSplit ?? {};
    expect(numberOf(tooLong ?? null)).toBeLessThan(numberOf(capacity ?? null) ?? 0);
    expect(tuneText(document)).toMatch(/capacity .*\n {2}of it too long for the SLO\s+3\d\.\d/);
    expect(tuneText(document)).toMatch(
      /STILL +\d+ % of offered is lost to capacity \(3\d % of offered to services that alone outlast the SLO\)/,
    );
    const short = await tuned(smallRush({ gate }), { axes, replications: 4 });
    expect(tuneText(short)).not.toContain('too long for the SLO');
  });
});
