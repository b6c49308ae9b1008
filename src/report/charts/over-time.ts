import type { Result, TimePoint } from '../../result/types.ts';
import { CHART_HEIGHT, type Chart, type Drawing, ink, type Layer, shareAxis } from '../chart.ts';
import { count, percent, plural, seconds, setNumber, short } from '../format.ts';
import {
  ageThresholds,
  beyondNotes,
  levelLines,
  place,
  slackThresholds,
  type Threshold,
} from '../thresholds.ts';

/** Counts of a few requests are noise in 150 intervals: they are drawn in at most this many. */
const MOST_COUNT_INTERVALS = 60;

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Clock {
  readonly result: Result;
  readonly endS: number;
  readonly x: {
    readonly type: 'quantitative';
    readonly scale: { domain: number[]; nice: boolean };
    readonly axis: { title: string; tickCount: number; format: string };
  };
}

const HEADROOM = 15;

/** The run over time, its bursts shaded: decisions, queue age, late, slots and busy, slack. */
export function overTimeCharts(result: Result): Chart[] {
  const clock = clockOf(result);
  const charts = [decisions(clock), queueAge(clock), late(clock), use(clock)];
  return hasSlack(result) ? [...charts, slack(clock)] : charts;
}

/** Shown only for replication 0; a page of replications says so. */
function clockOf(result: Result): Clock {
  const { timeline, scenario } = result;
  const endS = Math.max(
    scenario.resolved.durationS,
    (timeline.at(-1)?.tS ?? 0) + widthOf(timeline),
  );
  return {
    result,
    endS,
    x: {
      type: 'quantitative',
      scale: { domain: [0, endS], nice: false },
      axis: { title: 'time since the start (s)', tickCount: 6, format: '~r' },
    },
  };
}

function widthOf(timeline: readonly TimePoint[]): number {
  const [first, second] = timeline;
  return first === undefined || second === undefined ? 1 : second.tS - first.tS;
}

function burstsOf({ scenario }: Result) {
  const { arrivals, classes } = scenario.resolved;
  const own = Object.entries(classes).flatMap(([name, { arrivals: each }]) =>
    each !== null && 'bursts' in each ? each.bursts.map((burst) => ({ ...burst, name })) : [],
  );
  const shared =
    arrivals !== null && 'bursts' in arrivals
      ? arrivals.bursts.map((burst) => ({ ...burst, name: '' }))
      : [];
  return [...shared, ...own];
}

/** Shaded windows of higher rate, named above the plot, and where the arrivals end. */
function backdrop({ result, x, endS }: Clock): Layer[] {
  const bursts = burstsOf(result).map(({ fromS, toS, factor, name }) => ({
    from: fromS,
    to: Math.min(toS, endS),
    label: `${name === '' ? 'burst' : name} \u00d7${setNumber(factor)}`,
  }));
  const { durationS } = result.scenario.resolved;
  const drain = endS > durationS ? [{ from: durationS, to: endS }] : [];
  return [...shade(bursts, x), ...ending(drain, x, endS)];
}

function shade(bursts: readonly (Span & { label: string })[], x: Clock['x']): Layer[] {
  if (bursts.length === 0) return [];
  return [
    {
      data: { values: [...bursts] },
      mark: { type: 'rect', fill: ink('burst'), y: 0, y2: 'height' },
      encoding: { x: { field: 'from', ...x }, x2: { field: 'to' } },
    },
    {
      data: { values: [...bursts] },
      mark: { type: 'text', align: 'left', baseline: 'middle', y: -8, fill: ink('soft') },
      encoding: { x: { field: 'from', ...x }, text: { field: 'label', type: 'nominal' } },
    },
  ];
}

function ending(drain: readonly Span[], x: Clock['x'], endS: number): Layer[] {
  const [span] = drain;
  if (span === undefined) return [];
  const line: Layer = {
    data: { values: [span] },
    mark: { type: 'rule', stroke: ink('soft'), strokeWidth: 1, strokeDash: [2, 3] },
    encoding: { x: { field: 'from', ...x } },
  };
  const name: Layer = {
    data: { values: [{ ...span, label: 'arrivals end' }] },
    mark: { type: 'text', align: 'right', baseline: 'middle', y: -8, dx: 8, fill: ink('soft') },
    encoding: { x: { field: 'from', ...x }, text: { field: 'label', type: 'nominal' } },
  };
  const early = span.from < endS / 3;
  return early ? [line] : [line, name];
}

function hit({ x }: Clock, rows: readonly (Span & { tip: string })[]): Layer {
  return {
    data: { values: [...rows] },
    mark: { type: 'rect', fill: 'transparent', y: 0, y2: 'height' },
    encoding: {
      x: { field: 'from', ...x },
      x2: { field: 'to' },
      tooltip: { field: 'tip', type: 'nominal' },
    },
  };
}

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

