import { numberOf } from '../../result/figure.ts';
import type { Result } from '../../result/types.ts';
import {
  CHART_HEIGHT,
  type Chart,
  type Ink,
  ink,
  type Layer,
  type LegendItem,
  shareAxis,
} from '../chart.ts';
import { percent, seconds, setSeconds } from '../format.ts';
import { uprightLines } from '../thresholds.ts';
import { latePoints } from './age-late.ts';

const RUN_INKS: readonly Ink[] = ['run0', 'run1', 'run2', 'run3', 'run4', 'run5'];
/** More lines than these are not told apart. */
export const MOST_RUNS = RUN_INKS.length;

export interface Run {
  readonly label: string;
  readonly result: Result;
}

interface Point {
  readonly run: number;
  readonly x: number;
  readonly y: number;
  readonly tip: string;
}

/** Several runs laid over each other. */
export function overlayCharts(all: readonly Run[]): Chart[] {
  const runs = all.slice(0, MOST_RUNS);
  return [outcomes(runs), servedWithin(runs), queueAge(runs), late(runs)];
}

function legendOf(runs: readonly Run[]): LegendItem[] {
  return runs.map(({ label }, i) => ({ ink: RUN_INKS[i] ?? 'soft', shape: 'line', label }));
}

function lines(points: readonly Point[], runs: readonly Run[], x: object, y: object): Layer[] {
  const encoding = {
    x: { field: 'x', type: 'quantitative' as const, ...x },
    y: { field: 'y', type: 'quantitative' as const, ...y },
    stroke: {
      field: 'run',
      type: 'ordinal' as const,
      scale: { domain: runs.map((_, i) => i), range: RUN_INKS.slice(0, runs.length).map(ink) },
      legend: null,
    },
  };
  const values = points.map(({ run, x: at, y: value }) => ({ run, x: at, y: value }));
  return [{ data: { values }, mark: { type: 'line', strokeWidth: 2 }, encoding }];
}

function hits(points: readonly Point[], x: object, y: object): Layer[] {
  return [
    {
      data: { values: [...points] },
      mark: { type: 'circle', size: 130, fill: 'transparent', opacity: 1 },
      encoding: {
        x: { field: 'x', type: 'quantitative', ...x },
        y: { field: 'y', type: 'quantitative', ...y },
        tooltip: { field: 'tip', type: 'nominal' },
      },
    },
  ];
}

function lineChart(
  runs: readonly Run[],
  points: readonly Point[],
  text: Pick<Chart, 'id' | 'title' | 'notes' | 'summary'> & { readonly empty: string },
  axes: { readonly x: object; readonly y: object; readonly over?: readonly Layer[] },
): Chart {
  const { empty, ...rest } = text;
  return {
    ...rest,
    legend: legendOf(runs),
    drawing:
      points.length === 0
        ? { empty }
        : {
            height: CHART_HEIGHT,
            headroom: axes.over === undefined ? 0 : 15,
            layers: [...lines(points, runs, axes.x, axes.y), ...(axes.over ?? [])],
            hits: hits(points, axes.x, axes.y),
          },
  };
}

/** Of all that was offered, the share that was served within each time: refusing cannot flatter it. */
function servedWithin(runs: readonly Run[]): Chart {
  const end = Math.max(
    1,
    ...runs.flatMap(({ result }) => result.series.response.map((bin) => bin.toS)),
  );
  const points = runs.flatMap(({ label, result }, run) => {
    const offered = result.schedule.count;
    let served = 0;
    const start = { run, x: 0, y: 0, tip: label };
    const steps = result.series.response.map((bin) => {
      served += bin.n;
      const share = served / offered;
      return {
        run,
        x: bin.toS,
        y: share,
        tip: `${label}\n${percent(share)} within ${seconds(bin.toS)}`,
      };
    });
    const top = steps.at(-1);
    const rest = top === undefined ? [] : [{ ...top, x: end }];
    return steps.length === 0 ? [] : [start, ...steps, ...rest];
  });
  const slos = [...new Set(runs.map(({ result }) => result.scenario.resolved.sloS))];
  const [slo] = slos;
  const over =
    slos.length === 1 && slo !== undefined && slo <= end
      ? uprightLines({ shown: [{ at: slo, label: `SLO ${setSeconds(slo)}` }], beyond: [], end })
      : undefined;
  const x = {
    scale: { domain: [0, end], nice: false },
    axis: { title: 'response time (s)', tickCount: 6, format: '~r' },
  };
  return lineChart(
    runs,
    points,
    {
      id: 'overlay-response',
      title: 'Share of the offered that was served within a time',
      notes: ['Whoever was turned away or failed never counts as served.'],
      summary: 'Share of offered requests served within a time, by run.',
      empty: 'No request completed in any run.',
    },
    { x, y: shareAxis('share of offered'), ...(over === undefined ? {} : { over }) },
  );
}

