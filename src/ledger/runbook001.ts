/**
 * The gate's ledger in the events and field names of runbook 001 ("compute slack from the ledger,
 * not dashboards"): one event for each thing that happened to a task. Its `queue_age` is a task's
 * own age, our `task_age`.
 */
import type { AdmissionConfig, Effect, Input } from '../admission/types.ts';
import { msFromUs } from '../units.ts';
import type { GateLine } from './lines.ts';

/** A line of runbook 001's ledger. Fields stand in its order. */
export interface TaskEvent {
  readonly event: 'admit' | 'reject' | 'preempt' | 'checkpoint' | 'complete' | 'drain';
  readonly reason?: string;
  readonly task_id: string;
  readonly queue_age_ms?: number;
  readonly deadline_slack_ms?: number;
  readonly wasted_tokens?: number;
  readonly restart_tokens?: number;
  readonly task_budget?: number;
  readonly preempts?: number;
  readonly checkpoint_tokens?: number;
  readonly output_tokens?: number;
  /** The utilization that the runbook warns of: what the machine looked like at the preempt. */
  readonly gpu_util_lie?: number;
  readonly action?: string;
  readonly ts_ms: number;
}

interface Task {
  readonly id: string;
  readonly arrivedUs: number;
  readonly deadlineUs: number | null;
  granted: boolean;
  tokens: number;
  preempts: number;
  restartTokens: number;
}

/** The latest share of capacity in use; undefined before two readings. */
interface Busy {
  atUs: number;
  computeUs: number;
  share: number | undefined;
}

type EffectOf<T extends Effect['type']> = Extract<Effect, { type: T }>;
type InputOf<T extends Input['type']> = Extract<Input, { type: T }>;

/** Turns the lines of a gate's ledger into runbook 001's events, one by one. */
export class Runbook001 {
  private readonly tasks = new Map<number, Task>();
  private readonly busy: Busy = { atUs: 0, computeUs: 0, share: undefined };

  constructor(private readonly config: AdmissionConfig) {}

  take(line: GateLine): TaskEvent[] {
    if ('in' in line) return this.input(line.in, line.t);
    if ('out' in line) return this.effect(line.out);
    this.reading(line.t, line.busy);
    return [];
  }

  private reading(atUs: number, computeUs: number): void {
    const { busy, config } = this;
    const capacityUs = (atUs - busy.atUs) * config.policy.slots;
    if (capacityUs > 0) busy.share = (computeUs - busy.computeUs) / capacityUs;
    busy.atUs = atUs;
    busy.computeUs = computeUs;
  }

  private input(input: Input, t: number): TaskEvent[] {
    if (input.type === 'arrive') return this.arrive(input, t);
    const task = 'id' in input ? this.tasks.get(input.id) : undefined;
    if (task === undefined) return [];
    switch (input.type) {
      case 'progress':
        task.tokens = input.tokens;
        return [];
      case 'preempted':
        return this.preempted(task, input, t);
      case 'release':
        this.tasks.delete(input.id);
        return [this.released(task, input, t)];
      case 'cancel':
        this.tasks.delete(input.id);
        return [drain(task, 'client_gone', t)];
      default:
        return [];
    }
  }

  private arrive({ id, seq, class: name, deadlineUs }: InputOf<'arrive'>, t: number): TaskEvent[] {
    this.tasks.set(id, {
      id: `${name}-${String(seq).padStart(4, '0')}`,
      arrivedUs: t,
      deadlineUs: deadlineUs ?? this.config.classes[name]?.deadlineUs ?? null,
      granted: false,
      tokens: 0,
      preempts: 0,
      restartTokens: 0,
    });
    return [];
  }

  private preempted(task: Task, input: InputOf<'preempted'>, t: number): TaskEvent[] {
    const { promptTokens, outputTokens, checkpointTokens } = input;
    const wasted = Math.max(0, promptTokens + outputTokens - checkpointTokens);
    task.restartTokens += wasted;
    task.preempts++;
    task.tokens = checkpointTokens;
    const checkpoint = { event: 'checkpoint', task_id: task.id } as const;
    const { share } = this.busy;
    const preempt: TaskEvent = {
      event: 'preempt',
      task_id: task.id,
      wasted_tokens: wasted,
      restart_tokens: task.restartTokens,
      preempts: task.preempts,
      ...ageAndSlack(task, t),
      ...(share === undefined ? {} : { gpu_util_lie: Number(share.toFixed(4)) }),
      ts_ms: msFromUs(t),
    };
    if (checkpointTokens === 0) return [preempt];
    return [{ ...checkpoint, checkpoint_tokens: checkpointTokens, ts_ms: msFromUs(t) }, preempt];
  }

