import type { AgeBin, Result } from '../../result/types.ts';
import {
  CHART_HEIGHT,
  type Chart,
  type Drawing,
  ink,
  type Layer,
  type LegendItem,
  shareAxis,
} from '../chart.ts';
import { count, percent, seconds, short } from '../format.ts';
import {
  ageThresholds,
  beyondNotes,
  headroomFor,
  type Placed,
  place,
  uprightLines,
} from '../thresholds.ts';
import { wilson95 } from '../wilson.ts';

/** One bin where it is drawn: the empty queue has no width, so it gets a place left of zero. */
interface Row {
  readonly from: number;
  readonly to: number;
  readonly mid: number;
  readonly where: string;
  readonly bin: AgeBin;
}

interface Axis {
  readonly rows: readonly Row[];
  readonly placed: Placed;
  readonly start: number;
}

/** The share of the axis that the bin of the empty queue takes: its name must not touch the 0 on a telephone. */
const EMPTY_FROM = -0.22;
const EMPTY_TO = -0.08;
const NO_DECISION = 'No request reached the gate, so there is nothing to count.';

/** Four charts against queue age, with the thresholds drawn in. */
export function byAgeCharts(result: Result): Chart[] {
  const axis = axisOf(result);
  return [decisions(result, axis), turnedAway(result, axis), late(result, axis), use(axis)];
}

