/** A gate that keeps what it has does not decide what others get. */
import { describe, expect, it } from 'vitest';
import { smallRush, tuned } from './support.ts';

const PATIENCE_MS = 60_000;

describe('beside a gate that keeps what it has', { timeout: PATIENCE_MS }, () => {
  const good = smallRush({ name: 'good', gate: { slots: 4, maxWaitS: 6 } });
  const lax = smallRush({
    ...{ name: 'lax', gate: { slots: 2, ageRejectS: 12 }, arrivals: { ratePerS: 2.5 } },
  });
  const axes = [{ path: 'gate.ageRejectS', values: [0.5, 1, 2, 3, 4, 5, 6] }];
  const asked = { axes, replications: 20 };
  let tunedBoth: ReturnType<typeof tuned> | undefined;
  const both = () => {
    tunedBoth ??= tuned(good, { ...asked, scenarios: [good, lax], digests: ['a', 'b'] });
    return tunedBoth;
  };

  it('another gets what it would get alone, though the first could not live with that', async () => {
    const [together, alone] = [await both(), await tuned(lax, asked)];
    expect(together.recommendation.headline).toMatch(
      /^KEEP maxWaitS 6 IN good\. SET ageRejectS 12 -> /,
    );
    expect(together.chosen?.setting).toEqual(alone.chosen?.setting);
    expect(together.chosen?.interval).toEqual(alone.chosen?.interval);
    expect(together.chosen?.flatRegion).toEqual(alone.chosen?.flatRegion);
    const chosen = together.tried.find(({ setting }) => setting === together.chosen?.setting);
    expect(chosen?.byScenario.map(({ scenario }) => scenario)).toEqual(['good', 'lax']);
  });

  it('nor does it keep another from being set at all, where no setting suits both', async () => {
    const strict = { ...asked, floor: 1, axes: [{ path: 'gate.ageRejectS', values: [0.3, 0.5] }] };
    const [alone, own] = [await tuned(lax, strict), await tuned(good, strict)];
    expect(own.chosen).toBeNull();
    const together = await tuned(good, { ...strict, scenarios: [good, lax], digests: ['a', 'b'] });
    expect(together.chosen?.setting).toEqual(alone.chosen?.setting);
    expect(together.recommendation.headline).toMatch(
      /^KEEP maxWaitS 6 IN good\. SET ageRejectS 12 -> /,
    );
  });

  it('the range is told of the gates that change, and another rule is set in these alone', async () => {
    const { recommendation, baselines } = await both();
    const told = (name: string) => recommendation.lines.find((one) => one.name === name)?.text;
    expect(told('RANGE')).toMatch(/^lax: tried \d of 7 settings/);
    expect(told('RANGE')).not.toMatch(/refused.* good/);
    expect(recommendation.headline).toMatch(/ANOTHER RULE SERVES MORE: maxWaitS [\d.]+ IN lax\./);
    expect(told('DO')).toMatch(
      /or, which serves more in lax: PUT \/admin\/policy \{"maxWaitS":[\d.]+,"ageRejectS":null\} \(undo: \{"maxWaitS":null,"ageRejectS":12\}\)/,
    );
    const limit = baselines.find(({ name }) => name === 'wait limit');
    expect(limit?.allowed).toBe(true);
  });
});
