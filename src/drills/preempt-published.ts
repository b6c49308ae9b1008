/**
 * Runbook 001's drill as it was published: one task, decoded 20 tokens a tick with a checkpoint
 * every 100, preempted after two ticks where SIMULATE_PREEMPT is 1. Its rules are the ones that the
 * admission machine has; here they stand in the script's own order and words, to be set beside it.
 */

const PROMPT_TOKENS = 800;
const OUTPUT_TOKENS = 200;
const TICK_TOKENS = 20;
const CHECKPOINT_TOKENS = 100;
const PREEMPT_AFTER_TICKS = 2;
const GPU_UTIL_LIE = 0.04;
const TASK_ID = 'batch-0214';

/** The script's environment: DEADLINE_MS, TASK_BUDGET, QUEUE_AGE_FRAC, RESTART_FRAC, MAX_PREEMPTS, SIMULATE_PREEMPT. */
export interface PublishedPreemptOptions {
  readonly deadlineMs: number;
  readonly taskBudget: number;
  readonly queueAgeFraction: number;
  readonly restartFraction: number;
  readonly maxPreempts: number;
  readonly simulatePreempt: boolean;
}

/** What the script uses where its environment says nothing. */
export const PUBLISHED_PREEMPT: PublishedPreemptOptions = {
  deadlineMs: 120_000,
  taskBudget: 1000,
  queueAgeFraction: 0.5,
  restartFraction: 0.2,
  maxPreempts: 2,
  simulatePreempt: false,
};

/** One line of the script's ledger, in its own field names. */
export type PublishedEvent = Readonly<Record<string, string | number>>;

interface Task {
  outputTokens: number;
  restartTokens: number;
  preempts: number;
  checkpointTokens: number;
}

/**
 * The events of one run of the published script, time stamps left out.
 * @param ageMs milliseconds since the task was enqueued; asked at each event, as the script does
 */
export function publishedPreempt(
  options: PublishedPreemptOptions,
  ageMs: () => number,
): PublishedEvent[] {
  const task: Task = { outputTokens: 0, restartTokens: 0, preempts: 0, checkpointTokens: 0 };
  const events = [admission(task, options, ageMs())];
  let ticks = 0;
  while (events.at(-1)?.event !== 'reject' && task.outputTokens < OUTPUT_TOKENS) {
    if (options.simulatePreempt && ticks === PREEMPT_AFTER_TICKS) {
      events.push(preempt(task, options, ageMs()), admission(task, options, ageMs()));
      if (events.at(-1)?.event === 'reject') {
        events.push({ event: 'drain', task_id: TASK_ID, action: 'fail_task_not_replay' });
        return events;
      }
    }
    events.push(...decodeTick(task));
    ticks++;
  }
  return events.at(-1)?.event === 'reject' ? events : [...events, completion(task)];
}

function admission(task: Task, options: PublishedPreemptOptions, ageMs: number): PublishedEvent {
  const slackMs = options.deadlineMs - ageMs;
  const wait = { queue_age_ms: ageMs, deadline_slack_ms: slackMs };
  if (slackMs <= 0) return rejection('slack_zero', wait);
  if (ageMs > options.queueAgeFraction * options.deadlineMs) return rejection('queue_age', wait);
  const { preempts, restartTokens } = task;
  if (preempts >= options.maxPreempts) {
    return rejection('preempt_budget', { preempts, restart_tokens: restartTokens });
  }
  if (restartTokens > options.restartFraction * options.taskBudget) {
    const budget = { restart_tokens: restartTokens, task_budget: options.taskBudget };
    return rejection('restart_tokens', budget);
  }
  return { event: 'admit', task_id: TASK_ID, ...wait, preempts };
}

function rejection(reason: string, facts: Record<string, number>): PublishedEvent {
  return { event: 'reject', reason, task_id: TASK_ID, ...facts };
}

function preempt(
  task: Task,
  { deadlineMs }: PublishedPreemptOptions,
  ageMs: number,
): PublishedEvent {
  const wasted = PROMPT_TOKENS + task.outputTokens - task.checkpointTokens;
  task.restartTokens += Math.max(wasted, 0);
  task.preempts++;
  task.outputTokens = task.checkpointTokens;
  return {
    event: 'preempt',
    task_id: TASK_ID,
    wasted_tokens: wasted,
    restart_tokens: task.restartTokens,
    preempts: task.preempts,
    deadline_slack_ms: deadlineMs - ageMs,
    gpu_util_lie: GPU_UTIL_LIE,
  };
}

function decodeTick(task: Task): PublishedEvent[] {
  task.outputTokens += TICK_TOKENS;
  if (task.outputTokens % CHECKPOINT_TOKENS !== 0) return [];
  task.checkpointTokens = task.outputTokens;
  return [{ event: 'checkpoint', task_id: TASK_ID, checkpoint_tokens: task.checkpointTokens }];
}

function completion({ outputTokens, restartTokens }: Task): PublishedEvent {
  return {
    event: 'complete',
    task_id: TASK_ID,
    output_tokens: outputTokens,
    restart_tokens: restartTokens,
  };
}
