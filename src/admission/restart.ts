import { sFromUs } from '../units.ts';
import { deadlineOf, type Ticket } from './ticket.ts';
import type { Policy, Refusal } from './types.ts';

/**
 * The rules of runbook 001's `admit`, in its order: slack, age, preempts, restart tokens. Its slack
 * is the deadline less the task's age, without remaining compute.
 */

const NOT_REPLAYED: Refusal = { code: 'preempt_budget', reason: 'class is not replayed' };

/** At dispatch: is this task still worth a slot? Asked where `queueAgeFraction` is set. */
export function dispatchRefusal(
  ticket: Ticket,
  policy: Policy,
  nowUs: number,
): Refusal | undefined {
  return policy.queueAgeFraction === null ? undefined : ageRefusal(ticket, policy, nowUs);
}

/**
 * After a preempt: may this task start again?
 * @param enforced false: only a class that is never replayed may not
 */
export function restartRefusal(
  ticket: Ticket,
  policy: Policy,
  enforced: boolean,
  nowUs: number,
): Refusal | undefined {
  const refusal = enforced
    ? (ageRefusal(ticket, policy, nowUs) ?? wasteRefusal(ticket, policy))
    : undefined;
  return refusal ?? (ticket.of.rules.replay ? undefined : NOT_REPLAYED);
}

function ageRefusal(ticket: Ticket, policy: Policy, nowUs: number): Refusal | undefined {
  const deadlineUs = deadlineOf(ticket);
  if (deadlineUs === null) return undefined;
  const ageUs = nowUs - ticket.arrivedUs;
  if (ageUs >= deadlineUs) return slackZero(deadlineUs);
  const share = policy.queueAgeFraction;
  if (share === null || ageUs <= share * deadlineUs) return undefined;
  return { code: 'task_age', reason: `task_age_seconds above ${sFromUs(share * deadlineUs)}` };
}

function wasteRefusal(ticket: Ticket, policy: Policy): Refusal | undefined {
  const { maxPreempts, taskBudgetTokens, restartFraction } = policy;
  if (maxPreempts !== null && ticket.preempts >= maxPreempts) {
    return { code: 'preempt_budget', reason: `preempts at ${maxPreempts}` };
  }
  if (taskBudgetTokens === null) return undefined;
  const most = restartFraction * taskBudgetTokens;
  if (ticket.restartTokens <= most) return undefined;
  return { code: 'restart_tokens', reason: `restart_tokens above ${most}` };
}

/** No time is left. @param deadlineUs from arrival to the end of the work */
export function slackZero(deadlineUs: number): Refusal {
  return { code: 'slack_zero', reason: `deadline_seconds ${sFromUs(deadlineUs)} used up` };
}

/** Prompt and output that must be made again: runbook 001's `on_preempt`. */
export function wastedTokens(prompt: number, output: number, checkpoint: number): number {
  return Math.max(prompt + output - checkpoint, 0);
}
