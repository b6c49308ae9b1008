import type { Policy, Rule } from '../types.ts';

/** Runbook 000, "shed the client": refuse interactive work that was retried more often than this. */
export function retryBudget({ retryBudget }: Policy): Rule | undefined {
  if (retryBudget === null) return undefined;
  const refusal = { code: 'retry_budget', reason: `retry_count above ${retryBudget}` } as const;
  return (_view, request, rules) =>
    rules.kind === 'interactive' && request.attempt > retryBudget ? refusal : undefined;
}
