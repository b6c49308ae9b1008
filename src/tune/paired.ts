import { moments, student95 } from '../result/statistics.ts';
import type { Difference } from './types.ts';

type Values = readonly (number | null)[];

/** Means of `a - b` by replication and its 95 % Student interval; null with fewer than two pairs. */
export function pairedDifference(a: Values, b: Values): Difference | null {
  const pairs: number[] = [];
  for (const [k, value] of a.entries()) {
    const other = b[k];
    if (value !== null && other !== null && other !== undefined) pairs.push(value - other);
  }
  const { n, mean, variance } = moments(pairs);
  if (n < 2) return null;
  const half = student95(n - 1) * Math.sqrt(variance / n);
  return { mean, lo: mean - half, hi: mean + half };
}