  private released(task: Task, { outcome }: InputOf<'release'>, t: number): TaskEvent {
    if (outcome === 'failed') return drain(task, 'upstream_failed', t);
    return {
      event: 'complete',
      task_id: task.id,
      output_tokens: task.tokens,
      restart_tokens: task.restartTokens,
      ts_ms: msFromUs(t),
    };
  }

  private effect(effect: Effect): TaskEvent[] {
    const task = effect.type === 'drained' ? undefined : this.tasks.get(effect.id);
    if (task === undefined) return [];
    const { atUs } = effect;
    switch (effect.type) {
      case 'granted':
      case 'replay':
        return [admit(task, atUs)];
      case 'rejected':
      case 'expired':
        this.tasks.delete(effect.id);
        return [this.reject(task, effect)];
      case 'failed':
        this.tasks.delete(effect.id);
        return [this.reject(task, effect), drain(task, 'fail_task_not_replay', atUs)];
      case 'killed':
        this.tasks.delete(effect.id);
        return [drain(task, effect.code, atUs)];
      default:
        return [];
    }
  }

  private reject(task: Task, effect: EffectOf<'rejected' | 'expired' | 'failed'>): TaskEvent {
    const { atUs, code } = effect;
    const reason = code === 'task_age' ? 'queue_age' : code;
    const head = { event: 'reject', reason, task_id: task.id } as const;
    const { restartTokens: restart_tokens, preempts } = task;
    const ts_ms = msFromUs(atUs);
    if (code === 'preempt_budget') return { ...head, restart_tokens, preempts, ts_ms };
    if (code !== 'restart_tokens') return { ...head, ...ageAndSlack(task, atUs), ts_ms };
    const { taskBudgetTokens } = this.config.policy;
    const budget = taskBudgetTokens === null ? {} : { task_budget: taskBudgetTokens };
    return { ...head, restart_tokens, ...budget, ts_ms };
  }
}

function admit(task: Task, atUs: number): TaskEvent {
  const { id: task_id, preempts } = task;
  return { event: 'admit', task_id, ...ageAndSlack(task, atUs), preempts, ts_ms: msFromUs(atUs) };
}

function drain(task: Task, action: string, atUs: number): TaskEvent {
  return { event: 'drain', task_id: task.id, action, ts_ms: msFromUs(atUs) };
}

/** The runbook's slack: the deadline less the task's age. */
function ageAndSlack({ arrivedUs, deadlineUs }: Task, atUs: number) {
  const ageUs = atUs - arrivedUs;
  const queue_age_ms = msFromUs(ageUs);
  if (deadlineUs === null) return { queue_age_ms };
  return { queue_age_ms, deadline_slack_ms: msFromUs(deadlineUs - ageUs) };
}

/** What to do about a task, from the last event of its ledger. */
export interface TaskAction {
  readonly taskId: string;
  readonly action: 'reject' | 'hold' | 'drain' | 'done';
  readonly reason: string | null;
  readonly restartTokens: number | null;
}

/**
 * The last event of each task and the action that it means: a rejected task stays rejected, a
 * drained one is drained, a complete one is done, any other is held. The runbook's script has one
 * word for the last two, which would ask to hold what has ended. Reason and tokens are the last
 * that were said.
 */
export function lastPerTask(events: Iterable<TaskEvent>): TaskAction[] {
  const last = new Map<string, TaskAction>();
  for (const event of events) {
    const before = last.get(event.task_id);
    last.set(event.task_id, {
      taskId: event.task_id,
      action: actionOf(event.event),
      reason: event.reason ?? (event.event === 'drain' ? (before?.reason ?? null) : null),
      restartTokens: event.restart_tokens ?? before?.restartTokens ?? null,
    });
  }
  return [...last.values()];
}

function actionOf(event: TaskEvent['event']): TaskAction['action'] {
  if (event === 'reject' || event === 'drain') return event;
  return event === 'complete' ? 'done' : 'hold';
}

/** Queue age against restart tokens, one pair for each event that speaks of tokens. */
export interface RestartPair {
  readonly taskId: string;
  /** The task's own age; null where its ledger never said one. */
  readonly queueAgeMs: number | null;
  readonly restartTokens: number;
}

/** "Send ledger pairs: paste queue_age_ms versus restart_tokens" (runbook 001). */
export function restartPairs(events: Iterable<TaskEvent>): RestartPair[] {
  const ages = new Map<string, number>();
  const pairs: RestartPair[] = [];
  for (const { task_id: taskId, queue_age_ms: age, restart_tokens: restartTokens } of events) {
    if (age !== undefined) ages.set(taskId, age);
    if (restartTokens === undefined) continue;
    pairs.push({ taskId, queueAgeMs: ages.get(taskId) ?? null, restartTokens });
  }
  return pairs;
}