function queueAge(runs: readonly Run[]): Chart {
  const points = runs.flatMap(({ label, result }, run) =>
    result.timeline.map(({ tS, queueAgeS }) => ({
      run,
      x: tS,
      y: queueAgeS,
      tip: `${label}\nat ${seconds(tS)}: queue age ${seconds(queueAgeS)}`,
    })),
  );
  return lineChart(
    runs,
    points.some((point) => point.y > 0) ? points : [],
    {
      id: 'overlay-age',
      title: 'Queue age over time',
      notes: [],
      summary: 'Queue age over time, by run.',
      empty: 'Nothing waited in any run.',
    },
    {
      x: {
        axis: { title: 'time since the start (s)', tickCount: 6, format: '~r' },
        scale: { nice: false },
      },
      y: { axis: { title: 'queue age (s)', tickCount: 5 } },
    },
  );
}

function late(runs: readonly Run[]): Chart {
  const points = runs.flatMap(({ label, result }, run) =>
    latePoints(result).map(({ age, share }) => ({
      run,
      x: age,
      y: share,
      tip: `${label}\nqueue age ${seconds(age)}: ${percent(share)} late`,
    })),
  );
  return lineChart(
    runs,
    points,
    {
      id: 'overlay-late',
      title: 'Late share of the admitted, by queue age at their decision',
      notes: ['Ages with few requests are taken together; an empty queue stands at 0.'],
      summary: 'Late share by queue age, by run.',
      empty: 'No request was admitted in any run.',
    },
    {
      x: { axis: { title: 'queue age at the decision (s)', tickCount: 6, format: '~r' } },
      y: shareAxis('late share'),
    },
  );
}

const ENDS = [
  { ink: 'admitted', label: 'served within the SLO' },
  { ink: 'late', label: 'served late' },
  { ink: 'rejected', label: 'turned away' },
  { ink: 'slots', label: 'anything else' },
] as const;

function endsOf({ rates, outcomes }: Result): number[] {
  const share = (n: number | null) => (n ?? 0) / Math.max(1, numberOf(outcomes.offered) ?? 0);
  const goodput = numberOf(rates.goodput) ?? 0;
  const lateServed = Math.max(0, share(numberOf(outcomes.completed)) - goodput);
  const turned = numberOf(rates.rejection) ?? 0;
  return [goodput, lateServed, turned, Math.max(0, 1 - goodput - lateServed - turned)];
}

/** A row of a run narrower than this has no room for its number. */
const LEAST_LABEL = 0.06;

function outcomes(runs: readonly Run[]): Chart {
  const values = runs.flatMap(({ label, result }) => {
    let from = 0;
    return endsOf(result).flatMap((share, part) => {
      const row = { label, part, from, to: from + share, mid: from + share / 2 };
      from += share;
      const name = ENDS[part]?.label ?? '';
      const text = share >= LEAST_LABEL ? `${Math.round(100 * share)} %` : '';
      return share < 1e-9 ? [] : [{ ...row, text, tip: `${label}\n${name} ${percent(share)}` }];
    });
  });
  const y = {
    field: 'label',
    type: 'nominal' as const,
    scale: { domain: runs.map(({ label }) => label) },
    axis: { title: null, labelLimit: 150 },
  };
  const x = {
    field: 'from',
    type: 'quantitative' as const,
    scale: { domain: [0, 1], nice: false },
    axis: { ...shareAxis('share of offered').axis, grid: false },
  };
  const used = ENDS.filter((_, part) => values.some((value) => value.part === part));
  return {
    id: 'overlay-outcomes',
    title: 'What became of the offered requests',
    notes: [],
    legend: used.map((end) => ({ ink: end.ink, shape: 'bar', label: end.label })),
    summary: 'Shares of the offered requests by how they ended, by run.',
    drawing:
      values.length === 0
        ? { empty: 'No request was offered in any run.' }
        : {
            height: 60 + 44 * runs.length,
            headroom: 0,
            layers: [
              {
                data: { values: values.map(({ tip: _tip, ...row }) => row) },
                mark: { type: 'bar', height: 26, stroke: 'var(--paper)', strokeWidth: 0.75 },
                encoding: {
                  x,
                  x2: { field: 'to' },
                  y,
                  fill: {
                    field: 'part',
                    type: 'ordinal',
                    scale: {
                      domain: ENDS.map((_, i) => i),
                      range: ENDS.map((end) => ink(end.ink)),
                    },
                    legend: null,
                  },
                },
              },
              {
                data: { values: values.map(({ tip: _tip, ...row }) => row) },
                mark: { type: 'text', fill: 'var(--paper)', fontWeight: 600 },
                encoding: {
                  x: { ...x, field: 'mid' },
                  y,
                  text: { field: 'text', type: 'nominal' },
                },
              },
            ],
            hits: [
              {
                data: { values },
                mark: { type: 'bar', height: 34 },
                encoding: {
                  x,
                  x2: { field: 'to' },
                  y,
                  fill: { value: 'transparent' },
                  tooltip: { field: 'tip', type: 'nominal' },
                },
              },
            ],
          },
  };
}
