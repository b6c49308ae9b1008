import { sFromUs } from '../../units.ts';
import { type Policy, queueAgeUs, type Rule } from '../types.ts';

/** Runbook 003, AGE_REJECT: refuse while the oldest queued request is strictly older. */
export function queueAge({ ageRejectUs }: Policy): Rule | undefined {
  if (ageRejectUs === null) return undefined;
  const reason = `queue_age_seconds above ${sFromUs(ageRejectUs)}`;
  const refusal = { code: 'queue_age', reason } as const;
  return (view, _request, _rules, nowUs) =>
    queueAgeUs(view, nowUs) > ageRejectUs ? refusal : undefined;
}
