import { sFromUs } from '../../units.ts';
import { type Policy, queueAgeUs, type View } from '../types.ts';
import { type Rule, ruleOf } from './rule.ts';

/** Runbook 003, AGE_REJECT: refuse while the oldest queued request is strictly older. */
export function queueAge({ ageRejectUs }: Policy): Rule {
  return ruleOf(ageRejectUs, 'queue_age', `queue_age_seconds above ${sFromUs(ageRejectUs ?? 0)}`);
}

export function isTooOld(view: View, { most }: Rule, nowUs: number): boolean {
  return queueAgeUs(view, nowUs) > most;
}
