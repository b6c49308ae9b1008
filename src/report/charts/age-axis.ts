import type { AgeBin, Result } from '../../result/types.ts';
import { CHART_HEIGHT, type Layer } from '../chart.ts';
import { seconds, short } from '../format.ts';
import { ageThresholds, headroomFor, type Placed, place, uprightLines } from '../thresholds.ts';
import { roundTicks } from './ticks.ts';

/** One bin where it is drawn: the empty queue has no width, so it gets a place left of zero. */
export interface Row {
  readonly from: number;
  readonly to: number;
  readonly mid: number;
  readonly where: string;
  readonly bin: AgeBin;
}

export interface Axis {
  readonly rows: readonly Row[];
  readonly placed: Placed;
  readonly start: number;
}

/** The share of the axis that the bin of the empty queue takes: its name must not touch the 0 on a telephone. */
const EMPTY_FROM = -0.22;
const EMPTY_TO = -0.08;

export function axisOf(result: Result): Axis {
  const used = result.byQueueAge.filter((bin) => bin.timeS > 0 || bin.decisions > 0);
  const dataEnd = Math.max(0, ...used.map((bin) => bin.toS ?? bin.fromS));
  const placed = place(ageThresholds(result.scenario.resolved.gate), dataEnd);
  const { end } = placed;
  const rows = used.map((bin) => rowOf(bin, end));
  return { rows, placed, start: EMPTY_FROM * end };
}

function rowOf(bin: AgeBin, end: number): Row {
  const empty = bin.toS === 0;
  const from = empty ? EMPTY_FROM * end : bin.fromS;
  const to = empty ? EMPTY_TO * end : (bin.toS ?? end);
  return { from, to, mid: (from + to) / 2, where: whereOf(bin), bin };
}

export function whereOf({ fromS, toS }: AgeBin): string {
  return toS === 0 ? 'Empty queue' : `Queue age ${short(fromS)} to ${seconds(toS)}`;
}

/** The shared axis: its ticks are round, and the empty queue is named instead of numbered. */
export function xOf({ placed, start }: Axis, field: 'from' | 'mid') {
  const { end } = placed;
  const values = [((EMPTY_FROM + EMPTY_TO) / 2) * end, ...roundTicks(end)];
  return {
    field,
    type: 'quantitative' as const,
    scale: { domain: [start, end], nice: false, zero: false },
    axis: {
      title: 'queue age at that instant (s)',
      values,
      labelExpr: "datum.value < 0 ? 'empty' : format(datum.value, '~r')",
      labelOverlap: false,
    },
  };
}

export function base(axis: Axis): { height: number; headroom: number; lines: Layer[] } {
  const { placed } = axis;
  return { height: CHART_HEIGHT, headroom: headroomFor(placed.shown), lines: uprightLines(placed) };
}

export function hit(axis: Axis, tip: (row: Row) => string): Layer {
  return hitOf(
    axis,
    axis.rows.map((row) => ({ from: row.from, to: row.to, tip: tip(row) })),
  );
}

export function hitOf(axis: Axis, values: { from: number; to: number; tip: string }[]): Layer {
  return {
    data: { values },
    mark: { type: 'rect', fill: 'transparent', y: 0, y2: 'height' },
    encoding: {
      x: xOf(axis, 'from'),
      x2: { field: 'to' },
      tooltip: { field: 'tip', type: 'nominal' },
    },
  };
}
