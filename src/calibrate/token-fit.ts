/** How service depends on tokens: overhead + prompt / prefill rate + one gap for each output token. */
import { moments } from '../result/statistics.ts';
import type { TokenService } from '../scenario/types.ts';

export interface Served {
  readonly serviceS: number;
  readonly inTokens: number;
  readonly outTokens: number;
}

export interface TokenFit extends Readonly<TokenService> {
  /** Share of the variance of service that tokens explain. */
  readonly r2: number;
  readonly n: number;
}

/** A prompt of whatever length costs nothing that can be measured. */
const FAST_PREFILL_PER_S = 1e9;

/** Least squares; null where the output lengths do not differ or longer answers do not take longer. */
export function tokenFit(served: readonly Served[]): TokenFit | null {
  const outs = new Set(served.map(({ outTokens }) => outTokens));
  if (outs.size < 2 || served.length < 10) return null;
  const all = solve(served, true);
  const [overheadS, gapS, perInS] = (all[2] ?? 0) > 0 ? all : solve(served, false);
  if (overheadS === undefined || gapS === undefined || !(gapS > 0)) return null;
  const perTokenS = perInS ?? 0;
  const prefillPerS = perTokenS > 0 ? 1 / perTokenS : FAST_PREFILL_PER_S;
  const tokens = { prefillPerS, gapS, overheadS: Math.max(0, overheadS) };
  return { tokens, r2: explained(served, [overheadS, gapS, perTokenS]), n: served.length };
}

function explained(
  served: readonly Served[],
  [a, b, c]: readonly [number, number, number],
): number {
  const { variance, n } = moments(served.map(({ serviceS }) => serviceS));
  let rest = 0;
  for (const { serviceS, inTokens, outTokens } of served) {
    rest += (serviceS - a - b * outTokens - c * inTokens) ** 2;
  }
  return variance === 0 ? 0 : Math.max(0, 1 - rest / (variance * (n - 1)));
}

/** Coefficients of 1, output and prompt tokens; empty where the lengths are not independent. */
function solve(served: readonly Served[], withPrompt: boolean): number[] {
  const size = withPrompt ? 3 : 2;
  const matrix = Array.from({ length: size }, () => new Array<number>(size + 1).fill(0));
  for (const { serviceS, inTokens, outTokens } of served) {
    const row = [1, outTokens, inTokens, serviceS];
    const values = withPrompt ? row : [1, outTokens, serviceS];
    for (const [i, line] of matrix.entries()) {
      for (let j = 0; j <= size; j++)
        line[j] = (line[j] ?? 0) + (values[i] ?? 0) * (values[j] ?? 0);
    }
  }
  return eliminated(matrix);
}

/** Gauss and Jordan, with the greatest pivot of each column. */
function eliminated(matrix: number[][]): number[] {
  const size = matrix.length;
  for (let column = 0; column < size; column++) {
    const pivot = greatestBelow(matrix, column);
    const scale = Math.abs(matrix[pivot]?.[column] ?? 0);
    if (scale < 1e-9 * Math.abs(matrix[0]?.[0] ?? 1)) return [];
    [matrix[column], matrix[pivot]] = [matrix[pivot] ?? [], matrix[column] ?? []];
    for (let row = 0; row < size; row++) if (row !== column) subtract(matrix, row, column);
  }
  return matrix.map((line, i) => (line[size] ?? 0) / (line[i] ?? 1));
}

function greatestBelow(matrix: readonly number[][], column: number): number {
  let best = column;
  for (let row = column + 1; row < matrix.length; row++) {
    const isGreater = Math.abs(matrix[row]?.[column] ?? 0) > Math.abs(matrix[best]?.[column] ?? 0);
    if (isGreater) best = row;
  }
  return best;
}

function subtract(matrix: number[][], row: number, column: number): void {
  const from = matrix[column] ?? [];
  const line = matrix[row] ?? [];
  const factor = (line[column] ?? 0) / (from[column] ?? 1);
  for (let j = column; j < line.length; j++) line[j] = (line[j] ?? 0) - factor * (from[j] ?? 0);
}
