/** The environment variables of the runbooks, and what each means in a scenario. */
import { numberOf, numberOrOff, switchOf } from './flag-values.ts';
import { labelled, SCENARIO_FLAGS } from './flags.ts';
import { DEFAULT_CLASS } from './schema.ts';
import type { Override } from './set.ts';

/** The names that commands read for themselves: endpoints, keys, and what a drill does. */
export const COMMAND_VARIABLES = [
  'MC_ENDPOINT',
  'MC_API_KEY',
  'MC_MODEL',
  'OPENAI_BASE_URL',
  'OPENAI_API_KEY',
  'SIMULATE_PREEMPT',
  'LEDGER_PATH',
  'DRILL_MODE',
] as const;

export type Environment = Readonly<Record<string, string | undefined>>;

interface Variable {
  readonly name: string;
  /** The changes; `input` is the scenario as written, to know its classes. */
  readonly overrides: (text: string, input: unknown) => Override[];
}

function at(name: string, path: string, parse: (text: string) => unknown): Variable {
  return { name, overrides: (text) => [{ path, value: parse(text) }] };
}

/** Variables that are also flags mean the same as these. */
const FROM_FLAGS: readonly Variable[] = SCENARIO_FLAGS.flatMap(({ env, path, parse }) =>
  env === undefined ? [] : [at(env, path, parse)],
);

const OWN: readonly Variable[] = [
  at('BURST_FROM', 'arrivals.bursts.0.fromS', numberOf),
  at('BURST_TO', 'arrivals.bursts.0.toS', numberOf),
  at('TASK_BUDGET', 'gate.taskBudgetTokens', numberOrOff),
  at('QUEUE_AGE_FRAC', 'gate.queueAgeFraction', numberOrOff),
  at('RESTART_FRAC', 'gate.restartFraction', numberOf),
  at('MAX_PREEMPTS', 'gate.maxPreempts', numberOrOff),
  {
    name: 'DEADLINE_MS',
    overrides: (text, input) => {
      const value = numberOf(text) / 1000;
      return batchClasses(input).map((name) => ({ path: `classes.${name}.deadlineS`, value }));
    },
  },
  // After ADMIT_MODE: whoever sets both wants everybody in.
  {
    name: 'ADMIT_ALWAYS',
    overrides: (text) => (switchOf(text) ? [{ path: 'gate.mode', value: 'admit-always' }] : []),
  },
];

const VARIABLES = [...FROM_FLAGS, ...OWN];

/** The names that change a scenario. */
export const SCENARIO_VARIABLES: readonly string[] = VARIABLES.map(({ name }) => name);

/** Interactive requests have no deadline. */
function batchClasses(input: unknown): string[] {
  const classes: unknown = isObject(input) ? input['classes'] : undefined;
  if (!isObject(classes)) return [DEFAULT_CLASS];
  return Object.entries(classes)
    .filter(([, spec]) => !isObject(spec) || spec['kind'] !== 'interactive')
    .map(([name]) => name);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The variables that are set and change a scenario; empty counts as not set. A command may say so. */
export function variablesInUse(env: Environment): string[] {
  return SCENARIO_VARIABLES.filter((name) => (env[name] ?? '') !== '');
}

/**
 * The changes that the environment asks for.
 * @throws UserError naming the variable
 */
export function environmentOverrides(env: Environment, input: unknown): Override[] {
  return VARIABLES.flatMap(({ name, overrides }) => {
    const text = env[name] ?? '';
    return text === '' ? [] : labelled(name, () => overrides(text, input));
  });
}
