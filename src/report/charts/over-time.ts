import type { Result } from '../../result/types.ts';
import type { Chart } from '../chart.ts';
import { clockOf } from './clock.ts';
import { decisions, late } from './time-counts.ts';
import { queueAge, slack, use } from './time-lines.ts';

/** The run over time, its bursts shaded: decisions, queue age, late, slots and busy, slack. */
export function overTimeCharts(result: Result): Chart[] {
  const clock = clockOf(result);
  const charts = [decisions(clock), queueAge(clock), late(clock), use(clock)];
  return hasSlack(result) ? [...charts, slack(clock)] : charts;
}

function hasSlack(result: Result): boolean {
  return result.timeline.some((point) => point.slackS !== null);
}
