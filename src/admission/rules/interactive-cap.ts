import type { Policy, Rule } from '../types.ts';

/** Runbook 000: at most this many interactive leases; one while its reject flag is off. */
export function interactiveCapOf({ interactiveCap, rejectInteractive }: Policy): number {
  return interactiveCap ?? (rejectInteractive ? Infinity : 1);
}

/** Refuse interactive work while as many interactive leases are out as may be. */
export function interactiveCap(policy: Policy): Rule | undefined {
  const most = interactiveCapOf(policy);
  if (most === Infinity) return undefined;
  const refusal = { code: 'interactive_cap', reason: `interactive_cap ${most} reached` } as const;
  return (view, _request, rules) =>
    rules.kind === 'interactive' && view.interactiveLeased >= most ? refusal : undefined;
}
