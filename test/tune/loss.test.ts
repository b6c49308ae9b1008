import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { numberOf } from '../../src/result/figure.ts';
import type { LossSplit } from '../../src/result/types.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { resolveScenario } from '../../src/scenario/resolve.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import type { Scenario } from '../../src/scenario/types.ts';
import { evidenceOf } from '../../src/tune/evidence.ts';
import { lossSplitOf } from '../../src/tune/loss.ts';
import { hasHolds } from '../../src/tune/what-if.ts';
import { evaluate } from './support.ts';

/** What chance moves of offered in a few runs: who is served changes places with who is not. */
const NOISE = 0.02;

const shipped = readdirSync(new URL('../../scenarios/', import.meta.url))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace(/\.ts$/, ''));

async function shippedScenario(name: string): Promise<Scenario> {
  const { input } = await loadScenario(name);
  return resolveScenario({ input, env: {}, flags: {}, sets: [] });
}

/** Batch work, and sessions whose service only has to outlast their hold. */
function sessions(placeholderS: number, more: Record<string, unknown> = {}): Scenario {
  return parseScenario({
    durationS: 900,
    sloS: 40,
    classes: {
      batch: { arrivals: { ratePerS: 0.1 }, service: { uniform: [5, 20] } },
      chat: {
        ...{ kind: 'interactive', arrivals: { ratePerS: 0.05 }, mayQueue: true, sloS: 200 },
        ...{ hold: { exponential: 40 }, service: { fixed: placeholderS }, ...more },
      },
    },
    gate: { slots: 4, maxWaitS: 60 },
    model: { service: { uniform: [5, 20] } },
  });
}

async function splitOf(scenario: Scenario) {
  const { split, goodput } = await lossSplitOf(scenario, scenario, 3, evaluate);
  const parts = (Object.keys(split) as (keyof LossSplit)[]).map(
    (part) => [part, numberOf(split[part]) ?? 0] as const,
  );
  return { parts, split, loss: 1 - goodput };
}

describe('a loss split', () => {
  it.each(shipped)('of %s has no part above the loss, and none below nothing', async (name) => {
    const scenario = await shippedScenario(name);
    const { parts, loss } = await splitOf(scenario);
    for (const [part, share] of parts) {
      expect(share, part).toBeGreaterThan(-NOISE);
      expect(share, part).toBeLessThan(loss + NOISE);
    }
    expect(parts.reduce((sum, [, share]) => sum + share, 0)).toBeCloseTo(loss, 10);
  });

  it('puts what sessions hold down to holds, however long their service stands in the scenario', async () => {
    const [short, long] = [await splitOf(sessions(120)), await splitOf(sessions(3600))];
    expect(short.split).toEqual(long.split);
    expect(numberOf(long.split.holds)).toBeGreaterThan(0.6 * long.loss);
    expect(hasHolds(sessions(120))).toBe(true);
  });

  it('loses nothing to holds where the held slot computes all the time', async () => {
    const { split } = await splitOf(sessions(3600, { compute: 1 }));
    expect(Math.abs(numberOf(split.holds) ?? Number.NaN)).toBeLessThan(NOISE);
  });
});

it('counts the work offered by the time that slots are held', async () => {
  const night = await shippedScenario('lease-night');
  const [runs = []] = await evaluate({ scenarios: [night], replications: 3, figures: 'requests' });
  // 0.04 / s of 25 s and 0.016 / s of 180 s keep 3.9 of its 4 slots.
  const { peakLoad } = evidenceOf([night], null, [runs]);
  expect(peakLoad).toBeGreaterThan(0.8);
  expect(peakLoad).toBeLessThan(3);
});
