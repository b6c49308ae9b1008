import type { Policy, Refusal } from '../types.ts';

/** What refuses everyone, in every mode, before any rule is asked. */
export function stopOf(policy: Policy): Refusal | undefined {
  if (policy.mode === 'drain') return { code: 'draining', reason: 'draining' };
  if (policy.upstreamDown) return { code: 'upstream_down', reason: 'upstream cannot be reached' };
  if (policy.mode === 'reject_preempt_budget') {
    return { code: 'preempt_budget', reason: 'mode reject_preempt_budget' };
  }
  return undefined;
}
