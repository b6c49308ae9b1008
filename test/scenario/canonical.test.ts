import { expect, it } from 'vitest';
import { stableJson } from '../../src/result/json.ts';
import { canonicalJson } from '../../src/scenario/canonical.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

it('the digest of a scenario is that of the same scenario read back from a result', () => {
  const scenario = parseScenario({
    arrivals: { process: 'poisson', ratePerS: 1 / 7 },
    model: { service: { empirical: [1 / 3, 2 / 3, 1e-7 / 3, 5] } },
  });
  const readBack = JSON.parse(stableJson(scenario));
  expect(readBack).not.toEqual(scenario);
  expect(canonicalJson(readBack)).toBe(canonicalJson(scenario));
});
