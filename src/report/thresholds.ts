import { limitOf } from '../result/setting-value.ts';
import type { Result } from '../result/types.ts';
import type { Layer } from './chart.ts';
import { ink } from './chart.ts';
import { setSeconds } from './format.ts';

type Gate = Result['scenario']['resolved']['gate'];

/** A configured limit that is drawn into a chart, under the name of its rule. */
export interface Threshold {
  readonly at: number;
  readonly label: string;
}

/** The limits that stand on an axis of queue age. */
export function ageThresholds(gate: Gate): Threshold[] {
  const limits: [string, number | null][] = [
    ['ageRejectS', limitOf(gate.ageRejectS)],
    ['maxWaitS', limitOf(gate.maxWaitS)],
  ];
  return limits.flatMap(([name, at]) =>
    at === null ? [] : [{ at, label: `${name} ${setSeconds(at)}` }],
  );
}

/** Deadline slack: where the rule closes and where it opens again. */
export function slackThresholds(gate: Gate): Threshold[] {
  if (gate.slackRejectS === null) return [];
  return [
    { at: gate.slackRejectS, label: `slackRejectS ${setSeconds(gate.slackRejectS)}` },
    { at: gate.slackAdmitS, label: `slackAdmitS ${setSeconds(gate.slackAdmitS)}` },
  ];
}

/** How far beyond the data a threshold may lie and still be drawn. */
const REACH = 2;

export interface Placed {
  readonly shown: readonly Threshold[];
  /** Too far out to be drawn: said in words. */
  readonly beyond: readonly Threshold[];
  /** The end of the axis. */
  readonly end: number;
}

/** Which thresholds fit on an axis whose data end at `dataEnd`, and where the axis ends then. */
export function place(thresholds: readonly Threshold[], dataEnd: number): Placed {
  const reach = dataEnd > 0 ? dataEnd * REACH : Number.POSITIVE_INFINITY;
  const shown = thresholds.filter(({ at }) => at <= reach);
  const beyond = thresholds.filter(({ at }) => at > reach);
  const last = Math.max(dataEnd, ...shown.map(({ at }) => at * 1.06));
  return { shown, beyond, end: last > 0 ? last : 1 };
}

export function beyondNotes(beyond: readonly Threshold[], what: string): string[] {
  return beyond.map(({ label }) => `${label} lies far beyond every ${what} of this run.`);
}

/** Room for the names above the plot. */
export function headroomFor(shown: readonly Threshold[]): number {
  return shown.length * 15;
}

/** Upright lines, each with its name above the plot, one row a name so that none covers another. */
export function uprightLines(placed: Placed): Layer[] {
  return placed.shown.flatMap((threshold, row): Layer[] => {
    const data = { values: [threshold] };
    const right = threshold.at > placed.end / 2;
    return [
      {
        data,
        mark: { type: 'rule', stroke: ink('limit'), strokeWidth: 1.5, strokeDash: [5, 3] },
        encoding: { x: { field: 'at', type: 'quantitative' } },
      },
      {
        data,
        mark: {
          type: 'text',
          align: right ? 'right' : 'left',
          baseline: 'middle',
          y: -9 - 15 * row,
          dx: right ? 4 : -4,
          fill: ink('limit'),
          fontWeight: 600,
        },
        encoding: {
          x: { field: 'at', type: 'quantitative' },
          text: { field: 'label', type: 'nominal' },
        },
      },
    ];
  });
}

/** Level lines, each named at its right end, just above itself, readable over whatever runs there. */
export function levelLines(shown: readonly Threshold[]): Layer[] {
  if (shown.length === 0) return [];
  const data = { values: [...shown] };
  const y = { field: 'at', type: 'quantitative' as const };
  const name = (extra: object): Layer => ({
    data,
    mark: {
      type: 'text',
      align: 'right',
      baseline: 'bottom',
      x: 'width',
      dy: -3,
      fontWeight: 600,
      ...extra,
    },
    encoding: { y, text: { field: 'label', type: 'nominal' } },
  });
  return [
    {
      data,
      mark: { type: 'rule', stroke: ink('limit'), strokeWidth: 1.5, strokeDash: [5, 3] },
      encoding: { y },
    },
    name({ fill: 'var(--paper)', stroke: 'var(--paper)', strokeWidth: 4, strokeOpacity: 0.9 }),
    name({ fill: ink('limit') }),
  ];
}
