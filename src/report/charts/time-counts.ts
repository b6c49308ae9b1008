import type { TimePoint } from '../../result/types.ts';
import { type Chart, ink, type Layer } from '../chart.ts';
import { count } from '../format.ts';
import { backdrop, type Clock, hit, SIZE, type Span, spanText, widthOf } from './clock.ts';

/** Counts of a few requests are noise in 150 intervals: they are drawn in at most this many. */
const MOST_COUNT_INTERVALS = 60;

interface Merged extends Span {
  readonly admitted: number;
  readonly rejected: number;
  readonly expired: number;
  readonly late: number;
  readonly completed: number;
}

function merged(timeline: readonly TimePoint[]): Merged[] {
  const width = widthOf(timeline);
  const size = Math.max(1, Math.ceil(timeline.length / MOST_COUNT_INTERVALS));
  const groups: Merged[] = [];
  for (let i = 0; i < timeline.length; i += size) {
    const points = timeline.slice(i, i + size);
    const sum = (name: 'admitted' | 'rejected' | 'expired' | 'sloBreached' | 'completed') =>
      points.reduce((total, point) => total + point[name], 0);
    const from = points[0]?.tS ?? 0;
    groups.push({
      from,
      to: from + points.length * width,
      admitted: sum('admitted'),
      rejected: sum('rejected'),
      expired: sum('expired'),
      late: sum('sloBreached'),
      completed: sum('completed'),
    });
  }
  return groups;
}

const KINDS = ['admitted', 'expired', 'rejected'] as const;
const KIND_LABELS = {
  admitted: 'admitted',
  expired: 'expired in the queue',
  rejected: 'rejected at the door',
};

function stacked(groups: readonly Merged[], kinds: readonly (keyof Merged)[]) {
  return groups.flatMap((group) => {
    let below = 0;
    return kinds.flatMap((kind, part) => {
      const value = group[kind] / (group.to - group.from);
      const row = { from: group.from, to: group.to, part, y: below, y2: below + value };
      below += value;
      return value > 0 ? [row] : [];
    });
  });
}

function bars(clock: Clock, values: object[], inks: readonly string[], title: string): Layer {
  return {
    data: { values: values as Record<string, unknown>[] },
    mark: { type: 'rect', stroke: 'var(--paper)', strokeWidth: 0.75 },
    encoding: {
      x: { field: 'from', ...clock.x },
      x2: { field: 'to' },
      y: { field: 'y', type: 'quantitative', axis: { title, tickCount: 5 } },
      y2: { field: 'y2' },
      fill: {
        field: 'part',
        type: 'ordinal',
        scale: { domain: inks.map((_, i) => i), range: [...inks] },
        legend: null,
      },
    },
  };
}

export function decisions(clock: Clock): Chart {
  const groups = merged(clock.result.timeline);
  const some = groups.some((each) => each.admitted + each.rejected + each.expired > 0);
  const rows = groups.map((group) => ({
    ...group,
    tip: [
      spanText(group),
      `admitted ${count(group.admitted)}`,
      `expired in the queue ${count(group.expired)}`,
      `rejected at the door ${count(group.rejected)}`,
    ].join('\n'),
  }));
  return {
    id: 'time-decisions',
    title: 'Decisions over time',
    notes: ['Each request once, at the instant at which it got a slot or was turned away.'],
    legend: KINDS.filter((kind) => groups.some((group) => group[kind] > 0)).map((kind) => ({
      ink: kind,
      shape: 'bar' as const,
      label: KIND_LABELS[kind],
    })),
    summary: 'Decisions per second over time.',
    drawing: some
      ? {
          ...SIZE,
          layers: [
            ...backdrop(clock),
            bars(clock, stacked(groups, KINDS), KINDS.map(ink), 'decisions per second'),
          ],
          hits: [hit(clock, rows)],
        }
      : { empty: 'No request reached the gate.' },
  };
}

export function late(clock: Clock): Chart {
  const groups = merged(clock.result.timeline);
  const some = groups.some((each) => each.completed + each.late > 0);
  const inTime = groups.map((group) => ({
    ...group,
    inTime: Math.max(0, group.completed - group.late),
  }));
  const values = inTime.flatMap((group) => {
    const span = group.to - group.from;
    const low = group.inTime / span;
    const row = { from: group.from, to: group.to };
    return [
      { ...row, part: 0, y: 0, y2: low },
      { ...row, part: 1, y: low, y2: low + group.late / span },
    ].filter(({ y, y2 }) => y2 > y);
  });
  const rows = inTime.map((group) => ({
    ...group,
    tip: `${spanText(group)}\nended in time ${count(group.inTime)}\nmissed the SLO ${count(group.late)}`,
  }));
  return {
    id: 'time-late',
    title: 'Ended in time and late',
    notes: ['By the instant at which a request ended.'],
    legend: [
      { ink: 'admitted', shape: 'bar', label: 'in time' },
      ...(groups.some((group) => group.late > 0)
        ? [{ ink: 'late' as const, shape: 'bar' as const, label: 'missed the SLO' }]
        : []),
    ],
    summary: 'Requests that ended in time and late, per second.',
    drawing: some
      ? {
          ...SIZE,
          layers: [
            ...backdrop(clock),
            bars(clock, values, [ink('admitted'), ink('late')], 'requests per second'),
          ],
          hits: [hit(clock, rows)],
        }
      : { empty: 'No request ended.' },
  };
}
