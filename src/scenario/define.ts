import type { ScenarioInput } from './schema.ts';

/** Types a scenario as it is written; it is parsed, and its defaults filled in, when it is run. */
export function defineScenario(input: ScenarioInput): ScenarioInput {
  return input;
}
