import type { Policy, Refusal, View } from '../types.ts';
import { type Rule, ruleOf } from './rule.ts';

/** What a class that may not queue is told. */
export const MAY_NOT_QUEUE: Refusal = {
  code: 'queue_capacity',
  reason: 'no free slot and may not queue',
};

/** Refuse who would have to queue where the queue is full. */
export function queueCapacity({ queueCapacity }: Policy): Rule {
  return ruleOf(queueCapacity, 'queue_capacity', `queue_capacity ${queueCapacity} reached`);
}

/** Asked while all slots are leased. */
export function isFull(view: View, { most }: Rule): boolean {
  return view.queued >= most;
}
