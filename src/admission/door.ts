import { deadlineSlack } from './rules/deadline-slack.ts';
import { interactiveCap, interactiveCapOf, isCapped } from './rules/interactive-cap.ts';
import { predictedWait, wouldWait } from './rules/predicted-wait.ts';
import { isTooOld, queueAge } from './rules/queue-age.ts';
import { isFull, MAY_NOT_QUEUE, queueCapacity } from './rules/queue-capacity.ts';
import { isTooDeep, queueDepth } from './rules/queue-depth.ts';
import { isSpent, retryBudget } from './rules/retry-budget.ts';
import type { Rule } from './rules/rule.ts';
import { stopOf } from './rules/stop.ts';
import type { ClassState } from './ticket.ts';
import type { GateRequest, Policy, Refusal, View } from './types.ts';

/** What a policy comes to, worked out once when it is set. */
export interface Door {
  /** Refuses everyone: draining, upstream down, emergency stop. */
  readonly stop: Refusal | undefined;
  /** True: no rule is asked. */
  readonly bypass: boolean;
  /** False: verdicts of rules and limits are logged, or not even made. */
  readonly enforced: boolean;
  readonly shadow: boolean;
  readonly drains: boolean;
  /** Limits in force; Infinity: none. */
  readonly maxWaitUs: number;
  readonly maxHoldUs: number;
  readonly interactiveCap: number;
  /** Whether the deadline-slack verdict has to be kept. */
  readonly watchesSlack: boolean;
  readonly queueAge: Rule;
  readonly queueDepth: Rule;
  readonly queueCapacity: Rule;
  readonly deadlineSlack: Rule;
  readonly cap: Rule;
  readonly retryBudget: Rule;
  readonly predictedWait: Rule;
}

/** Works a policy out. */
export function doorOf(policy: Policy): Door {
  const bypass = policy.mode === 'admit-always';
  const shadow = policy.mode === 'shadow';
  const enforced = !bypass && !shadow;
  const slack = deadlineSlack(policy);
  return {
    stop: stopOf(policy),
    bypass,
    enforced,
    shadow,
    drains: policy.mode === 'drain',
    maxWaitUs: enforced ? (policy.maxWaitUs ?? Infinity) : Infinity,
    maxHoldUs: enforced ? (policy.maxHoldUs ?? Infinity) : Infinity,
    interactiveCap: enforced ? interactiveCapOf(policy) : Infinity,
    watchesSlack: !bypass && slack.most < Infinity,
    queueAge: queueAge(policy),
    queueDepth: queueDepth(policy),
    queueCapacity: queueCapacity(policy),
    deadlineSlack: slack,
    cap: interactiveCap(policy),
    retryBudget: retryBudget(policy),
    predictedWait: predictedWait(policy),
  };
}

/**
 * The first rule that refuses. The order is part of the contract: it names the reason. Written out,
 * not a list of functions, for it is asked of every arrival of millions.
 */
export function firstRefusal(
  door: Door,
  view: View,
  request: GateRequest,
  of: ClassState,
  nowUs: number,
): Refusal | undefined {
  if (isTooOld(view, door.queueAge, nowUs)) return door.queueAge.refusal;
  let refusal = view.leased >= view.policy.slots ? queueRefusal(door, view, of) : undefined;
  if (refusal !== undefined) return refusal;
  if (of.isInteractive) refusal = interactiveRefusal(door, view, request);
  if (refusal !== undefined) return refusal;
  if (wouldWait(view, request.class, door.predictedWait, nowUs)) return door.predictedWait.refusal;
  return undefined;
}

/** Asked of who would have to queue. */
function queueRefusal(door: Door, view: View, { rules }: ClassState): Refusal | undefined {
  if (isTooDeep(view, door.queueDepth)) return door.queueDepth.refusal;
  if (!rules.mayQueue) return MAY_NOT_QUEUE;
  return isFull(view, door.queueCapacity) ? door.queueCapacity.refusal : undefined;
}

function interactiveRefusal(door: Door, view: View, request: GateRequest): Refusal | undefined {
  if (view.slackClosed) return door.deadlineSlack.refusal;
  if (isCapped(view, door.cap)) return door.cap.refusal;
  if (isSpent(request, door.retryBudget)) return door.retryBudget.refusal;
  return undefined;
}
