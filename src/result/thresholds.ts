import { UserError } from '../errors.ts';
import { figureAt, isByCode, numberOf } from './figure.ts';
import { isSometimes, unknownPath } from './threshold-paths.ts';
import type { Result } from './types.ts';

/** A condition of the scenario that the result does not meet. */
export interface Crossed {
  readonly path: string;
  readonly condition: string;
  readonly value: number | null;
  /** One line: `rates.breach: expected <0.05, got 0.11`. */
  readonly text: string;
}

const CONDITION = /^\s*(<=|>=|<|>|==)\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*$/i;

const HOLDS: Record<string, (value: number, limit: number) => boolean> = {
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
  '==': (value, limit) => value === limit,
};

/**
 * The thresholds of a result's scenario that it crossed; a replicated figure is judged by its
 * mean. A figure without data crosses: what was not measured was not met.
 */
export function crossedThresholds(result: Result): Crossed[] {
  const conditions = Object.entries(result.scenario.resolved.thresholds);
  return conditions.flatMap(([path, condition]) => {
    const value = thresholdValue(result, path);
    if (value !== null && meets(value, path, condition)) return [];
    const got = value === null ? 'no data' : Number(value.toPrecision(4));
    return [{ path, condition, value, text: `${path}: expected ${condition}, got ${got}` }];
  });
}

function meets(value: number, path: string, condition: string): boolean {
  const [, operator, limit] = CONDITION.exec(condition) ?? [];
  const holds = HOLDS[operator ?? ''];
  if (holds === undefined || !Number.isFinite(Number(limit))) {
    throw new UserError(`thresholds['${path}']: expected e.g. '<0.05', got '${condition}'`);
  }
  return holds(value, Number(limit));
}

function thresholdValue(result: Result, path: string): number | null {
  const figure = figureAt(result, path);
  if (figure !== undefined) return numberOf(figure);
  if (isByCode(path)) return 0;
  if (isSometimes(path)) return null;
  throw unknownPath(path);
}
