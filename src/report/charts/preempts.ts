import type { Result } from '../../result/types.ts';
import { CHART_HEIGHT, type Chart, ink } from '../chart.ts';
import { count, plural, seconds, setNumber } from '../format.ts';
import { headroomFor, levelLines, type Threshold } from '../thresholds.ts';
import { roundTicks } from './ticks.ts';

type Preempt = Result['series']['preempts'][number];

/** What a restart cost against the queue age at the preempt; absent where nothing was preempted. */
export function preemptsChart(result: Result): Chart | undefined {
  const { preempts } = result.series;
  if (preempts.length === 0) return undefined;
  const limits = restartLimit(result);
  return scatter({
    id: 'preempts',
    title: 'Restart tokens against queue age',
    note: `${plural(preempts.length, 'preempt')}: the tokens that each restart has to make again.`,
    points: preempts.map((each) => ({ x: each.queueAgeS, y: each.restartTokens, of: each })),
    xTitle: 'queue age at the preempt (s)',
    yTitle: 'restart tokens',
    limits,
  });
}

/** What was left of each task's deadline when its slot was taken back; absent where none has one. */
export function preemptSlackChart(result: Result): Chart | undefined {
  const points = result.series.preempts.flatMap((each) =>
    typeof each.taskSlackS === 'number' ? [{ x: each.tS, y: each.taskSlackS, of: each }] : [],
  );
  if (points.length === 0) return undefined;
  return scatter({
    id: 'preempt-slack',
    title: 'Slack at each preempt',
    note: `${plural(points.length, 'preempt')}: what was left of the deadline of the task.`,
    points,
    xTitle: 'time (s)',
    yTitle: 'slack of the task (s)',
    limits: ageLimit(result),
  });
}

interface Scatter {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly points: readonly { readonly x: number; readonly y: number; readonly of: Preempt }[];
  readonly xTitle: string;
  readonly yTitle: string;
  readonly limits: readonly Threshold[];
}

function scatter({ id, title, note, points, xTitle, yTitle, limits }: Scatter): Chart {
  const rows = points.map(({ x, y, of }) => ({ x, y, kind: of.replayed ? 'replayed' : 'failed' }));
  const hits = points.map(({ x, y, of }) => ({ x, y, tip: tipOf(of) }));
  const encoding = encodingOf({ points, xTitle, yTitle, limits });
  return {
    id,
    title,
    notes: [note],
    legend: [
      { ink: 'admitted', shape: 'point', label: 'replayed' },
      { ink: 'late', shape: 'point', label: 'not replayed' },
    ],
    summary: `${title} for ${plural(points.length, 'preempt')}.`,
    drawing: {
      height: CHART_HEIGHT,
      headroom: headroomFor([]),
      layers: [
        {
          data: { values: rows },
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
          data: { values: hits },
          mark: { type: 'circle', size: 120, fill: 'transparent', opacity: 1 },
          encoding: { ...encoding, tooltip: { field: 'tip', type: 'nominal' } },
        },
      ],
    },
  };
}

function encodingOf({
  points,
  xTitle,
  yTitle,
  limits,
}: Pick<Scatter, 'points' | 'xTitle' | 'yTitle' | 'limits'>) {
  const right = Math.max(1, ...points.map(({ x }) => x));
  const ys = [...points.map(({ y }) => y), ...limits.map(({ at }) => at)];
  return {
    x: {
      field: 'x',
      type: 'quantitative' as const,
      scale: { domain: [-0.03 * right, right * 1.04], nice: false },
      axis: { title: xTitle, values: roundTicks(right) },
    },
    y: {
      field: 'y',
      type: 'quantitative' as const,
      scale: { domain: [Math.min(0, ...ys), Math.max(1, ...ys) * 1.1] },
      axis: { title: yTitle, tickCount: 5 },
    },
  };
}

function tipOf(each: Preempt): string {
  return [
    `request ${each.seq} at ${seconds(each.tS)}`,
    `restart tokens ${count(each.restartTokens)}`,
    `wasted tokens ${count(each.wastedTokens)}`,
    `queue age ${seconds(each.queueAgeS)}`,
    `slack of the task ${seconds(each.taskSlackS ?? null)}`,
    `slack of the gate ${seconds(each.slackS)}`,
    each.replayed ? 'replayed' : 'not replayed',
  ].join('\n');
}

function restartLimit({ scenario }: Result): Threshold[] {
  const { taskBudgetTokens, restartFraction } = scenario.resolved.gate;
  if (taskBudgetTokens === null) return [];
  const at = taskBudgetTokens * restartFraction;
  return [{ at, label: `restartFraction ${setNumber(restartFraction)} = ${count(at)} tokens` }];
}

/** Below it a task is too old to be started again. */
function ageLimit({ scenario }: Result): Threshold[] {
  const { gate, classes } = scenario.resolved;
  const deadlines = Object.values(classes).flatMap(({ deadlineS }) => deadlineS ?? []);
  const [deadlineS, ...others] = [...new Set(deadlines)];
  const { queueAgeFraction } = gate;
  if (queueAgeFraction === null || deadlineS === undefined || others.length > 0) return [];
  const at = (1 - queueAgeFraction) * deadlineS;
  return [
    { at, label: `queueAgeFraction ${setNumber(queueAgeFraction)}: ${seconds(at)} must be left` },
  ];
}
