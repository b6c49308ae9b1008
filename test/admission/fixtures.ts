import { createAdmission } from '../../src/admission/admission.ts';
import type {
  Admission,
  ArriveInput,
  ClassRules,
  Effect,
  Policy,
} from '../../src/admission/types.ts';

/** Seconds to microseconds. */
export const s = (seconds: number): number => seconds * 1_000_000;

/** Every rule off. */
export const OPEN: Policy = {
  slots: 1,
  ageRejectUs: null,
  depthMultiple: null,
  queueCapacity: null,
  maxWaitUs: null,
  maxHoldUs: null,
  slackRejectUs: null,
  holdRejectUs: s(60),
  slackAdmitUs: s(180),
  interactiveCap: null,
  retryBudget: null,
  predictedWaitUs: null,
  killWindowUs: null,
  retryAfterUs: s(5),
  mode: 'enforce',
  queueAgeFraction: null,
  taskBudgetTokens: null,
  restartFraction: 0.2,
  maxPreempts: null,
  stopAfterPreempts: false,
  rejectInteractive: true,
  upstreamDown: false,
};

export const BATCH: ClassRules = {
  kind: 'batch',
  priority: 1,
  mayQueue: true,
  deadlineUs: s(480),
  expectedComputeUs: s(25),
  replay: true,
};

export const DEBUG: ClassRules = {
  kind: 'interactive',
  priority: 0,
  mayQueue: true,
  deadlineUs: null,
  expectedComputeUs: s(1),
  replay: false,
};

/** A gate with a batch class `b` and an interactive class `i`. */
export function gate(
  policy: Partial<Policy> = {},
  classes: Readonly<Record<string, ClassRules>> = { b: BATCH, i: DEBUG },
): Admission {
  return createAdmission({ policy: { ...OPEN, ...policy }, classes, seed: 1 });
}

export function arrival(id: number, name = 'b', more: Partial<ArriveInput> = {}): ArriveInput {
  return { type: 'arrive', id, seq: id, attempt: 0, class: name, ...more };
}

/** An effect in short: `granted 1`, `rejected 2 queue_age`, `granted 3 (max_wait)` in shadow. */
export function brief(effect: Effect): string {
  if (effect.type === 'drained') return 'drained';
  const code = 'code' in effect ? ` ${effect.code}` : '';
  const shadow = 'shadow' in effect && effect.shadow ? ` (${effect.shadow.code})` : '';
  return `${effect.type} ${effect.id}${code}${shadow}`;
}

export function briefs(effects: readonly Effect[]): string[] {
  return effects.map(brief);
}

export function arrive(
  g: Admission,
  atUs: number,
  id: number,
  name = 'b',
  more: Partial<ArriveInput> = {},
): string[] {
  return briefs(g.apply(arrival(id, name, more), atUs));
}

export function release(g: Admission, atUs: number, id: number): string[] {
  return briefs(g.apply({ type: 'release', id, outcome: 'completed' }, atUs));
}

export function tick(g: Admission, atUs: number): string[] {
  return briefs(g.apply({ type: 'tick' }, atUs));
}

export function configure(g: Admission, atUs: number, policy: Partial<Policy>): string[] {
  return briefs(g.apply({ type: 'configure', policy }, atUs));
}
