import type { Policy, View } from '../types.ts';
import { type Rule, ruleOf } from './rule.ts';

/** Runbook 000: at most this many interactive leases; one while its reject flag is off. */
export function interactiveCapOf({ interactiveCap, rejectInteractive }: Policy): number {
  return interactiveCap ?? (rejectInteractive ? Infinity : 1);
}

/** Refuse interactive work while as many interactive leases are out as may be. */
export function interactiveCap(policy: Policy): Rule {
  const most = interactiveCapOf(policy);
  return ruleOf(most, 'interactive_cap', `interactive_cap ${most} reached`);
}

/** Asked for interactive work. */
export function isCapped(view: View, { most }: Rule): boolean {
  return view.interactiveLeased >= most;
}
