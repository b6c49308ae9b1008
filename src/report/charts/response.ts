import type { Histogram, Result } from '../../result/types.ts';
import { CHART_HEIGHT, type Chart, ink, type Layer } from '../chart.ts';
import { count, seconds, setSeconds, short } from '../format.ts';
import { beyondNotes, headroomFor, place, type Threshold, uprightLines } from '../thresholds.ts';
import { roundTicks } from './by-age.ts';

/** Response times of the completed, with every SLO that a class has. */
export function responseChart(result: Result): Chart {
  const bins = result.series.response;
  const dataEnd = Math.max(0, ...bins.map((bin) => bin.toS));
  const placed = place(slosOf(result), dataEnd);
  const { end } = placed;
  const total = bins.reduce((sum, bin) => sum + bin.n, 0);
  return {
    id: 'response',
    title: 'Response times of the completed',
    notes: [
      'From the instant at which a request was due to its end. Whoever was turned away is not in it.',
      ...(result.replications > 1 ? ['Of the first replication.'] : []),
      ...beyondNotes(placed.beyond, 'response time'),
    ],
    legend: [
      { ink: 'admitted', shape: 'bar', label: 'completed requests' },
      { ink: 'limit', shape: 'dash', label: 'SLO' },
    ],
    summary: `Histogram of the response times of ${count(total)} completed requests.`,
    drawing:
      total === 0
        ? { empty: 'No request completed.' }
        : {
            height: CHART_HEIGHT,
            headroom: headroomFor(placed.shown),
            layers: [histogram(bins, end), ...uprightLines(placed)],
            hits: [hits(bins, end)],
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

function xOf(end: number) {
  return {
    field: 'fromS',
    type: 'quantitative' as const,
    scale: { domain: [0, end], nice: false },
    axis: { title: 'response time (s)', values: roundTicks(end) },
  };
}

function histogram(bins: readonly Histogram[], end: number): Layer {
  return {
    data: { values: bins.filter((bin) => bin.n > 0).map((bin) => ({ ...bin, zero: 0 })) },
    mark: { type: 'rect', fill: ink('admitted'), stroke: 'var(--paper)', strokeWidth: 0.75 },
    encoding: {
      x: xOf(end),
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

function hits(bins: readonly Histogram[], end: number): Layer {
  const values = bins.map((bin) => ({
    ...bin,
    tip: `${short(bin.fromS)} to ${seconds(bin.toS)}\nrequests ${count(bin.n)}`,
  }));
  return {
    data: { values },
    mark: { type: 'rect', fill: 'transparent', y: 0, y2: 'height' },
    encoding: {
      x: xOf(end),
      x2: { field: 'toS' },
      tooltip: { field: 'tip', type: 'nominal' },
    },
  };
}
