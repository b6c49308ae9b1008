/** How a scenario was asked for, in a result, so that its page can say how to ask for it again. */
import type { Asked, Result } from '../result/types.ts';
import { type Environment, variablesInUse } from '../scenario/environment.ts';
import { optionKey, SCENARIO_FLAGS } from '../scenario/flags.ts';
import { parseValue } from '../scenario/set.ts';
import type { Setting } from '../tune/setting.ts';
import type { ScenarioOptions } from './options.ts';

/** What a command line and its environment say of a scenario; a result has its seed by itself. */
export function askedFor(
  scenario: string | undefined,
  options: ScenarioOptions,
  env: Environment,
): Asked {
  const flags = SCENARIO_FLAGS.filter(({ path }) => path !== 'seed')
    .flatMap(({ name, aliases = [] }) => [name, ...aliases])
    .flatMap((name) => {
      const value = options[optionKey(name)];
      return value === undefined ? [] : [`--${name}`, String(value)];
    });
  const variables = variablesInUse(env).map((name) => [name, env[name] ?? ''] as const);
  return {
    scenario: scenario ?? null,
    variables: Object.fromEntries(variables),
    words: [...flags, ...options.set.flatMap((text) => ['--set', text])],
  };
}

/** The same with a setting on top. */
export function askedUnder(asked: Asked, setting: Setting): Asked {
  const words = Object.entries(setting).flatMap(([path, value]) => [
    '--set',
    `${path}=${textOf(value)}`,
  ]);
  return { ...asked, words: [...asked.words, ...words] };
}

/** As `--set` reads it. */
function textOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return parseValue(value) === value ? value : JSON.stringify(value);
}

/** The result with how it was asked for; as it is where its name alone asks for it. */
export function withAsked(result: Result, asked: Asked): Result {
  const { scenario, variables, words } = asked;
  const isPlain = words.length === 0 && Object.keys(variables).length === 0;
  if (isPlain && scenario === result.scenario.name) return result;
  return { ...result, environment: { ...result.environment, asked } };
}
