import type { TopLevelSpec } from 'vega-lite';

export type Layer = Extract<TopLevelSpec, { layer: readonly unknown[] }>['layer'][number];

/** A colour of the page by its role; the style sheet says what it is by day, by night and on paper. */
export type Ink =
  | 'admitted'
  | 'rejected'
  | 'expired'
  | 'late'
  | 'slots'
  | 'busy'
  | 'age'
  | 'limit'
  | 'band'
  | 'burst'
  | 'soft'
  | 'run0'
  | 'run1'
  | 'run2'
  | 'run3'
  | 'run4'
  | 'run5';

export function ink(name: Ink): string {
  return `var(--${name})`;
}

export interface LegendItem {
  readonly ink: Ink;
  readonly shape: 'bar' | 'line' | 'thin' | 'wide' | 'dash' | 'point' | 'area';
  readonly label: string;
}

/** One figure of the page: a picture, or the words that stand where there is nothing to draw. */
export interface Chart {
  /** Unique on its page. */
  readonly id: string;
  readonly title: string;
  /** What is counted, and what a reader must know of it. */
  readonly notes: readonly string[];
  readonly legend: readonly LegendItem[];
  /** The picture in words, for those who do not see it. */
  readonly summary: string;
  readonly drawing: Drawing | { readonly empty: string };
}

export interface Drawing {
  readonly layers: readonly Layer[];
  /** Transparent, over everything, with a field `tip`: what the pointer finds. Not in the static picture. */
  readonly hits: readonly Layer[];
  /** In pixels, with axes. */
  readonly height: number;
  /** Room above the plot for the names of thresholds, in pixels. */
  readonly headroom: number;
}

export function isEmpty(drawing: Chart['drawing']): drawing is { readonly empty: string } {
  return 'empty' in drawing;
}

export const CHART_HEIGHT = 230;

/** A vertical axis of shares from none to all, with room for a thick line at both ends. */
export function shareAxis(title: string) {
  return {
    scale: { domain: [-0.02, 1.03], nice: false, zero: false },
    axis: {
      title,
      values: [0, 0.25, 0.5, 0.75, 1],
      labelExpr: "format(datum.value * 100, '~r') + ' %'",
    },
  };
}
