import { CHART_HEIGHT, type Chart, type Ink, ink, type Layer, shareAxis } from './chart.ts';
import { percent, short } from './format.ts';
import type { Threshold } from './thresholds.ts';

/** One point of a curve; `lo` and `hi` where its value has an interval. */
export interface CurvePoint {
  /** Index into the ticks of the curve. */
  readonly at: number;
  readonly y: number;
  readonly lo?: number;
  readonly hi?: number;
}

export interface CurveSeries {
  readonly ink: Ink;
  readonly label: string;
  readonly points: readonly CurvePoint[];
}

/** A figure against the values of a setting that were tried, evenly spaced: 1e9 and off stand beside 5. */
export interface Curve {
  readonly id: string;
  readonly title: string;
  readonly notes: readonly string[];
  /** Rule and unit. */
  readonly xTitle: string;
  readonly ticks: readonly string[];
  readonly yTitle: string;
  readonly kind: 'share' | 'number';
  readonly series: readonly CurveSeries[];
  /** Settings that are equal in all that matters: first and last tick. */
  readonly flat?: readonly [number, number];
  /** Where it begins to cost. */
  readonly cliffs?: readonly Named[];
  /** Upright: the chosen and the present setting. */
  readonly marks?: readonly Named[];
  /** Level: what may not be crossed. */
  readonly limits?: readonly Threshold[];
}

export interface Named {
  /** Index into the ticks; between two of them it is broken. */
  readonly at: number;
  readonly label: string;
}

/** Half a step: what a point stands for, and room for marks at both ends. */
const MARGIN = 0.5;
const ROW = 15;

/** Slots run under busy, which is never above them. */
function isWide(name: Ink): boolean {
  return name === 'slots';
}

/** A curve with its band, the flat region shaded, thresholds and cliffs drawn in by name. */
export function curveChart(curve: Curve): Chart {
  const { series, flat, ...text } = curve;
  const points = series.flatMap((each) => each.points);
  const uprights = [...(curve.marks ?? []), ...(curve.cliffs ?? [])];
  const region = flat === undefined ? [] : [{ ink: 'burst' as const, shape: 'area' as const }];
  return {
    id: text.id,
    title: text.title,
    notes: text.notes,
    legend: [
      ...series.map((each) => ({
        ink: each.ink,
        shape: isWide(each.ink) ? ('wide' as const) : ('line' as const),
        label: each.label,
      })),
      ...region.map((each) => ({ ...each, label: 'equal within 1 % of offered' })),
    ],
    summary: `${text.title} against ${text.xTitle}.`,
    drawing:
      points.length === 0
        ? { empty: 'No setting has data for this.' }
        : {
            height: CHART_HEIGHT,
            headroom: ROW * uprights.length,
            layers: [
              ...flatRegion(curve),
              ...series.flatMap((each) => seriesLayers(curve, each)),
              ...upright(curve, uprights),
              ...level(curve),
            ],
            hits: series.map((each) => hits(curve, each)),
          },
  };
}

function xOf(curve: Curve, field: string) {
  const { ticks, xTitle } = curve;
  return {
    field,
    type: 'quantitative' as const,
    scale: { domain: [-MARGIN, ticks.length - 1 + MARGIN], nice: false, zero: false },
    axis: {
      title: xTitle,
      values: shownTicks(ticks.length),
      labelExpr: `${JSON.stringify(ticks)}[datum.value]`,
      labelOverlap: 'greedy' as const,
    },
  };
}

/** At most ten of them carry their value. */
function shownTicks(n: number): number[] {
  const step = Math.ceil(n / 10);
  return Array.from({ length: n }, (_, i) => i).filter((i) => i % step === 0 || i === n - 1);
}

function yOf({ kind, yTitle, series, limits }: Curve) {
  const all = series.flatMap(({ points }) => points.map((point) => point.hi ?? point.y));
  const top = Math.max(...all, ...(limits ?? []).map(({ at }) => at));
  if (kind === 'number') {
    return {
      scale: { domain: [0, top > 0 ? top * 1.08 : 1] },
      axis: { title: yTitle, tickCount: 5 },
    };
  }
  if (top > 0.4) return shareAxis(yTitle);
  const axis = {
    title: yTitle,
    tickCount: 5,
    labelExpr: "format(datum.value * 100, '~r') + ' %'",
  };
  return { scale: { domain: [0, top > 0 ? top * 1.1 : 0.1] }, axis };
}

