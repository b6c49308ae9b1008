import type { Result, TimePoint } from '../../result/types.ts';
import { CHART_HEIGHT, ink, type Layer } from '../chart.ts';
import { seconds, setNumber, short } from '../format.ts';

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Clock {
  readonly result: Result;
  readonly endS: number;
  readonly x: {
    readonly type: 'quantitative';
    readonly scale: { domain: number[]; nice: boolean };
    readonly axis: { title: string; tickCount: number; format: string };
  };
}

/** Shown only for replication 0; a page of replications says so. */
export function clockOf(result: Result): Clock {
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

export function widthOf(timeline: readonly TimePoint[]): number {
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
export function backdrop({ result, x, endS }: Clock): Layer[] {
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

export function hit({ x }: Clock, rows: readonly (Span & { tip: string })[]): Layer {
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

export function spanText({ from, to }: Span): string {
  return `${short(from)} to ${seconds(to)}`;
}

const HEADROOM = 15;

/** The size of every chart over time: its bursts are named above the plot. */
export const SIZE = { height: CHART_HEIGHT, headroom: HEADROOM };
