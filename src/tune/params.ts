/** What is tuned: several values, each in a unit. */
import { UserError } from '../errors.ts';
import { unitOf as unitInName } from '../result/setting-value.ts';
import type { Axis } from '../scenario/axis.ts';
import type { Scenario } from '../scenario/types.ts';
import { tunedBase, underSetting } from './setting.ts';

/** One point has no neighbours: it is the best of nothing. */
export function refusePoint(axes: readonly Axis[]): void {
  if (axes.some(({ values }) => new Set(values).size > 1)) return;
  const told = axes.map(({ path, values }) => `${path}=${JSON.stringify(values[0])}`).join(', ');
  throw new UserError(
    `tune: expected several values, such as --param ${axes[0]?.path}=from..to/step, got one: ${told}`,
  );
}

/**
 * A value that does not fit is told at once, with what was asked for, not after thousands of runs. Of
 * several parameters a value may need those of another.
 * @throws UserError
 */
export function refuseUnfit(scenarios: readonly Scenario[], axes: readonly Axis[]): void {
  const [axis, ...more] = axes;
  if (axis === undefined || more.length > 0) return;
  const { path, values } = axis;
  for (const value of values) {
    for (const scenario of scenarios) tryFit(scenario, path, value);
  }
}

function tryFit(scenario: Scenario, path: string, value: unknown): void {
  try {
    underSetting(tunedBase(scenario, [path]), { [path]: value });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      `--param ${path}=${JSON.stringify(value)} in ${scenario.name}: ${error.message}`,
    );
  }
}

/** The unit of a path; empty where it has none. */
export function unitOf(path: string): string {
  const named = unitInName(path);
  if (named !== '') return named;
  if (/slots$/i.test(path)) return 'slots';
  if (/queueCapacity$/.test(path)) return 'requests';
  if (/depthMultiple$/.test(path)) return 'x slots';
  return '';
}
