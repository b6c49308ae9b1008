import { deadlineSlack } from './rules/deadline-slack.ts';
import { interactiveCap, interactiveCapOf } from './rules/interactive-cap.ts';
import { predictedWait } from './rules/predicted-wait.ts';
import { queueAge } from './rules/queue-age.ts';
import { queueCapacity } from './rules/queue-capacity.ts';
import { queueDepth } from './rules/queue-depth.ts';
import { retryBudget } from './rules/retry-budget.ts';
import { stopOf } from './rules/stop.ts';
import type { Policy, Refusal, Rule } from './types.ts';

/** The rules at the door. The order is part of the contract: the first that refuses names the reason. */
const RULES: readonly ((policy: Policy) => Rule | undefined)[] = [
  queueAge,
  queueDepth,
  queueCapacity,
  deadlineSlack,
  interactiveCap,
  retryBudget,
  predictedWait,
];

/** What a policy comes to, worked out once when it is set, so that an arrival meets only the rules that are on. */
export interface Door {
  /** Refuses everyone: draining, upstream down, emergency stop. */
  readonly stop: Refusal | undefined;
  readonly rules: readonly Rule[];
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
}

/** Works a policy out. */
export function doorOf(policy: Policy): Door {
  const bypass = policy.mode === 'admit-always';
  const shadow = policy.mode === 'shadow';
  const enforced = !bypass && !shadow;
  return {
    stop: stopOf(policy),
    rules: bypass ? [] : RULES.map((rule) => rule(policy)).filter((rule) => rule !== undefined),
    enforced,
    shadow,
    drains: policy.mode === 'drain',
    maxWaitUs: enforced ? (policy.maxWaitUs ?? Infinity) : Infinity,
    maxHoldUs: enforced ? (policy.maxHoldUs ?? Infinity) : Infinity,
    interactiveCap: enforced ? interactiveCapOf(policy) : Infinity,
    watchesSlack: !bypass && deadlineSlack(policy) !== undefined,
  };
}
