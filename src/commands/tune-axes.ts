/** What `tune --param` asks for. */
import { UserError } from '../errors.ts';
import { isChoice } from '../result/choices.ts';
import { ascending, refuseDoubledPaths, withDistinctValues } from '../scenario/axes.ts';
import { type Axis, splitSweepAxis } from '../scenario/axis.ts';
import { SCENARIO_FLAGS } from '../scenario/flags.ts';
import { gateSchema } from '../scenario/schema-gate.ts';

/**
 * The axes of a search: only what an operator may set, each path and each value once, numbers in order.
 * @throws UserError on anything else, and on none
 */
export function tuneAxes(params: readonly string[]): Axis[] {
  const axes = params.map(splitSweepAxis);
  if (axes.length === 0) throw new UserError('tune: expected --param path=from..to/step, got none');
  const paths = axes.map(({ path }) => path);
  refuseDoubledPaths(paths, '--param');
  const given = paths.find((path) => !isChoice(path));
  if (given !== undefined) {
    throw new UserError(
      `--param ${given}: expected a rule, slots or checkpoints, such as gate.maxWaitS, got ${gotText(given)}`,
    );
  }
  return axes.map((axis) => ascending(withDistinctValues(axis)));
}

/** The answers name a rule without its `gate.`, and the runbooks by its variable. */
function gotText(path: string): string {
  const ofVariable = SCENARIO_FLAGS.find(({ env }) => env === path)?.path;
  const meant = Object.hasOwn(gateSchema.shape, path) ? `gate.${path}` : ofVariable;
  return meant === undefined || !isChoice(meant)
    ? 'what is not a choice of the operator: use sweep'
    : `${path}: did you mean ${meant}?`;
}
