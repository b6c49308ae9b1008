import type { Scenario } from './types.ts';

/** As many as a result keeps: the scenario that is read back from one has the same digest. */
const DIGITS = 12;

/**
 * The text whose SHA-256 is the digest of a scenario: JSON with sorted keys and no spaces, without
 * what does not change what happens (seed, name, description, rationale) and without the paths of
 * files, which differ from machine to machine (what was read from them is in).
 */
export function canonicalJson(scenario: Scenario): string {
  const { seed: _seed, name: _name, description: _description, gate, ...rest } = scenario;
  const { rationale: _rationale, ...rules } = gate;
  return JSON.stringify({ ...rest, gate: rules }, sorted);
}

function sorted(key: string, value: unknown): unknown {
  if (key === 'file' && (typeof value === 'string' || value === null)) return undefined;
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    return Number(value.toPrecision(DIGITS));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
