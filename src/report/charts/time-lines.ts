import { type Chart, type Drawing, ink, type Layer, shareAxis } from '../chart.ts';
import { count, percent, plural, seconds } from '../format.ts';
import {
  ageThresholds,
  beyondNotes,
  levelLines,
  place,
  slackThresholds,
  type Threshold,
} from '../thresholds.ts';
import { backdrop, type Clock, hit, SIZE, type Span, spanText, widthOf } from './clock.ts';

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

export function queueAge(clock: Clock): Chart {
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

export function use(clock: Clock): Chart {
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

export function slack(clock: Clock): Chart {
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
