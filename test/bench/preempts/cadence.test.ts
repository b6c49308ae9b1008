/**
 * Runbook 001's rule of thumb, checked: "You pick the gap from slack, not from comfort. If slack is
 * thirty seconds, checkpoint more often. If slack is fifteen minutes, checkpoint less often."
 * `npx vitest run --mode bench test/bench/preempts` prints the table of docs/preempts.md, in about
 * a minute.
 */
import { expect, it } from 'vitest';
import { evaluateTask } from '../../../src/commands/evaluate-task.ts';
import { loadScenario } from '../../../src/scenario/load.ts';
import { resolveScenario } from '../../../src/scenario/resolve.ts';
import type { Scenario } from '../../../src/scenario/types.ts';
import { underSetting } from '../../../src/tune/setting.ts';
import { textTable } from '../../../src/tune/text-table.ts';

const RUNS = 60;
const GAPS = [10, 25, 50, 100, 150, 200, 300, 600];
/** Of 30 s of service: deadlines that leave so much slack. */
const SLACKS_S = [30, 90, 900];
const RATES_PER_S = [0.005, 0.02, 0.05];
/** A gap is as good as the best where its goodput is within this. */
const FLAT = 0.01;

/** The night with the restart rules off: what is judged is the gap alone. */
async function night(): Promise<Scenario> {
  const { input } = await loadScenario('preempt-night');
  const sets = [
    'gate.maxPreempts=null',
    'gate.taskBudgetTokens=null',
    'gate.queueAgeFraction=null',
  ];
  return resolveScenario({ input, env: {}, flags: {}, sets });
}

interface Row {
  readonly slackS: number;
  readonly perS: number;
  /** By gap, in the order of GAPS: means over the runs. */
  readonly goodput: readonly number[];
  readonly restarted: readonly number[];
  readonly best: number;
  readonly flat: readonly number[];
}

async function rowOf(base: Scenario, slackS: number, perS: number): Promise<Row> {
  const deadlineS = 30 + slackS;
  const scenarios = GAPS.map((gap) =>
    underSetting(base, {
      sloS: deadlineS,
      'classes.batch.deadlineS': deadlineS,
      'model.preempts.perS': perS,
      'model.checkpointTokens': gap,
    }),
  );
  const runs = await evaluateTask({
    scenarios,
    figures: 'all',
    from: 0,
    to: RUNS,
  });
  const means = (path: string) =>
    runs.map((each) => each.reduce((sum, run) => sum + (run[path] ?? 0), 0) / each.length);
  const goodput = means('rates.goodput');
  const top = Math.max(...goodput);
  const flat = GAPS.filter((_, i) => top - (goodput[i] ?? 0) <= FLAT);
  const best = GAPS[goodput.indexOf(top)] ?? 0;
  return { slackS, perS, goodput, restarted: means('tokens.restarted'), best, flat };
}

it('finds the best gap, and how far slack and preempt rate move it', async () => {
  const base = await night();
  const rows: Row[] = [];
  for (const slackS of SLACKS_S)
    for (const perS of RATES_PER_S) rows.push(await rowOf(base, slackS, perS));
  const head = ['slack s', 'preempts/s', ...GAPS.map(String), 'best', 'within 1 %'];
  const lines = rows.map((row) => [
    String(row.slackS),
    String(row.perS),
    ...row.goodput.map((value) => (100 * value).toFixed(1)),
    String(row.best),
    row.flat.length === 0 ? '-' : `${row.flat[0]} to ${row.flat.at(-1)}`,
  ]);
  process.stdout.write(`goodput in % by checkpoint gap in tokens\n${textTable([head, ...lines])}`);
  for (const row of rows) {
    // More preempts at the same gap redo more.
    expect(row.restarted.every((value) => value > 0)).toBe(true);
    // Neither the shortest gap nor none at all: a checkpoint costs, and so does its absence.
    if (row.slackS < 900) {
      expect(row.best).toBeGreaterThan(10);
      expect(row.best).toBeLessThan(600);
    }
  }
  const widthOf = (slackS: number) =>
    rows.filter((row) => row.slackS === slackS).reduce((sum, { flat }) => sum + flat.length, 0);
  // What slack buys is room for a poor gap, not another best one.
  expect(widthOf(900)).toBeGreaterThan(widthOf(30));
}, 300_000);
