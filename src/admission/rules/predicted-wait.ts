import { sFromUs } from '../../units.ts';
import type { Policy, View } from '../types.ts';
import { type Rule, ruleOf } from './rule.ts';

/** Refuse who would wait longer than this, by what is known of leases and queue now. */
export function predictedWait({ predictedWaitUs }: Policy): Rule {
  const seconds = sFromUs(predictedWaitUs ?? 0);
  return ruleOf(predictedWaitUs, 'predicted_wait', `predicted_wait_seconds above ${seconds}`);
}

/** A prediction takes time, so none is made where the rule is off. */
export function wouldWait(view: View, name: string, { most }: Rule, nowUs: number): boolean {
  return most < Infinity && view.predictedWaitUs(name, nowUs) > most;
}
