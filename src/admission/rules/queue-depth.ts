import type { Policy, View } from '../types.ts';
import { type Rule, ruleOf } from './rule.ts';

/** Runbook 003, DEPTH_MULT: refuse while all slots are leased and more than a multiple of them wait. */
export function queueDepth({ depthMultiple, slots }: Policy): Rule {
  const most = depthMultiple === null ? null : depthMultiple * slots;
  return ruleOf(most, 'queue_depth', `queue_depth above ${most}`);
}

/** Asked while all slots are leased. */
export function isTooDeep(view: View, { most }: Rule): boolean {
  return view.queued > most;
}
