import { existsSync } from 'node:fs';
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

/**
 * Plays in worker threads; the figures are the same to the last bit whatever their number.
 * @param workers threads; 1: in this one
 * @param file the built worker; absent when the command runs from its sources, which no thread can load
 */
export function createEvaluator(workers: number, file: string = workerFile()): Evaluator {
  const threads = existsSync(file) ? workers : 1;
  let pool: Tinypool | undefined;
  return {
    async evaluate(evaluation) {
      const runs = evaluation.scenarios.length * evaluation.replications;
      const isSmall = pool === undefined && runs < WORTH_A_THREAD;
      if (threads < 2 || isSmall || evaluation.replications < 2) {
        return evaluateTask({ ...evaluation, from: 0, to: evaluation.replications });
      }
      pool ??= new Tinypool({ filename: file, minThreads: threads, maxThreads: threads });
      const running = pool;
      const parts = await Promise.all(
        partsOf(evaluation, threads).map(
          (task): Promise<Evaluated> => running.run(task, { name: 'evaluateTask' }),
        ),
      );
      return evaluation.scenarios.map((_, i) =>
        parts.flatMap((part): readonly Figures[] => part[i] ?? []),
      );
    },
    async close() {
      await pool?.destroy();
    },
  };
}

function workerFile(): string {
  return fileURLToPath(new URL('./tune-worker.js', import.meta.url));
}

function partsOf({ replications, ...rest }: Evaluation, threads: number): Task[] {
  const parts = Math.min(replications, threads * PARTS_PER_THREAD);
  return Array.from({ length: parts }, (_, i) => ({
    ...rest,
    from: Math.floor((i * replications) / parts),
    to: Math.floor(((i + 1) * replications) / parts),
  }));
}
