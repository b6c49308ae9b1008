/** Several axes beside one another: each path once, each value once. */
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../errors.ts';
import type { Axis } from './axis.ts';
import { parsePath } from './set.ts';

/**
 * Crossed with itself a path would have two values at a time, of which one wins unseen.
 * @param flag that gives the paths: `--param`
 * @throws UserError where two of them lead to the same place
 */
export function refuseDoubledPaths(paths: readonly string[], flag: string): void {
  const places = paths.map((path) => parsePath(path).join('.'));
  const doubled = paths.find((_, i) => places.indexOf(places[i] ?? '') !== i);
  if (doubled === undefined) return;
  throw new UserError(
    `${flag} ${doubled}: expected each path once, got it twice: write all its values in one ${flag}`,
  );
}

/** Each value once, in the order in which they were written. */
export function withDistinctValues({ path, values }: Axis): Axis {
  const isFirst = (value: unknown, i: number) =>
    values.findIndex((one) => isDeepStrictEqual(one, value)) === i;
  return { path, values: values.filter(isFirst) };
}

/** Numbers from the least to the greatest; what is none (`off`) stays where it is, behind them. */
export function ascending({ path, values }: Axis): Axis {
  const numbers = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  return { path, values: [...numbers, ...values.filter((value) => typeof value !== 'number')] };
}
