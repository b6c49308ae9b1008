import type { AgeBin, Result } from '../../result/types.ts';
import { CHART_HEIGHT, type Chart, ink, type Layer } from '../chart.ts';
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

/** The share of the axis that the bin of the empty queue takes. */
const EMPTY_FROM = -0.12;
const EMPTY_TO = -0.03;
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
  const where = empty
    ? 'Empty queue'
    : `Queue age ${short(bin.fromS)} to ${seconds(bin.toS ?? null)}`;
  return { from, to, mid: (from + to) / 2, where, bin };
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
  return {
    data: { values: axis.rows.map((row) => ({ from: row.from, to: row.to, tip: tip(row) })) },
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
    legend: PARTS.map((part) => ({ ink: part.ink, shape: 'bar' as const, label: part.name })),
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

const SHARE_AXIS = {
  scale: { domain: [0, 1] },
  axis: { tickCount: 5, labelExpr: "format(datum.value * 100, '~r') + ' %'" },
};

function shareAxis(title: string) {
  return { ...SHARE_AXIS, axis: { ...SHARE_AXIS.axis, title } };
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
    legend: PARTS.slice(1).map((part) => ({
      ink: part.ink,
      shape: 'bar' as const,
      label: part.name,
    })),
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

function late(result: Result, axis: Axis): Chart {
  const { lines, ...size } = base(axis);
  const values = axis.rows.flatMap((row) => {
    const kept = row.bin.admitted;
    if (kept <= 0) return [];
    const n = kept * result.replications;
    const share = Math.min(1, row.bin.sloBreached / kept);
    const [lo, hi] = wilson95(share * n, n);
    return [{ mid: row.mid, share, lo, hi }];
  });
  const tip = ({ where, bin }: Row) => {
    const kept = bin.admitted;
    const share = kept > 0 ? Math.min(1, bin.sloBreached / kept) : null;
    return `${where}\nmissed the SLO ${count(bin.sloBreached)} of ${count(kept)} admitted (${percent(share)})`;
  };
  const y = shareAxis('late share');
  return {
    id: 'age-late',
    title: 'Late share of the admitted, by queue age at their decision',
    notes: ['Whoever expired is not among the admitted. Few requests give a wide range.'],
    legend: [
      { ink: 'late', shape: 'point', label: 'missed the SLO' },
      { ink: 'late', shape: 'line', label: '95 % range of that share' },
    ],
    summary: 'Share of the admitted that missed the SLO, by queue age at their decision.',
    drawing:
      values.length === 0
        ? { empty: 'No request was admitted.' }
        : {
            ...size,
            layers: [
              {
                data: { values },
                mark: { type: 'rule', stroke: ink('late'), strokeWidth: 1.5, strokeOpacity: 0.45 },
                encoding: {
                  x: xOf(axis, 'mid'),
                  y: { field: 'lo', type: 'quantitative', ...y },
                  y2: { field: 'hi' },
                },
              },
              {
                data: { values },
                mark: { type: 'circle', fill: ink('late'), opacity: 1, size: 46 },
                encoding: {
                  x: xOf(axis, 'mid'),
                  y: { field: 'share', type: 'quantitative', ...y },
                },
              },
              ...lines,
            ],
            hits: [hit(axis, tip)],
          },
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
