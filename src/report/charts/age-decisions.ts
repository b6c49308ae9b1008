import type { AgeBin, Result } from '../../result/types.ts';
import { type Chart, ink, type Layer, type LegendItem, shareAxis } from '../chart.ts';
import { count, percent, seconds } from '../format.ts';
import { beyondNotes } from '../thresholds.ts';
import { type Axis, base, hit, type Row, xOf } from './age-axis.ts';

const NO_DECISION = 'No request reached the gate, so there is nothing to count.';

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

export function decisions(result: Result, axis: Axis): Chart {
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

export function turnedAway(result: Result, axis: Axis): Chart {
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
