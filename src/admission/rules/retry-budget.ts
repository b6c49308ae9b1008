import type { GateRequest, Policy } from '../types.ts';
import { type Rule, ruleOf } from './rule.ts';

/** Runbook 000, "shed the client": refuse interactive work that was retried more often than this. */
export function retryBudget({ retryBudget }: Policy): Rule {
  return ruleOf(retryBudget, 'retry_budget', `retry_count above ${retryBudget}`);
}

/** Asked for interactive work. */
export function isSpent({ attempt }: GateRequest, { most }: Rule): boolean {
  return attempt > most;
}