function spanText({ from, to }: Span): string {
  return `${short(from)} to ${seconds(to)}`;
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

const SIZE = { height: CHART_HEIGHT, headroom: HEADROOM };

function decisions(clock: Clock): Chart {
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

function late(clock: Clock): Chart {
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

function pointRows({ result }: Clock) {
  const width = widthOf(result.timeline);
  return result.timeline.map((point) => ({ ...point, from: point.tS, to: point.tS + width }));
}

function stepLine(
  clock: Clock,
  points: readonly { tS: number; value: number }[],
  mark: { stroke: string; strokeWidth: number },
  axis: object,
): Layer {
  return {
    data: { values: heldToTheEnd(clock, points) },
    mark: { type: 'line', interpolate: 'step-after', ...mark },
    encoding: {
      x: { field: 'tS', ...clock.x },
      y: { field: 'value', type: 'quantitative', ...axis },
    },
  };
}

/** The last value holds for its whole interval. */
function heldToTheEnd({ endS }: Clock, points: readonly { tS: number; value: number }[]) {
  const last = points.at(-1);
  return last === undefined ? [] : [...points, { tS: endS, value: last.value }];
}

/** What cannot be below zero or above `end`, whose axis ends there. */
function upTo(end: number, title: string) {
  return { scale: { domain: [0, end] }, axis: { title, tickCount: 5 } };
}

function queueAge(clock: Clock): Chart {
  const rows = pointRows(clock);
  const top = Math.max(0, ...rows.map((row) => row.queueAgeS));
  const placed = place(ageThresholds(clock.result.scenario.resolved.gate), top);
  const points = rows.map((row) => ({ tS: row.tS, value: row.queueAgeS }));
  const tips = rows.map((row) => ({
    from: row.from,
    to: row.to,
    tip: `${spanText(row)}\nqueue age ${seconds(row.queueAgeS)}\nqueued ${count(row.queueDepth)}`,
  }));
  return {
    id: 'time-age',
    title: 'Queue age over time',
    notes: beyondNotes(placed.beyond, 'queue age'),
    legend: [{ ink: 'age', shape: 'line', label: 'age of the oldest queued request' }],
    summary: `Queue age over time, at most ${seconds(top)} in the mean of an interval.`,
    drawing: lineDrawing(clock, top > 0, 'Nothing ever waited: the queue stayed empty.', {
      line: stepLine(
        clock,
        points,
        { stroke: ink('age'), strokeWidth: 1.75 },
        upTo(placed.end * 1.04, 'queue age (s)'),
      ),
      limits: placed.shown,
      tips,
    }),
  };
}

interface Lines {
  readonly line: Layer;
  readonly limits: readonly Threshold[];
  readonly tips: readonly (Span & { tip: string })[];
}

function lineDrawing(
  clock: Clock,
  some: boolean,
  empty: string,
  { line, limits, tips }: Lines,
): Drawing | { readonly empty: string } {
  if (!some) return { empty };
  return {
    ...SIZE,
    layers: [...backdrop(clock), line, ...levelLines(limits)],
    hits: [hit(clock, tips)],
  };
}

function use(clock: Clock): Chart {
  const rows = pointRows(clock);
  const shares = (name: 'slots' | 'busy') =>
    rows.flatMap((row) => {
      const value = row[name];
      return value === null ? [] : [{ tS: row.tS, value: Math.min(1, value) }];
    });
  const busy = shares('busy');
  const slots = shares('slots');
  const axis = shareAxis('share of capacity');
  const tips = rows.map((row) => ({
    from: row.from,
    to: row.to,
    tip: `${spanText(row)}\nslots leased ${percent(row.slots)}\nbusy ${row.busy === null ? 'unknown' : percent(row.busy)}\nleases ${count(row.leases)}`,
  }));
  return {
    id: 'time-use',
    title: 'Slots and busy over time',
    notes: busy.length === 0 ? ['Busy is unknown: nothing reported it.'] : [],
    legend: [
      { ink: 'slots', shape: 'wide', label: 'slots leased' },
      { ink: 'busy', shape: 'line', label: 'busy computing' },
    ],
    summary: 'Share of slots leased and of capacity busy over time.',
    drawing:
      slots.length === 0
        ? { empty: 'No time was measured at the gate.' }
        : {
            ...SIZE,
            layers: [
              ...backdrop(clock),
              stepLine(clock, slots, { stroke: ink('slots'), strokeWidth: 5 }, axis),
              stepLine(clock, busy, { stroke: ink('busy'), strokeWidth: 1.75 }, axis),
            ],
            hits: [hit(clock, tips)],
          },
  };
}

function hasSlack(result: Result): boolean {
  return result.timeline.some((point) => point.slackS !== null);
}

function slack(clock: Clock): Chart {
  const rows = pointRows(clock).filter((row) => row.slackS !== null);
  const points = rows.map((row) => ({ tS: row.tS, value: row.slackS ?? 0 }));
  const thresholds = slackThresholds(clock.result.scenario.resolved.gate);
  const values = [...points.map(({ value }) => value), ...thresholds.map(({ at }) => at)];
  const top = Math.max(1, ...values) * 1.08;
  const bottom = Math.min(0, ...values);
  const axis = { scale: { domain: [bottom, top] }, axis: { title: 'slack (s)', tickCount: 5 } };
  const least = Math.min(...points.map(({ value }) => value));
  return {
    id: 'time-slack',
    title: 'Deadline slack over time',
    notes: [
      `The least was ${seconds(least)}. Deadline less task age less expected compute, of the oldest queued batch request; the whole deadline while none waits.`,
    ],
    legend: [{ ink: 'age', shape: 'line', label: 'least slack of each interval' }],
    summary: `Deadline slack over time, at least ${seconds(least)}, in ${plural(points.length, 'interval')}.`,
    drawing: lineDrawing(clock, true, '', {
      line: stepLine(clock, points, { stroke: ink('age'), strokeWidth: 1.75 }, axis),
      limits: thresholds,
      tips: rows.map((row) => ({
        from: row.from,
        to: row.to,
        tip: `${spanText(row)}\nleast slack ${seconds(row.slackS)}`,
      })),
    }),
  };
}
