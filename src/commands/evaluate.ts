import { existsSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Tinypool from 'tinypool';
import type { Figures } from '../result/figures.ts';
import type { Evaluate, Evaluated, Evaluation } from '../tune/evaluate.ts';
import { evaluateTask, type Task } from './evaluate-task.ts';

/** Plays evaluations until it is closed. */
export interface Evaluator {
  readonly evaluate: Evaluate;
  close(): Promise<void>;
}

/** Runs below which a thread costs more than it saves, where none runs yet. */
const WORTH_A_THREAD = 200;
/** Parts for each thread, so that a slow one does not hold up the others. */
const PARTS_PER_THREAD = 3;
/** Runs between which other work of this thread has its turn. */
const RUNS_OF_A_TURN = 100;

interface EvaluatorOptions {
  /** Runs below which no thread is started: fewer where each is long. */
  readonly worthAThread?: number;
  /** Told how many runs were played, part by part. */
  readonly played?: (runs: number) => void;
}

/**
 * Plays in worker threads; the figures are the same to the last bit whatever their number.
 * @param workers threads; 1: in this one
 * @param file the built worker; absent when the command runs from its sources, which no thread can load
 */
export function createEvaluator(
  workers: number,
  file: string = workerFile(),
  { worthAThread = WORTH_A_THREAD, played }: EvaluatorOptions = {},
): Evaluator {
  const threads = existsSync(file) ? workers : 1;
  let pool: Tinypool | undefined;
  return {
    async evaluate(evaluation) {
      const runs = evaluation.scenarios.length * evaluation.replications;
      const isSmall = pool === undefined && runs < worthAThread;
      if (threads < 2 || isSmall || runs < 2) return playedHere(evaluation, played);
      pool ??= new Tinypool({ filename: file, minThreads: threads, maxThreads: threads });
      const running = pool;
      const parts = await Promise.all(
        partsOf(evaluation, threads * PARTS_PER_THREAD).map(async (part): Promise<Played> => {
          const of: Evaluated = await running.run(part.task, { name: 'evaluateTask' });
          played?.(runsOf(part.task));
          return { ...part, runs: of };
        }),
      );
      return joined(evaluation, parts);
    },
    async close() {
      await pool?.destroy();
    },
  };
}

/** Part by part, so that whoever tells of the progress has a turn. */
async function playedHere(
  evaluation: Evaluation,
  played: EvaluatorOptions['played'],
): Promise<Evaluated> {
  const { scenarios, replications } = evaluation;
  const parts: Played[] = [];
  for (const part of partsOf(evaluation, (scenarios.length * replications) / RUNS_OF_A_TURN)) {
    if (parts.length > 0) await nextTurn();
    parts.push({ ...part, runs: evaluateTask(part.task) });
    played?.(runsOf(part.task));
  }
  return joined(evaluation, parts);
}

function workerFile(): string {
  return fileURLToPath(new URL('./tune-worker.js', import.meta.url));
}

/** Some replications of some scenarios, which begin at `first`. */
interface Part {
  readonly task: Task;
  readonly first: number;
}

interface Played extends Part {
  readonly runs: Evaluated;
}

/** Replications are parted first: the scenarios of a part share the arrivals of each. */
function partsOf({ replications, scenarios, ...rest }: Evaluation, wanted: number): Part[] {
  const byReplication = rangesOf(replications, wanted);
  const byScenario = rangesOf(scenarios.length, wanted / byReplication.length);
  return byScenario.flatMap(([first, last]) =>
    byReplication.map(([from, to]) => ({
      first,
      task: { ...rest, scenarios: scenarios.slice(first, last), from, to },
    })),
  );
}

/** `n` things in at most so many ranges of about one length. */
function rangesOf(n: number, wanted: number): (readonly [from: number, to: number])[] {
  const parts = Math.max(1, Math.min(n, Math.ceil(wanted)));
  const at = (i: number) => Math.floor((i * n) / parts);
  return Array.from({ length: parts }, (_, i) => [at(i), at(i + 1)] as const);
}

function runsOf({ scenarios, from, to }: Task): number {
  return scenarios.length * (to - from);
}

/** By scenario, its replications in order. */
function joined({ scenarios }: Evaluation, parts: readonly Played[]): Evaluated {
  const runs: Figures[][] = scenarios.map(() => []);
  for (const { first, runs: ofPart } of parts) {
    for (const [i, of] of ofPart.entries()) runs[first + i]?.push(...of);
  }
  return runs;
}
