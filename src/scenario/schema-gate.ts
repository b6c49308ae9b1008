import {
  choice,
  DURATION_S,
  durationS,
  flag,
  isDurationS,
  isPositive,
  isPositiveS,
  isShare,
  isWhole,
  object,
  POSITIVE_S,
  ruleOff,
  SHARE,
  share,
  text,
  whole,
} from './fields.ts';

const WHOLE = 'a whole number, 0 or more';

/** The rules at the door and on the wait; all are off unless stated. */
export const gateSchema = object({
  slots: whole(1).default(4),
  ageRejectS: ruleOff(DURATION_S, isDurationS),
  depthMultiple: ruleOff('a multiple of the slots, 0 or more', (value) => value >= 0),
  queueCapacity: ruleOff(WHOLE, isWhole(0)),
  maxWaitS: ruleOff(DURATION_S, isDurationS),
  maxHoldS: ruleOff(POSITIVE_S, isPositiveS),
  slackRejectS: ruleOff(DURATION_S, isDurationS),
  // Runbook 000: HOLD_REJECT 60 s, SLACK_ADMIT 180 s.
  holdRejectS: durationS().default(60),
  slackAdmitS: durationS().default(180),
  interactiveCap: ruleOff(WHOLE, isWhole(0)),
  retryBudget: ruleOff(WHOLE, isWhole(0)),
  predictedWaitS: ruleOff(DURATION_S, isDurationS),
  killWindowS: ruleOff(POSITIVE_S, isPositiveS),
  retryAfterS: durationS().default(5),
  mode: choice(['enforce', 'shadow', 'admit-always', 'reject_preempt_budget', 'drain']).default(
    'enforce',
  ),
  queueAgeFraction: ruleOff(SHARE, isShare),
  taskBudgetTokens: ruleOff('tokens, more than 0', isPositive),
  // Runbook 001: RESTART_FRAC.
  restartFraction: share().default(0.2),
  maxPreempts: ruleOff(WHOLE, isWhole(0)),
  stopAfterPreempts: flag().default(false),
  rejectInteractive: flag().default(true),
  rationale: text().nullable().default(null),
}).refine((gate) => gate.slackRejectS === null || gate.slackAdmitS >= gate.slackRejectS, {
  path: ['slackAdmitS'],
  error: 'at least slackRejectS (between the two the last verdict stays)',
});
