import type { Result } from '../../result/types.ts';
import { wilson95 } from '../../result/wilson.ts';
import { type Chart, type Drawing, ink, shareAxis } from '../chart.ts';
import { count, percent } from '../format.ts';
import { type Axis, base, hitOf, type Row, whereOf, xOf } from './age-axis.ts';

/** Fewer than this in a bin say little about a share: neighbours are taken together. */
const FEWEST = 10;

interface Group extends Row {
  readonly admitted: number;
  readonly late: number;
}

/** Neighbouring bins until enough were admitted; the empty queue stays by itself. */
function grouped(rows: readonly Row[], replications: number): Group[] {
  const groups: Group[] = [];
  for (const row of rows) {
    const { bin } = row;
    const last = groups.at(-1);
    const open = last !== undefined && last.bin.toS !== 0 && last.admitted * replications < FEWEST;
    if (open) groups[groups.length - 1] = joined(last, row);
    else groups.push({ ...row, admitted: bin.admitted, late: bin.sloBreached });
  }
  return groups.filter((group) => group.admitted > 0);
}

function joined(a: Group, b: Row): Group {
  const bin = { ...b.bin, fromS: a.bin.fromS };
  return {
    ...a,
    to: b.to,
    mid: (a.from + b.to) / 2,
    where: whereOf(bin),
    bin,
    admitted: a.admitted + b.bin.admitted,
    late: a.late + b.bin.sloBreached,
  };
}

/** The late share by queue age as points, for runs that are laid over each other. */
export function latePoints(result: Result): { age: number; share: number; n: number }[] {
  const rows = result.byQueueAge
    .filter((bin) => bin.timeS > 0 || bin.decisions > 0)
    .map((bin) => ({ from: bin.fromS, to: bin.toS ?? bin.fromS, bin }))
    .map((row) => ({ ...row, mid: (row.from + row.to) / 2, where: whereOf(row.bin) }));
  return grouped(rows, result.replications).map((group) => ({
    age: group.mid,
    share: lateShare(group),
    n: group.admitted,
  }));
}

function lateShare({ admitted, late: missed }: Group): number {
  return Math.min(1, missed / admitted);
}

export function late(result: Result, axis: Axis): Chart {
  const groups = grouped(axis.rows, result.replications);
  return {
    id: 'age-late',
    title: 'Late share of the admitted, by queue age at their decision',
    notes: [
      'Whoever expired is not among the admitted. Ages with few requests are taken together.',
    ],
    legend: [
      { ink: 'late', shape: 'point', label: 'missed the SLO' },
      { ink: 'late', shape: 'thin', label: '95 % range of that share' },
    ],
    summary: 'Share of the admitted that missed the SLO, by queue age at their decision.',
    drawing:
      groups.length === 0
        ? { empty: 'No request was admitted.' }
        : lateDrawing(axis, groups, result.replications),
  };
}

function lateDrawing(axis: Axis, groups: readonly Group[], replications: number): Drawing {
  const { lines, ...size } = base(axis);
  const values = groups.map((group) => {
    const share = lateShare(group);
    const [lo, hi] = wilson95(share * group.admitted * replications, group.admitted * replications);
    return { from: group.from, to: group.to, mid: group.mid, share, lo, hi };
  });
  const tip = (group: Group) =>
    `${group.where}\nmissed the SLO ${count(group.late)} of ${count(group.admitted)} admitted (${percent(lateShare(group))})`;
  const y = shareAxis('late share');
  const rule = { type: 'rule' as const, stroke: ink('late') };
  return {
    ...size,
    layers: [
      {
        data: { values },
        mark: { ...rule, strokeWidth: 1.5, strokeOpacity: 0.4 },
        encoding: {
          x: xOf(axis, 'mid'),
          y: { field: 'lo', type: 'quantitative', ...y },
          y2: { field: 'hi' },
        },
      },
      {
        data: { values },
        mark: { ...rule, strokeWidth: 2.5 },
        encoding: {
          x: xOf(axis, 'from'),
          x2: { field: 'to' },
          y: { field: 'share', type: 'quantitative', ...y },
        },
      },
      {
        data: { values },
        mark: { type: 'circle', fill: ink('late'), opacity: 1, size: 46 },
        encoding: { x: xOf(axis, 'mid'), y: { field: 'share', type: 'quantitative', ...y } },
      },
      ...lines,
    ],
    hits: [
      hitOf(
        axis,
        groups.map((group) => ({ from: group.from, to: group.to, tip: tip(group) })),
      ),
    ],
  };
}
