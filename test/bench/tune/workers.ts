/**
 * How many times as fast two worker threads are as one, on the same settings of the rush, turn and
 * turn about in one run. Each has done its warm-up. The median of the ratios is the figure. Where
 * others have the cores, the ratio says nothing: then what two threads take of the processor beside
 * one says what they could gain at most.
 *
 * `npx tsx test/bench/tune/workers.ts [--rounds 7]`
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createEvaluator, type Evaluator } from '../../../src/commands/evaluate.ts';
import { loadScenario } from '../../../src/scenario/load.ts';
import { resolveScenario } from '../../../src/scenario/resolve.ts';
import type { Evaluation } from '../../../src/tune/evaluate.ts';
import { underSetting } from '../../../src/tune/setting.ts';
import { withWorkerFile } from './threads.ts';

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } });
const SETTINGS = 64;
const REPLICATIONS = 100;

async function work(): Promise<Evaluation> {
  const { input } = await loadScenario('rush');
  const rush = resolveScenario({ input, env: {}, flags: {}, sets: [] });
  const scenarios = Array.from({ length: SETTINGS }, (_, i) =>
    underSetting(rush, { 'gate.maxWaitS': 5 + 5 * i }),
  );
  return { scenarios, replications: REPLICATIONS, figures: 'requests' };
}

interface Cost {
  readonly wallS: number;
  /** Of all threads. */
  readonly cpuS: number;
}

async function costOf({ evaluate }: Evaluator, evaluation: Evaluation): Promise<Cost> {
  const from = performance.now();
  const before = process.cpuUsage();
  await evaluate(evaluation);
  const { user, system } = process.cpuUsage(before);
  return { wallS: (performance.now() - from) / 1000, cpuS: (user + system) / 1e6 };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

await withWorkerFile(async (file) => {
  const evaluation = await work();
  const one = createEvaluator(1, file);
  const two = createEvaluator(2, file);
  try {
    for (const evaluator of [one, two]) await costOf(evaluator, evaluation);
    const ratios: number[] = [];
    const cpu: number[] = [];
    for (let round = 0; round < Number(options.rounds); round++) {
      const [alone, both] = [await costOf(one, evaluation), await costOf(two, evaluation)];
      ratios.push(alone.wallS / both.wallS);
      cpu.push(both.cpuS / alone.cpuS);
      console.error(
        `one ${alone.wallS.toFixed(2)} s (cpu ${alone.cpuS.toFixed(2)}), two ${both.wallS.toFixed(2)} s (cpu ${both.cpuS.toFixed(2)})`,
      );
    }
    const [load = 0] = loadavg();
    console.log(
      `${SETTINGS * REPLICATIONS} runs of the rush: two threads are ${medianOf(ratios).toFixed(2)} times as fast as one and take ${medianOf(cpu).toFixed(2)} times the processor, so at most ${(2 / medianOf(cpu)).toFixed(2)} on idle cores; load of the machine ${load.toFixed(1)}`,
    );
  } finally {
    await two.close();
  }
});
