import { checkThresholdPaths } from '../result/threshold-paths.ts';
import { freeCapacityWarnings } from '../scenario/free-capacity.ts';
import { loadScenario } from '../scenario/load.ts';
import { resolveScenario } from '../scenario/resolve.ts';
import type { Scenario } from '../scenario/types.ts';
import type { ScenarioOptions } from './options.ts';
import { note } from './output.ts';
import { withTraces } from './traces.ts';

/** What a part that is served alone starts from: its arrivals come from elsewhere. */
export const SERVED = { name: 'served', arrivals: { process: 'poisson', ratePerS: 1 } } as const;

/**
 * The scenario that a command is to run: from a file or a shipped name, or from flags alone, with
 * the environment, the flags and `--set` on top.
 * @param bare what flags alone start from
 * @throws UserError
 */
export async function scenarioFrom(
  nameOrPath: string | undefined,
  options: ScenarioOptions,
  bare: object = { name: 'flags' },
): Promise<Scenario> {
  const loaded =
    nameOrPath === undefined
      ? { input: bare, folder: process.cwd() }
      : await loadScenario(nameOrPath);
  const say = (text: string) => note(text, { quiet: options['quiet'] === true });
  const { input, folder } = loaded;
  const sources = { input, env: process.env, flags: options, sets: options.set };
  const resolved = resolveScenario(sources);
  checkThresholdPaths(resolved);
  const scenario = withRows(resolved, folder, options, say);
  for (const warning of freeCapacityWarnings(scenario)) say(warning);
  return scenario;
}

/** The path of `--trace` starts where it was typed, the paths of a scenario at its own folder. */
function withRows(
  scenario: Scenario,
  folder: string,
  options: ScenarioOptions,
  say: (text: string) => void,
): Scenario {
  if (options['trace'] === undefined) return withTraces(scenario, folder, say);
  const { arrivals } = withTraces({ ...scenario, classes: {} }, process.cwd(), say);
  return withTraces({ ...scenario, arrivals }, folder, say);
}
