import { beforeAll, describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load.ts';
import { resolveScenario } from '../../src/scenario/resolve.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import type { Scenario } from '../../src/scenario/types.ts';
import type { TuneDocument } from '../../src/tune/types.ts';
import { ADMIT, tuned } from './support.ts';

/** Seldom full: whoever may wait is served. */
const calm = parseScenario({
  name: 'calm',
  durationS: 300,
  sloS: 30,
  arrivals: { ratePerS: 0.05 },
  gate: { slots: 2, maxWaitS: 2 },
  model: { service: { uniform: [5, 25] } },
});
/** Always full, with callers that come back: whoever waits long is late. */
const crowded = parseScenario({
  name: 'crowded',
  durationS: 300,
  sloS: 45,
  arrivals: { ratePerS: 1 },
  gate: { slots: 8, queueCapacity: 40 },
  classes: { t: { retry: { max: 4, baseS: 1, capS: 10, budget: null, honourRetryAfter: false } } },
  model: { service: { lognormal: { mean: 10, scv: 1 } } },
});
const axes = [{ path: 'gate.maxWaitS', values: Array.from({ length: 30 }, (_, i) => i + 1) }];

async function shipped(name: string): Promise<Scenario> {
  const { input } = await loadScenario(name);
  return resolveScenario({ input, env: {}, flags: {}, sets: [] });
}

const lineOf = ({ recommendation }: TuneDocument, name: string) =>
  recommendation.lines.find((line) => line.name === name)?.text ?? '';

describe('one setting for gates that need different ones', () => {
  let both: TuneDocument;
  beforeAll(async () => {
    both = await tuned(calm, {
      ...{ scenarios: [calm, crowded], digests: ['a', 'b'] },
      ...{ axes, replications: 12, floor: 0.5 },
    });
  });

  it('names the gate that it costs most, and what that would be set to alone', () => {
    expect(both.recommendation.headline).toMatch(/ TUNE calm APART\.$/);
    expect(lineOf(both, 'APART')).toMatch(
      /^calm alone serves 9\d(\.\d)? % of offered with maxWaitS \d+, here \d+(\.\d)? %$/,
    );
  });

  it('says who refuses a neighbour that is better where the advice is told of', () => {
    expect(lineOf(both, 'RANGE')).toMatch(/next above: .* in calm, refused by crowded \(late \d/);
  });

  it('is not spoken of where a gate is alone', async () => {
    const alone = await tuned(calm, { axes, replications: 12 });
    expect(alone.recommendation.headline).not.toContain('APART');
    expect(lineOf(alone, 'APART')).toBe('');
    expect(lineOf(alone, 'RANGE')).not.toContain('refused by');
  });
});

it('names the gate that can be set alone where no setting suits all, and who refuses', async () => {
  const [shippedRush, burst] = [await shipped('rush'), await shipped('burst')];
  // With a present setting that is not allowed either: else it is kept, and burst is set.
  const rush = { ...shippedRush, gate: { ...shippedRush.gate, maxWaitS: 35 } };
  const document = await tuned(rush, {
    ...{ scenarios: [rush, burst], digests: ['a', 'b'] },
    ...{ floor: 0.95, objective: { ...ADMIT, maxBreach: 0.02 } },
    axes: [{ path: 'gate.ageRejectS', values: [1, 2, 3, 4, 6, 8] }],
  });
  expect(document.recommendation.headline).toContain('NO SETTING OF THIS PARAMETER IS ENOUGH.');
  expect(document.recommendation.headline).toMatch(/ TUNE burst APART\.$/);
  expect(lineOf(document, 'APART')).toMatch(/^burst alone serves .* with ageRejectS \d, now /);
  expect(document.tried.map(({ refused }) => refused).join()).toContain(' in rush: goodput');
});