function axisOf(result: Result): Axis {
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

function whereOf({ fromS, toS }: AgeBin): string {
  return toS === 0 ? 'Empty queue' : `Queue age ${short(fromS)} to ${seconds(toS)}`;
}

/** The shared axis: its ticks are round, and the empty queue is named instead of numbered. */
function xOf({ placed, start }: Axis, field: 'from' | 'mid') {
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

/** At most seven round numbers from 0. */
export function roundTicks(end: number): number[] {
  const rough = end / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? end;
  const ticks: number[] = [];
  for (let i = 0; i * step <= end * (1 + 1e-9); i++) ticks.push(Number((i * step).toPrecision(6)));
  return ticks;
}

function base(axis: Axis): { height: number; headroom: number; lines: Layer[] } {
  const { placed } = axis;
  return { height: CHART_HEIGHT, headroom: headroomFor(placed.shown), lines: uprightLines(placed) };
}

function hit(axis: Axis, tip: (row: Row) => string): Layer {
  return hitOf(
    axis,
    axis.rows.map((row) => ({ from: row.from, to: row.to, tip: tip(row) })),
  );
}

function hitOf(axis: Axis, values: { from: number; to: number; tip: string }[]): Layer {
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

const PARTS = [
  { name: 'admitted', ink: 'admitted' },
  { name: 'expired in the queue', ink: 'expired' },
  { name: 'rejected at the door', ink: 'rejected' },
] as const;

/** Only what occurs in the run has a key. */
function legendOf({ rows }: Axis, parts: readonly (typeof PARTS)[number][]): LegendItem[] {
  const occurs = (name: 'admitted' | 'expired' | 'rejected') =>
    rows.some((row) => row.bin[name] > 0);
  return parts
    .filter((part) => occurs(part.ink))
    .map((part) => ({ ink: part.ink, shape: 'bar', label: part.name }));
}

function partsOf({ admitted, expired, rejected }: AgeBin): readonly [number, number, number] {
  return [admitted, expired, rejected];
}

/** Stacked by hand, so that a bin is one row whatever is in it. */
function stack(axis: Axis, valuesOf: (bin: AgeBin) => readonly number[]) {
  return axis.rows.flatMap((row) => {
    let below = 0;
    return valuesOf(row.bin).flatMap((value, i) => {
      const part = { from: row.from, to: row.to, part: i, y: below, y2: below + value };
      below += value;
      return value > 0 ? [part] : [];
    });
  });
}

const INKS = PARTS.map((part) => ink(part.ink));

function stackLayer(axis: Axis, values: object[], y: object): Layer {
  return {
    data: { values: values as Record<string, unknown>[] },
    mark: { type: 'rect', stroke: 'var(--paper)', strokeWidth: 0.75 },
    encoding: {
      x: xOf(axis, 'from'),
      x2: { field: 'to' },
      y: { field: 'y', type: 'quantitative', ...y },
      y2: { field: 'y2' },
      fill: {
        field: 'part',
        type: 'ordinal',
        scale: { domain: [0, 1, 2], range: INKS },
        legend: null,
      },
    },
  };
}

function decisionTip({ where, bin }: Row): string {
  const [kept, expired, rejected] = partsOf(bin);
  return [
    where,
    `decisions ${count(bin.decisions)}`,
    `admitted ${count(kept)}`,
    `expired in the queue ${count(expired)}`,
    `rejected at the door ${count(rejected)}`,
    `time at this age ${seconds(bin.timeS)}`,
  ].join('\n');
}

function decisions(result: Result, axis: Axis): Chart {
  const { lines, ...size } = base(axis);
  const total = axis.rows.reduce((sum, row) => sum + row.bin.decisions, 0);
  const isMean = result.replications > 1;
  const y = {
    axis: {
      title: isMean ? 'decisions, mean of the runs' : 'decisions',
      tickCount: 5,
      ...(isMean ? {} : { tickMinStep: 1 }),
    },
  };
  return {
    id: 'age-decisions',
    title: 'Decisions against queue age',
    notes: [
      'Each request counts once, at the queue age that it met at the door. ' +
        'Expired and rejected stack up as turned away.',
      ...beyondNotes(axis.placed.beyond, 'queue age'),
    ],
    legend: legendOf(axis, PARTS),
    summary: `Decisions by queue age: ${count(total)} in all.`,
    drawing:
      total === 0
        ? { empty: NO_DECISION }
        : {
            ...size,
            layers: [stackLayer(axis, stack(axis, partsOf), y), ...lines],
            hits: [hit(axis, decisionTip)],
          },
  };
}

function turnedShares(bin: AgeBin): readonly number[] {
  if (bin.decisions === 0) return [];
  return [0, bin.expired / bin.decisions, bin.rejected / bin.decisions];
}

function turnedAway(result: Result, axis: Axis): Chart {
  const { lines, ...size } = base(axis);
  const some = axis.rows.some((row) => row.bin.rejected + row.bin.expired > 0);
  const tip = ({ where, bin }: Row) =>
    [
      where,
      `turned away ${count(bin.rejected + bin.expired)} of ${count(bin.decisions)}`,
      `rejected ${percent(bin.decisions > 0 ? bin.rejected / bin.decisions : null)}`,
      `expired ${percent(bin.decisions > 0 ? bin.expired / bin.decisions : null)}`,
    ].join('\n');
  const reasons = Object.entries(result.rejectedBy).length;
  return {
    id: 'age-turned-away',
    title: 'Turned away, share of the decisions at that age',
    notes: reasons > 0 ? [`By reason over the whole run: ${reasonsText(result)}.`] : [],
    legend: legendOf(axis, PARTS.slice(1)),
    summary: 'Share of the decisions that turned a request away, by queue age.',
    drawing: some
      ? {
          ...size,
          layers: [
            stackLayer(axis, stack(axis, turnedShares), shareAxis('share of decisions')),
            ...lines,
          ],
          hits: [hit(axis, tip)],
        }
      : { empty: 'Nobody was turned away.' },
  };
}

function reasonsText(result: Result): string {
  return Object.entries(result.rejectedBy)
    .map(([code, n]) => `${code} ${count(typeof n === 'object' && n !== null ? n.mean : n)}`)
    .join(', ');
}

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

function late(result: Result, axis: Axis): Chart {
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

function use(axis: Axis): Chart {
  const { lines, ...size } = base(axis);
  const values = (name: 'slots' | 'busy') =>
    axis.rows.flatMap((row) => {
      const y = row.bin[name];
      return y === null ? [] : [{ from: row.from, to: row.to, y: Math.min(1, y) }];
    });
  const busy = values('busy');
  const slots = values('slots');
  const level = (name: 'slots' | 'busy', strokeWidth: number): Layer => ({
    data: { values: name === 'slots' ? slots : busy },
    mark: { type: 'rule', stroke: ink(name), strokeWidth, strokeCap: 'butt' },
    encoding: {
      x: xOf(axis, 'from'),
      x2: { field: 'to' },
      y: { field: 'y', type: 'quantitative', ...shareAxis('share of capacity') },
    },
  });
  const tip = ({ where, bin }: Row) =>
    `${where}\nslots leased ${percent(bin.slots)}\nbusy ${bin.busy === null ? 'unknown' : percent(bin.busy)}\ntime at this age ${seconds(bin.timeS)}`;
  return {
    id: 'age-use',
    title: 'Slots and busy against queue age',
    notes: [
      busy.length === 0
        ? 'What share of the capacity computed is unknown: nothing reported it.'
        : 'Full slots with low busy at a high queue age mean that leases are held, not worked on.',
    ],
    legend: [
      { ink: 'slots', shape: 'wide', label: 'slots leased' },
      { ink: 'busy', shape: 'line', label: 'busy computing' },
    ],
    summary: 'Time-averaged share of slots leased and of capacity busy, by queue age.',
    drawing:
      slots.length === 0
        ? { empty: 'No time was measured at the gate.' }
        : {
            ...size,
            layers: [level('slots', 7), level('busy', 2.5), ...lines],
            hits: [hit(axis, tip)],
          },
  };
}
