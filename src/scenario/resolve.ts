import { type Environment, environmentOverrides } from './environment.ts';
import { type FlagOptions, flagOverrides, labelled } from './flags.ts';
import { parseScenario } from './schema.ts';
import { parseSet, setAll } from './set.ts';
import type { Scenario } from './types.ts';

/** Where the values of a scenario come from. */
export interface Sources {
  /** As loaded from a file; `{}` where flags alone make the scenario. */
  readonly input: unknown;
  readonly env: Environment;
  readonly flags: FlagOptions;
  /** `path=value` texts of `--set`. */
  readonly sets: readonly string[];
}

/**
 * One scenario out of all sources: `--set` before flag before environment before file before default.
 * @throws UserError
 */
export function resolveScenario({ input, env, flags, sets }: Sources): Scenario {
  const fromEnv = setAll(input, environmentOverrides(env, input));
  const fromFlags = setAll(fromEnv, flagOverrides(flags));
  const fromSets = labelled('--set', () => setAll(fromFlags, sets.map(parseSet)));
  return parseScenario(fromSets);
}
