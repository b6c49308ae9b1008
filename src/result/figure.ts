import type { Figure, Replicated, Result } from './types.ts';

/** The number that a figure stands for: itself, or the mean over replications. */
export function numberOf(figure: Figure): number | null {
  return typeof figure === 'object' && figure !== null ? figure.mean : figure;
}

/**
 * The 95 % interval of a figure as it is said: it ends where the quantity does, of which Student's t
 * knows nothing. A loss by comparison may be a gain, and keeps its own end.
 * @param most of a share: 1
 */
export function intervalOf(
  { mean, lo, hi }: Replicated,
  most = Number.POSITIVE_INFINITY,
): readonly [number, number] {
  return [mean < 0 ? lo : Math.max(0, lo), mean > most ? hi : Math.min(most, hi)];
}

export function isFigure(value: unknown): value is Figure {
  if (value === null || typeof value === 'number') return true;
  return typeof value === 'object' && 'mean' in value && 'band' in value;
}

/** The figure at a path such as `rates.breach`; undefined where none is. */
export function figureAt(result: Result, path: string): Figure | undefined {
  let at: unknown = result;
  for (const name of path.split('.')) {
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined;
  }
  return isFigure(at) ? at : undefined;
}

/** Counts that stand under a code: a run without that code has 0 of it. */
export const BY_CODE = ['rejectedBy', 'wouldReject', 'failedBy'] as const;

/** Whether a path is such a count, so that an absent one is 0. */
export function isByCode(path: string): boolean {
  return BY_CODE.some((section) => path.startsWith(`${section}.`));
}
