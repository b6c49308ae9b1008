/** What is tuned: several values, each in a unit. */
import { UserError } from '../errors.ts';
import { unitOf as unitInName } from '../result/setting-value.ts';
import type { Axis } from '../scenario/axis.ts';

/** One point has no neighbours: it is the best of nothing. */
export function refusePoint(axes: readonly Axis[]): void {
  if (axes.some(({ values }) => new Set(values).size > 1)) return;
  const told = axes.map(({ path, values }) => `${path}=${JSON.stringify(values[0])}`).join(', ');
  throw new UserError(
    `tune: expected several values, such as --param ${axes[0]?.path}=from..to/step, got one: ${told}`,
  );
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