function y(curve: Curve, field: string) {
  return { field, type: 'quantitative' as const, ...yOf(curve) };
}

function flatRegion(curve: Curve): Layer[] {
  const { flat } = curve;
  if (flat === undefined) return [];
  const [from, to] = flat;
  return [
    {
      data: { values: [{ from: from - MARGIN / 2, to: to + MARGIN / 2 }] },
      mark: { type: 'rect', fill: ink('burst'), y: 0, y2: 'height' },
      encoding: { x: xOf(curve, 'from'), x2: { field: 'to' } },
    },
  ];
}

function seriesLayers(curve: Curve, { ink: name, points }: CurveSeries): Layer[] {
  const values = [...points];
  const banded = points.filter((point) => point.lo !== undefined && point.hi !== undefined);
  const band: Layer[] =
    banded.length === 0
      ? []
      : [
          {
            data: { values: banded },
            mark: { type: 'area', fill: ink(name), fillOpacity: 0.2 },
            encoding: { x: xOf(curve, 'at'), y: y(curve, 'lo'), y2: { field: 'hi' } },
          },
        ];
  const encoding = { x: xOf(curve, 'at'), y: y(curve, 'y') };
  return [
    ...band,
    {
      data: { values },
      mark: { type: 'line', stroke: ink(name), strokeWidth: isWide(name) ? 6 : 2 },
      encoding,
    },
    {
      data: { values },
      mark: { type: 'circle', fill: ink(name), opacity: 1, size: points.length > 30 ? 14 : 34 },
      encoding,
    },
  ];
}

function upright(curve: Curve, marks: readonly Named[]): Layer[] {
  const middle = (curve.ticks.length - 1) / 2;
  return marks.flatMap((mark, row): Layer[] => {
    const right = mark.at > middle;
    const data = { values: [mark] };
    return [
      {
        data,
        mark: { type: 'rule', stroke: ink('limit'), strokeWidth: 1.5, strokeDash: [5, 3] },
        encoding: { x: xOf(curve, 'at') },
      },
      {
        data,
        mark: {
          type: 'text',
          align: right ? 'right' : 'left',
          baseline: 'middle',
          y: -9 - ROW * row,
          dx: right ? 4 : -4,
          fill: ink('limit'),
          fontWeight: 600,
        },
        encoding: { x: xOf(curve, 'at'), text: { field: 'label', type: 'nominal' } },
      },
    ];
  });
}

function level(curve: Curve): Layer[] {
  const { limits = [] } = curve;
  if (limits.length === 0) return [];
  const data = { values: [...limits] };
  const name = (extra: object): Layer => ({
    data,
    mark: { type: 'text', align: 'left', baseline: 'bottom', x: 4, dy: -3, ...extra },
    encoding: { y: y(curve, 'at'), text: { field: 'label', type: 'nominal' } },
  });
  return [
    {
      data,
      mark: { type: 'rule', stroke: ink('limit'), strokeWidth: 1.5, strokeDash: [2, 2] },
      encoding: { y: y(curve, 'at') },
    },
    // Readable over whatever runs there.
    name({ fill: 'var(--paper)', stroke: 'var(--paper)', strokeWidth: 4, strokeOpacity: 0.9 }),
    name({ fill: ink('limit') }),
  ];
}

function hits(curve: Curve, { label, points }: CurveSeries): Layer {
  const write = curve.kind === 'share' ? percent : short;
  const values = points.map((point) => ({ ...point, tip: tipOf(point) }));
  function tipOf({ at, y: value, lo, hi }: CurvePoint): string {
    const range =
      lo === undefined || hi === undefined ? '' : `\n95 % interval ${write(lo)} to ${write(hi)}`;
    return `${curve.xTitle}: ${curve.ticks[at] ?? ''}\n${label} ${write(value)}${range}`;
  }
  return {
    data: { values },
    mark: { type: 'circle', size: 160, fill: 'transparent', opacity: 1 },
    encoding: {
      x: xOf(curve, 'at'),
      y: y(curve, 'y'),
      tooltip: { field: 'tip', type: 'nominal' },
    },
  };
}
