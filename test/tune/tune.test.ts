import { describe, expect, it } from 'vitest';
import { drawsAt, streamKey } from '../../src/random.ts';
import { renderTunePage } from '../../src/report/tune-page.ts';
import { numberOf } from '../../src/result/figure.ts';
import { stableJson } from '../../src/result/json.ts';
import { evidenceOf, inBlocks } from '../../src/tune/evidence.ts';
import { underSetting } from '../../src/tune/setting.ts';
import { tuneText } from '../../src/tune/tune-text.ts';
import { evaluate, GOODPUT, smallRush, tuned } from './support.ts';

/** Thousands of small simulations, on cores that others use too. */
const PATIENCE_MS = 60_000;

const FEW_VALUES = [{ path: 'gate.maxWaitS', values: [2, 4, 6, 8, 10] }];

describe('a recommendation', { timeout: PATIENCE_MS }, () => {
  it('names rule and unit, splits the loss and says the same twice', async () => {
    const scenario = smallRush({ gate: { slots: 4, maxWaitS: 20 } });
    const document = await tuned(scenario, { objective: GOODPUT, replications: 6 });
    expect(document.recommendation.headline).toMatch(
      /^SET maxWaitS 20 -> [4-8]\. OR ADD SLOTS: 4 -> \d+ AND KEEP maxWaitS 20\.$/,
    );
    expect(document.recommendation.label).toContain('SIMULATED');
    const line = (name: string) =>
      document.recommendation.lines.find((one) => one.name === name)?.text;
    expect(line('DO')).toContain('calibrate before production');
    expect(line('GATES')).toContain('of one process');
    expect(line('GATES')).toContain('4 / n slots');
    expect(line('STALE')).toContain('advice of 2026-11-29, nothing measured');
    expect(line('STALE')).toContain('small-rush abcdef012345)');
    expect(line('STALE')).toContain('loadline 0.0.9');
    expect(document.chosen).toMatchObject({ rule: 'maxWaitS', unit: 's', binding: 'small-rush' });
    const { lossSplit } = document;
    if (lossSplit === null) throw new Error('expected a loss split');
    const parts = [lossSplit.threshold, lossSplit.capacity, lossSplit.holds, lossSplit.retries];
    const lost = parts.reduce<number>((sum, part) => sum + (numberOf(part) ?? 0), 0);
    expect(lost).toBeCloseTo(1 - lossSplit.goodput, 10);
    expect(numberOf(lossSplit.threshold)).toBeGreaterThan(0.05);
    expect(document.baselines.map(({ name }) => name)).toEqual([
      'present',
      'no gate',
      'depth cap',
      'age rule',
      'wait limit',
      'predicted wait',
    ]);
    expect(tuneText(document)).toContain('beats the age rule');
    expect(await renderTunePage(document)).toContain('beats the age rule');
  });

  it('of a value that does not fit is refused with that value, before anything is played', async () => {
    const strict = smallRush({ gate: { slots: 4, slackRejectS: 90, slackAdmitS: 180 } });
    let played = 0;
    const axes = [{ path: 'gate.slackRejectS', values: [60, 170, 190] }];
    const asked = tuned(strict, {
      axes,
      evaluate: (evaluation) => {
        played++;
        return evaluate(evaluation);
      },
    });
    await expect(asked).rejects.toThrow(
      /^--param gate\.slackRejectS=190 in small-rush: gate\.slackAdmitS: expected at least slackRejectS/,
    );
    expect(played).toBe(0);
  });

  it('says how many values it rests on, and is none of one value', async () => {
    const axes = (values: number[]) => [{ path: 'gate.maxWaitS', values }];
    const { recommendation } = await tuned(smallRush(), { axes: axes([3, 6]), replications: 2 });
    const texts = recommendation.lines.map(({ text }) => text).join('\n');
    expect(texts).toContain('tried 2 of 2 settings, maxWaitS 3 to 6');
    for (const values of [[3], [3, 3]]) {
      await expect(tuned(smallRush(), { axes: axes(values) })).rejects.toThrow(
        'expected several values, such as --param gate.maxWaitS=from..to/step, got one',
      );
    }
  });

  it('says the same in the same bytes', async () => {
    const axes = [{ path: 'gate.maxWaitS', values: [3, 6, 9] }];
    const once = async () => stableJson(await tuned(smallRush(), { axes, replications: 2 }));
    expect(await once()).toBe(await once());
  });

  it('keeps a setting that nothing beats', async () => {
    const scenario = smallRush({ gate: { slots: 4, maxWaitS: 6 } });
    const { recommendation } = await tuned(scenario, {
      ...{ axes: FEW_VALUES, objective: GOODPUT, replications: 5 },
    });
    expect(recommendation.action).toBe('keep');
    expect(recommendation.headline).toMatch(/^KEEP maxWaitS 6\./);
  });

  it('says what a quiet day cannot show', async () => {
    const quiet = [smallRush({ arrivals: { ratePerS: 0.3 } })];
    const runs = await evaluate({ scenarios: quiet, replications: 8, figures: 'requests' });
    const evidence = evidenceOf(quiet, null, runs);
    expect(evidence.overload).toBe(false);
    expect(evidence.text).toContain('no evidence above a load of 0.8');
  });

  it('recommends nothing from too few observations', async () => {
    const few = { service: { empirical: [2, 3, 4, 5, 3] } };
    const document = await tuned(smallRush({ model: few }), { axes: FEW_VALUES, replications: 2 });
    expect(document.recommendation.action).toBe('not-enough-evidence');
    expect(document.recommendation.headline).toContain('NOT ENOUGH EVIDENCE');
    expect(document.chosen).toBeNull();
    expect(document.evidence).toMatchObject({ n: 5, enough: false });
  });

  it('has a wider interval where services are known from observations', async () => {
    const empirical = Array.from({ length: 40 }, (_, i) => 1 + ((i * 7) % 40) / 3);
    const observed = smallRush({ model: { service: { empirical } } });
    const document = await tuned(observed, {
      ...{ objective: GOODPUT, arrivals: 96, replications: 4 },
      axes: [{ path: 'gate.maxWaitS', values: [3, 4, 5, 6] }],
    });
    const [lo, hi] = document.chosen?.interval['gate.maxWaitS'] ?? [0, 0];
    const value = Number(document.chosen?.setting['gate.maxWaitS']);
    expect(document.evidence).toMatchObject({ services: 'observed', n: 40, arrivals: 96 });
    expect(lo).toBeLessThanOrEqual(value);
    expect(hi).toBeGreaterThanOrEqual(value);
    expect(hi - lo).toBeGreaterThan(0);
  });
});

describe('a setting', () => {
  it('that is none is refused by its path', () => {
    const scenario = smallRush();
    expect(() => underSetting(scenario, { 'gate.maxWait': 3 })).toThrow(/gate\.maxWait/);
    expect(() => underSetting(scenario, { 'gate.slots': 0 })).toThrow(/gate\.slots/);
    expect(underSetting(scenario, { 'gate.slots': 5 }).classes).toBe(scenario.classes);
    const faster = underSetting(scenario, { 'arrivals.ratePerS': 3 });
    expect(faster.arrivals).toMatchObject({ ratePerS: 3 });
    expect(faster.classes).toBe(scenario.classes);
  });
});

describe('a resample in blocks', () => {
  it('keeps neighbours together and the length', () => {
    const values = Array.from({ length: 64 }, (_, i) => i);
    const drawn = inBlocks(values, drawsAt(streamKey(1, 'test')));
    expect(drawn).toHaveLength(64);
    const follows = drawn.filter((value, i) => i > 0 && value === ((drawn[i - 1] ?? 0) + 1) % 64);
    expect(follows.length).toBeGreaterThanOrEqual(48);
  });
});
