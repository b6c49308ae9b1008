import { CHART_HEIGHT, type Chart, type Ink, ink, type Layer, shareAxis } from './chart.ts';
import { type CurveAxis, evenAxis, measuredAxis } from './curve-axis.ts';
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

/** A figure against the values of a setting that were tried. */
export interface Curve {
  readonly id: string;
  readonly title: string;
  readonly notes: readonly string[];
  /** Rule and unit. */
  readonly xTitle: string;
  readonly ticks: readonly string[];
  /** The values as ascending numbers, to stand at their distance; without them, or where they are no range: evenly spaced. */
  readonly xs?: readonly number[];
  readonly yTitle: string;
  readonly kind: 'share' | 'number';
  readonly series: readonly CurveSeries[];
  /** Settings that are equal in all that matters: first and last tick. */
  readonly flat?: readonly [number, number];
  /** Where it begins to cost. */
  readonly cliffs?: readonly Named[];
  /** Upright: the chosen and the present setting. */
  readonly marks?: readonly Named[];
  /** Level: what may not be crossed, named in the legend. */
  readonly limits?: readonly Threshold[];
}

export interface Named {
  /** Index into the ticks; between two of them it is broken. */
  readonly at: number;
  readonly label: string;
}

/** Beyond the first and the last of the flat region, in steps. */
const QUARTER_STEP = 0.25;
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
      ...(curve.limits ?? []).map(({ label }) => ({
        ...{ ink: 'limit' as const, shape: 'dash' as const, label },
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

function axisOf({ ticks, xs }: Curve): CurveAxis {
  return (xs === undefined ? undefined : measuredAxis(xs)) ?? evenAxis(ticks);
}

function xOf(curve: Curve, field: string) {
  const { scale, ticks } = axisOf(curve);
  return {
    field,
    type: 'quantitative' as const,
    scale,
    axis: { title: curve.xTitle, ...ticks, labelOverlap: 'greedy' as const },
  };
}

/** At its place on the axis; a band ends where the quantity does: none is below 0, no share above all. */
function placed(curve: Curve, points: readonly CurvePoint[]): CurvePoint[] {
  const { place } = axisOf(curve);
  const most = curve.kind === 'share' ? 1 : Number.POSITIVE_INFINITY;
  const within = (value: number) => Math.min(most, Math.max(0, value));
  return points.map(({ at, y: value, lo, hi }) => {
    const band = lo === undefined || hi === undefined ? {} : { lo: within(lo), hi: within(hi) };
    return { at: place(at), y: value, ...band };
  });
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
  const { place } = axisOf(curve);
  const [from, to] = [place(flat[0] - QUARTER_STEP), place(flat[1] + QUARTER_STEP)];
  return [
    {
      data: { values: [{ from, to }] },
      mark: { type: 'rect', fill: ink('burst'), y: 0, y2: 'height' },
      encoding: { x: xOf(curve, 'from'), x2: { field: 'to' } },
    },
  ];
}

function seriesLayers(curve: Curve, { ink: name, points }: CurveSeries): Layer[] {
  const values = placed(curve, points);
  const banded = values.filter((point) => point.lo !== undefined && point.hi !== undefined);
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
  const { place, isLate } = axisOf(curve);
  return marks.flatMap((mark, row): Layer[] => {
    const at = place(mark.at);
    const right = isLate(at);
    const data = { values: [{ ...mark, at }] };
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

/** Named in the legend: a name beside it would lie on a curve that runs there. */
function level(curve: Curve): Layer[] {
  const { limits = [] } = curve;
  if (limits.length === 0) return [];
  return [
    {
      data: { values: limits.map(({ at }) => ({ at })) },
      mark: { type: 'rule', stroke: ink('limit'), strokeWidth: 1.5, strokeDash: [2, 2] },
      encoding: { y: y(curve, 'at') },
    },
  ];
}

function hits(curve: Curve, { label, points }: CurveSeries): Layer {
  const write = curve.kind === 'share' ? percent : short;
  const tips = points.map(({ at, y: value, lo, hi }) => {
    const range =
      lo === undefined || hi === undefined ? '' : `\n95 % interval ${write(lo)} to ${write(hi)}`;
    return `${curve.xTitle}: ${curve.ticks[at] ?? ''}\n${label} ${write(value)}${range}`;
  });
  const values = placed(curve, points).map((point, i) => ({ ...point, tip: tips[i] }));
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
