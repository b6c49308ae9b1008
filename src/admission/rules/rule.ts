import type { Code, Refusal } from '../types.ts';

/**
 * A rule at the door, as a policy sets it. Each rule has a file here: what the policy's number
 * comes to, and the question that is asked of an arrival.
 */
export interface Rule {
  /** The most that passes; Infinity: the rule is off. */
  readonly most: number;
  readonly refusal: Refusal;
}

/** @param most as the policy has it; null: off */
export function ruleOf(most: number | null, code: Code, reason: string): Rule {
  return { most: most ?? Infinity, refusal: { code, reason } };
}
