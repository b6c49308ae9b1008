/** From what a scenario promises to k6's thresholds, and to what k6 cannot do of it. */
import type { ClassSpec, Scenario } from '../../scenario/types.ts';
import { METRICS } from './metrics.ts';

export interface Limits {
  readonly thresholds: Record<string, string[]>;
  readonly notes: string[];
}

/** How a figure of our result is called in k6: its metric, what stands before the condition, and the factor. */
const FIGURES: Readonly<Record<string, readonly [metric: string, of: string, factor: number]>> = {
  'rates.breach': [METRICS.breach, 'rate', 1],
  'rates.rejection': [METRICS.turnedAway, 'rate', 1],
  'rates.goodput': [METRICS.goodput, 'rate', 1],
  'responseS.mean': [METRICS.responseMs, 'avg', 1000],
  'responseS.p50': [METRICS.responseMs, 'med', 1000],
  'responseS.p95': [METRICS.responseMs, 'p(95)', 1000],
  'responseS.p99': [METRICS.responseMs, 'p(99)', 1000],
  'responseS.max': [METRICS.responseMs, 'max', 1000],
  'waitS.p95': [METRICS.waitMs, 'p(95)', 1000],
  'waitS.p99': [METRICS.waitMs, 'p(99)', 1000],
};

/** The SLO as a threshold of k6 (99 of 100 completed within it), and the scenario's own beside it. */
export function clientLimits(scenario: Scenario): Limits {
  const thresholds: Record<string, string[]> = {
    [METRICS.responseMs]: [`p(99)<${scenario.sloS * 1000}`],
  };
  const notes = Object.entries(scenario.classes).flatMap(([name, spec]) => notModelled(name, spec));
  for (const [path, condition] of Object.entries(scenario.thresholds)) {
    const figure = FIGURES[path];
    if (figure === undefined) notes.push(`threshold ${path} is not judged by k6, only by import`);
    else add(thresholds, figure, condition);
  }
  return { thresholds, notes };
}

function add(
  thresholds: Record<string, string[]>,
  [metric, of, factor]: readonly [string, string, number],
  condition: string,
): void {
  const [, comparison = '<', number = '0'] = /^\s*([<>=]+)\s*(.+?)\s*$/.exec(condition) ?? [];
  const conditions = thresholds[metric] ?? [];
  conditions.push(`${of}${comparison}${Number(number) * factor}`);
  thresholds[metric] = conditions;
}

function notModelled(name: string, spec: ClassSpec): string[] {
  const missing: string[] = [];
  if (spec.retry.max > 0) missing.push(`${name}: k6 tries once, retries are not made`);
  if (spec.patience !== null) missing.push(`${name}: k6 cannot leave a queue, patience is endless`);
  if (spec.hold !== null) missing.push(`${name}: k6 counts a hold from the send, not the answer`);
  return missing;
}
