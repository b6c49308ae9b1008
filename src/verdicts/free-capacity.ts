import { percent } from './text.ts';
import type { Verdict } from './types.ts';

/** What a run shows of the slots that were taken back. */
export interface PreemptFacts {
  readonly preempts: number;
  /** Of the requests that got a slot. */
  readonly perTask: number;
  /** Of all tokens that were worked on: made by a restart for the second time. */
  readonly redoneShare: number;
  /** Tasks that a rule of runbook 001 gave up. */
  readonly givenUp: number;
  /** Missed the SLO, of the served. */
  readonly breach: number;
  readonly oldestS: number;
  /** null: no class has one. */
  readonly deadlineS: number | null;
  readonly adminUrl: string;
}

/** "You already recorded two preempts on that host." */
const MOST_PREEMPTS = 2;
/** Preempts that cost nobody their SLO are no reason to leave. */
const WORTH_LEAVING = 0.05;
/** "Queue age already consumed half of the deadline." */
const HALF = 0.5;

/** Runbook 001's cases in which free capacity is the wrong bet, as far as only a run shows them. */
export function leaveFreeCapacity(facts: PreemptFacts): Verdict | undefined {
  const { preempts, breach, oldestS, deadlineS } = facts;
  const unstable = preempts >= MOST_PREEMPTS && breach > WORTH_LEAVING;
  const late = preempts > 0 && deadlineS !== null && oldestS > HALF * deadlineS;
  if (!unstable && !late) return undefined;
  const byAge = late && !unstable;
  return {
    action: 'leave-free-capacity',
    headline: 'LEAVE FREE CAPACITY. REFUSE NEW WORK; DO NOT SCALE OUT.',
    signal: byAge ? 'queue_age_seconds' : 'preempts',
    value: byAge ? oldestS : preempts,
    threshold: byAge ? HALF * (deadlineS ?? 0) : MOST_PREEMPTS,
    evidence: evidence(facts),
    commands: [`curl -X PUT ${facts.adminUrl}/admin/policy -d '{"mode":"reject_preempt_budget"}'`],
    expect: 'no further restart; what is in service ends or fails with its reason, then move it',
    wrongIf: 'the preempts stop while the load stays, or what failed did not fail by restarts',
    undo: `curl -X PUT ${facts.adminUrl}/admin/policy -d '{"mode":"enforce"}'`,
  };
}

function evidence(facts: PreemptFacts): string {
  const { preempts, perTask, redoneShare, givenUp, oldestS, deadlineS } = facts;
  const parts = [
    `${preempts.toFixed(0)} preempts, ${perTask.toFixed(2)} a task`,
    `${percent(redoneShare)} of the tokens made again`,
    `${givenUp.toFixed(0)} tasks given up`,
    deadlineS === null
      ? `queue age at most ${oldestS.toFixed(0)} s`
      : `queue age at most ${oldestS.toFixed(0)} s of ${deadlineS.toFixed(0)} s`,
  ];
  return parts.join(' | ');
}
