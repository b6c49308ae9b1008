import { isDeepStrictEqual } from 'node:util';
import { bareValue } from '../result/setting-value.ts';
import type { Axis } from '../scenario/axis.ts';
import { parseScenario } from '../scenario/schema.ts';
import { gateSchema } from '../scenario/schema-gate.ts';
import { setAll } from '../scenario/set.ts';
import type { Gate, Scenario } from '../scenario/types.ts';

/** Values by their path in the scenario. */
export type Setting = Readonly<Record<string, unknown>>;

/** Every combination of the values of the axes; the last axis turns fastest. */
export function gridOf(axes: readonly Axis[]): Setting[] {
  return axes.reduce<Setting[]>(
    (settings, { path, values }) =>
      settings.flatMap((setting) => values.map((value) => ({ ...setting, [path]: value }))),
    [{}],
  );
}

/**
 * The scenario under a setting. What the setting does not change is the same object as before, so
 * that all settings of a gate are played on one schedule.
 * @throws UserError where a path or a value does not fit
 */
export function underSetting(scenario: Scenario, setting: Setting): Scenario {
  return withGate(scenario, setting) ?? withAny(scenario, setting);
}

/** What a path is in a scenario; undefined where it leads nowhere. */
export function valueAt(scenario: Scenario, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
      scenario,
    );
}

/** A search makes thousands of these: where only the gate changes, only the gate is parsed. */
function withGate(scenario: Scenario, setting: Setting): Scenario | undefined {
  const paths = Object.keys(setting);
  if (!paths.every((path) => /^gate\.\w+$/.test(path))) return undefined;
  const fields = paths.map((path) => [path.slice('gate.'.length), setting[path]]);
  const parsed = gateSchema.safeParse({ ...scenario.gate, ...Object.fromEntries(fields) });
  return parsed.success ? { ...scenario, gate: parsed.data } : undefined;
}

function withAny(scenario: Scenario, setting: Setting): Scenario {
  const overrides = Object.entries(setting).map(([path, value]) => ({ path, value }));
  const changed = parseScenario(setAll(scenario, overrides));
  return { ...sharing(scenario, changed), model: sharing(scenario.model, changed.model) };
}

function sharing<T extends object>(before: T, after: T): T {
  const entries = Object.entries(after).map(([key, value]) => {
    const known: unknown = Reflect.get(before, key);
    return [key, isDeepStrictEqual(known, value) ? known : value];
  });
  return Object.fromEntries(entries) as T;
}

/** The rules that turn requests away to keep a queue short: those that a tuner compares. */
export const RULES = [
  'ageRejectS',
  'depthMultiple',
  'queueCapacity',
  'maxWaitS',
  'predictedWaitS',
] as const satisfies readonly (keyof Gate)[];
export type RuleName = (typeof RULES)[number];

/**
 * The other rules that turn work away, take it back or give it up, as they stand when they are off.
 * A tuner changes one of these only where it is what is tuned.
 */
const OTHER_RULES_OFF = {
  maxHoldS: null,
  slackRejectS: null,
  interactiveCap: null,
  retryBudget: null,
  killWindowS: null,
  queueAgeFraction: null,
  taskBudgetTokens: null,
  maxPreempts: null,
  stopAfterPreempts: false,
} as const satisfies Partial<Gate>;

/** A gate that only queues for its slots. */
export function withoutAnyRule(scenario: Scenario): Scenario {
  const { gate, ...rest } = withoutRules(scenario);
  return { ...rest, gate: { ...gate, ...OTHER_RULES_OFF } };
}

/** The rules of a gate that are on, with their values: what a gate without any rule does not have. */
export function rulesOn(scenario: Scenario): Setting {
  const off = withoutAnyRule(scenario).gate;
  const entries = Object.entries(scenario.gate).flatMap(([rule, value]) =>
    isDeepStrictEqual(value, Reflect.get(off, rule)) ? [] : [[`gate.${rule}`, value] as const],
  );
  return Object.fromEntries(entries);
}

/** The scenario with the rules off that a tuner compares, and with what is tuned off where that is another rule. */
export function withoutTuned(scenario: Scenario, paths: readonly string[]): Scenario {
  const { gate, ...rest } = withoutRules(scenario);
  const tuned = Object.entries(OTHER_RULES_OFF).filter(([rule]) => paths.includes(`gate.${rule}`));
  return { ...rest, gate: { ...gate, ...Object.fromEntries(tuned) } };
}

/** The scenario with all rules off that a tuner compares. */
export function withoutRules(scenario: Scenario): Scenario {
  const off = Object.fromEntries(RULES.map((rule) => [rule, null]));
  return { ...scenario, gate: { ...scenario.gate, ...off } };
}

/** The rule that a path sets; undefined where it is something else. */
export function ruleAt(path: string): RuleName | undefined {
  return RULES.find((rule) => path === `gate.${rule}`);
}

/** Whether a path is capacity, which is bought, and no threshold, which is set. */
export function isCapacity(path: string): boolean {
  return path === 'gate.slots' || path === 'model.slots';
}

/** Where a tuned path is a rule, the rules that are not tuned are off. */
export function tunedBase(scenario: Scenario, paths: readonly string[]): Scenario {
  return paths.some((path) => ruleAt(path) !== undefined) ? withoutRules(scenario) : scenario;
}

/** `maxWaitS 30`: the name of a rule always stands beside its number. */
export function settingText(setting: Setting): string {
  const parts = Object.entries(setting).map(
    ([path, value]) => `${path.replace(/^gate\./, '')} ${bareValue(path, value)}`,
  );
  return parts.length === 0 ? 'no rule' : parts.join(', ');
}

/** A configured value as it was written. */
export function valueText(value: unknown): string {
  if (value === null) return 'off';
  if (typeof value === 'number' && value >= 1e6) return value.toExponential().replace('e+', 'e');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
