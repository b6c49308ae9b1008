import type { Result } from '../../result/types.ts';
import { CHART_HEIGHT, type Chart, ink } from '../chart.ts';
import { count, plural, seconds, setNumber } from '../format.ts';
import { headroomFor, levelLines, type Threshold } from '../thresholds.ts';
import { roundTicks } from './by-age.ts';

/** What a restart cost against the queue age at the preempt; absent where nothing was preempted. */
export function preemptsChart(result: Result): Chart | undefined {
  const { preempts } = result.series;
  if (preempts.length === 0) return undefined;
  const limits = restartLimit(result);
  const top = Math.max(
    1,
    ...preempts.map((each) => each.restartTokens),
    ...limits.map(({ at }) => at),
  );
  const right = Math.max(1, ...preempts.map((each) => each.queueAgeS));
  const values = preempts.map((each) => ({
    age: each.queueAgeS,
    tokens: each.restartTokens,
    kind: each.replayed ? 'replayed' : 'failed',
    tip: [
      `request ${each.seq} at ${seconds(each.tS)}`,
      `restart tokens ${count(each.restartTokens)}`,
      `wasted tokens ${count(each.wastedTokens)}`,
      `queue age ${seconds(each.queueAgeS)}`,
      `slack ${seconds(each.slackS)}`,
      each.replayed ? 'replayed' : 'not replayed',
    ].join('\n'),
  }));
  const encoding = {
    x: {
      field: 'age',
      type: 'quantitative' as const,
      scale: { domain: [-0.03 * right, right * 1.04], nice: false },
      axis: { title: 'queue age at the preempt (s)', values: roundTicks(right) },
    },
    y: {
      field: 'tokens',
      type: 'quantitative' as const,
      scale: { domain: [0, top * 1.1] },
      axis: { title: 'restart tokens', tickCount: 5 },
    },
  };
  return {
    id: 'preempts',
    title: 'Restart tokens against queue age',
    notes: [
      `${plural(preempts.length, 'preempt')}: the tokens that each restart has to make again.`,
    ],
    legend: [
      { ink: 'admitted', shape: 'point', label: 'replayed' },
      { ink: 'late', shape: 'point', label: 'not replayed' },
    ],
    summary: `Restart tokens against queue age for ${plural(preempts.length, 'preempt')}.`,
    drawing: {
      height: CHART_HEIGHT,
      headroom: headroomFor([]),
      layers: [
        {
          data: { values: values.map(({ tip: _tip, ...row }) => row) },
          mark: { type: 'circle', size: 34, opacity: 0.7 },
          encoding: {
            ...encoding,
            fill: {
              field: 'kind',
              type: 'nominal',
              scale: { domain: ['replayed', 'failed'], range: [ink('admitted'), ink('late')] },
              legend: null,
            },
          },
        },
        ...levelLines(limits),
      ],
      hits: [
        {
          data: { values },
          mark: { type: 'circle', size: 120, fill: 'transparent', opacity: 1 },
          encoding: { ...encoding, tooltip: { field: 'tip', type: 'nominal' } },
        },
      ],
    },
  };
}

function restartLimit({ scenario }: Result): Threshold[] {
  const { taskBudgetTokens, restartFraction } = scenario.resolved.gate;
  if (taskBudgetTokens === null) return [];
  const at = taskBudgetTokens * restartFraction;
  return [{ at, label: `restartFraction ${setNumber(restartFraction)} = ${count(at)} tokens` }];
}
