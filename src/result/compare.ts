import { figureAt, isByCode } from './figure.ts';
import { type Figures, figuresOf } from './figures.ts';
import type { Replicated, Result } from './types.ts';

/** One figure of several results beside each other. */
export interface ComparedFigure {
  /** Where it stands in a result: `rates.breach`. */
  readonly path: string;
  readonly values: readonly (number | null)[];
  /** Each minus the first; null where either has no data. */
  readonly differences: readonly (number | null)[];
  /**
   * Whether a run like this one is to be expected of the first: its value lies in the first's band
   * of runs, or the first's value in its band. null where neither has replications.
   */
  readonly withinBand: readonly (boolean | null)[];
}

/** Two or more results, figure by figure; the first is what the others are compared with. */
export function compareResults(results: readonly Result[]): ComparedFigure[] {
  const all = results.map(figuresOf);
  const paths = new Set(all.flatMap((figures) => Object.keys(figures)));
  return [...paths].map((path) => compareAt(path, results, all));
}

function compareAt(
  path: string,
  results: readonly Result[],
  all: readonly Figures[],
): ComparedFigure {
  const values = all.map((figures) => figures[path] ?? (isByCode(path) ? 0 : null));
  const [base = null] = values;
  const bands = results.map((result) => bandAt(result, path));
  return {
    path,
    values,
    differences: values.map((value) => (value === null || base === null ? null : value - base)),
    withinBand: values.map((value, i) => within(value, base, bands[0] ?? null, bands[i] ?? null)),
  };
}

type Band = Replicated['band'] | null;

function within(
  value: number | null,
  base: number | null,
  ofBase: Band,
  own: Band,
): boolean | null {
  if (value === null || base === null || (ofBase === null && own === null)) return null;
  return holds(ofBase, value) || holds(own, base);
}

function holds(band: Band, value: number): boolean {
  return band !== null && value >= band[0] && value <= band[1];
}

function bandAt(result: Result, path: string): Band {
  const figure = figureAt(result, path);
  return typeof figure === 'object' && figure !== null ? figure.band : null;
}
