import { limitOf } from '../../result/setting-value.ts';
import type { Histogram, Result } from '../../result/types.ts';
import { CHART_HEIGHT, type Chart, ink, type Layer } from '../chart.ts';
import { count, seconds, setSeconds, short } from '../format.ts';
import { beyondNotes, headroomFor, place, type Threshold, uprightLines } from '../thresholds.ts';
import { roundTicks } from './ticks.ts';

interface Times {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly axis: string;
  readonly who: string;
  readonly empty: string;
  readonly line: string;
  readonly ink: 'admitted' | 'age';
}

/** Response times of the completed, with every SLO that a class has. */
export function responseChart(result: Result): Chart {
  return histogramChart(result, result.series.response, slosOf(result), {
    id: 'response',
    title: 'Response times of the completed',
    note: 'From the instant at which a request was due to its end. Whoever was turned away is not in it.',
    axis: 'response time (s)',
    who: 'completed requests',
    empty: 'No request completed.',
    line: 'SLO',
    ink: 'admitted',
  });
}

/** Waits of those that got a slot, with the limit on the wait. */
export function waitChart(result: Result): Chart {
  const maxWaitS = limitOf(result.scenario.resolved.gate.maxWaitS);
  const limit =
    maxWaitS === null ? [] : [{ at: maxWaitS, label: `maxWaitS ${setSeconds(maxWaitS)}` }];
  return histogramChart(result, result.series.wait, limit, {
    id: 'wait',
    title: 'Waits of those that got a slot',
    note: 'In the queue. Whoever was turned away is not in it.',
    axis: 'wait (s)',
    who: 'requests that got a slot',
    empty: 'No request got a slot.',
    line: 'limit on the wait',
    ink: 'age',
  });
}

function histogramChart(
  result: Result,
  bins: readonly Histogram[],
  limits: readonly Threshold[],
  times: Times,
): Chart {
  const dataEnd = Math.max(0, ...bins.map((bin) => bin.toS));
  const placed = place(limits, dataEnd);
  const { end } = placed;
  const total = bins.reduce((sum, bin) => sum + bin.n, 0);
  const line = { ink: 'limit' as const, shape: 'dash' as const, label: times.line };
  return {
    id: times.id,
    title: times.title,
    notes: [
      times.note,
      ...(result.replications > 1 ? ['Of the first run.'] : []),
      ...beyondNotes(placed.beyond, 'time'),
    ],
    legend: [
      { ink: times.ink, shape: 'bar', label: times.who },
      ...(placed.shown.length > 0 ? [line] : []),
    ],
    summary: `${times.title}: ${count(total)} requests.`,
    drawing:
      total === 0
        ? { empty: times.empty }
        : {
            height: CHART_HEIGHT,
            headroom: headroomFor(placed.shown),
            layers: [histogram(bins, end, times), ...uprightLines(placed)],
            hits: [hits(bins, end, times)],
          },
  };
}

function slosOf({ scenario }: Result): Threshold[] {
  const { sloS, classes } = scenario.resolved;
  const names = Object.keys(classes);
  const bySlo = new Map<number, string[]>();
  for (const name of names) {
    const own = classes[name]?.sloS ?? sloS;
    bySlo.set(own, [...(bySlo.get(own) ?? []), name]);
  }
  const several = bySlo.size > 1;
  return [...bySlo].map(([at, of]) => ({
    at,
    label: several ? `SLO ${of.join(', ')} ${setSeconds(at)}` : `SLO ${setSeconds(at)}`,
  }));
}

function xOf(end: number, title: string) {
  return {
    field: 'fromS',
    type: 'quantitative' as const,
    scale: { domain: [0, end], nice: false },
    axis: { title, values: roundTicks(end) },
  };
}

function histogram(bins: readonly Histogram[], end: number, times: Times): Layer {
  return {
    data: { values: bins.filter((bin) => bin.n > 0).map((bin) => ({ ...bin, zero: 0 })) },
    mark: { type: 'rect', fill: ink(times.ink), stroke: 'var(--paper)', strokeWidth: 0.75 },
    encoding: {
      x: xOf(end, times.axis),
      x2: { field: 'toS' },
      y: {
        field: 'n',
        type: 'quantitative',
        axis: { title: 'requests', tickCount: 5, tickMinStep: 1 },
      },
      y2: { field: 'zero' },
    },
  };
}

function hits(bins: readonly Histogram[], end: number, times: Times): Layer {
  const values = bins.map((bin) => ({
    ...bin,
    tip: `${short(bin.fromS)} to ${seconds(bin.toS)}\nrequests ${count(bin.n)}`,
  }));
  return {
    data: { values },
    mark: { type: 'rect', fill: 'transparent', y: 0, y2: 'height' },
    encoding: {
      x: xOf(end, times.axis),
      x2: { field: 'toS' },
      tooltip: { field: 'tip', type: 'nominal' },
    },
  };
}
