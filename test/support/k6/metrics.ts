/** Samples of the stand-in: k6's line format, its summary, and its thresholds. */
import { quantileSorted } from 'simple-statistics';
import type { Configured } from './stand-in.ts';

export interface Point {
  readonly metric: string;
  readonly type: 'counter' | 'rate' | 'trend';
  readonly value: number;
  readonly atMs: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, string>>;
}

interface Summarised {
  readonly type: Point['type'];
  readonly values: Record<string, number>;
}

export class K6Metrics {
  readonly points: Point[] = [];
  private configured: Configured | undefined;
  private readonly byMetric = new Map<string, Point[]>();

  configure(configured: Configured): void {
    this.configured = configured;
  }

  add(point: Point): void {
    const tagged = { ...point, tags: { ...this.configured?.tags, ...point.tags } };
    this.points.push(tagged);
    const others = this.byMetric.get(point.metric);
    if (others === undefined) this.byMetric.set(point.metric, [tagged]);
    else others.push(tagged);
  }

  /** A `Metric` line before the first point of a metric. */
  ndjson(): string {
    const known = new Set<string>();
    const lines: string[] = [];
    for (const point of this.points) {
      if (!known.has(point.metric)) lines.push(metricLine(point));
      known.add(point.metric);
      lines.push(pointLine(point));
    }
    return `${lines.join('\n')}\n`;
  }

  summary(exitCode: number): { data: unknown; crossed: boolean } {
    const thresholds = this.configured?.thresholds ?? {};
    const metrics: Record<string, Summarised> = {};
    const names = new Set([...this.byMetric.keys(), ...Object.keys(thresholds)]);
    for (const name of names) metrics[name] = this.summarised(name);
    const crossed = Object.entries(thresholds).some(([name, conditions]) =>
      conditions.some((condition) => !holds(condition, metrics[name]?.values ?? {})),
    );
    const data = { root_group: {}, options: {}, state: {}, metrics, setup_data: null, exitCode };
    return { data, crossed };
  }

  private summarised(name: string): Summarised {
    const [, metric = name, filter = ''] = /^([^{]+)(?:\{(.*)\})?$/.exec(name) ?? [];
    const wanted = filter === '' ? [] : filter.split(',').map((each) => each.split(':'));
    const found = (this.byMetric.get(metric) ?? []).filter(({ tags }) =>
      wanted.every(([key = '', value]) => tags[key] === value),
    );
    const type = found[0]?.type ?? (filter === '' ? 'trend' : 'counter');
    return { type, values: this.values(type, found) };
  }

  private values(type: Point['type'], found: readonly Point[]): Record<string, number> {
    const numbers = found.map(({ value }) => value).sort((a, b) => a - b);
    const sum = numbers.reduce((total, value) => total + value, 0);
    if (type === 'counter') return { count: sum, rate: sum };
    if (type === 'rate') {
      return {
        rate: numbers.length === 0 ? 0 : sum / numbers.length,
        passes: sum,
        fails: numbers.length - sum,
      };
    }
    if (numbers.length === 0) return {};
    const stats: Record<string, number> = {
      avg: sum / numbers.length,
      min: numbers[0] ?? 0,
      max: numbers.at(-1) ?? 0,
      count: numbers.length,
      med: quantileSorted(numbers, 0.5),
      'p(95)': quantileSorted(numbers, 0.95),
      'p(99)': quantileSorted(numbers, 0.99),
    };
    return Object.fromEntries(
      (this.configured?.trendStats ?? []).map((name) => [name, stats[name] ?? 0]),
    );
  }
}

function metricLine({ metric, type }: Point): string {
  const contains = metric.startsWith('http_req_') ? 'time' : 'default';
  const data = { name: metric, type, contains, thresholds: [], submetrics: null };
  return JSON.stringify({ type: 'Metric', data, metric });
}

function pointLine({ metric, value, atMs, tags, metadata }: Point): string {
  const whole = Math.floor(atMs);
  const nanos = String(Math.floor((atMs - whole) * 1e6)).padStart(6, '0');
  const time = new Date(whole).toISOString().replace('Z', `${nanos}Z`);
  const data = { time, value, tags, ...(Object.keys(metadata).length > 0 ? { metadata } : {}) };
  return JSON.stringify({ metric, type: 'Point', data });
}

/** `p(99)<60000`; a metric without samples is not judged. */
function holds(condition: string, values: Readonly<Record<string, number>>): boolean {
  const [, name = '', sign = '', limit = ''] =
    /^(\S+?)\s*(<=|>=|==|<|>)\s*(\S+)$/.exec(condition) ?? [];
  const value = values[name];
  if (sign === '') throw new Error(`k6: threshold ${condition}`);
  if (value === undefined) return true;
  const number = Number(limit);
  const compare: Record<string, boolean> = {
    '<': value < number,
    '<=': value <= number,
    '>': value > number,
    '>=': value >= number,
    '==': value === number,
  };
  return compare[sign] ?? false;
}
