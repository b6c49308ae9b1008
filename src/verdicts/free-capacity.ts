import { type Facts, type Foresee, SAME } from './facts.ts';
import {
  type RestartRules,
  restartText,
  rulesBefore,
  type WaysOn,
  waysOn,
} from './restart-rules.ts';
import { basisOf, GATEWAY, GATEWAY_LINE, percent, putPolicy } from './text.ts';
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
  /** Served in time, of offered. */
  readonly goodput: number;
  readonly oldestS: number;
  /** null: no class has one. */
  readonly deadlineS: number | null;
  readonly rules: RestartRules;
  /** The gap between checkpoints; null: no restart can resume. */
  readonly checkpointTokens: number | null;
  readonly adminUrl: string;
  readonly foresee: Foresee;
  readonly source: Facts['source'];
}

/** "You already recorded two preempts on that host." */
const MOST_PREEMPTS = 2;
/** Preempts that cost nobody their SLO are no reason to leave. */
const WORTH_LEAVING = 0.05;
/** "Queue age already consumed half of the deadline." */
const HALF = 0.5;

/**
 * Runbook 001's cases in which free capacity is the wrong bet, as far as only a run shows them. The
 * runbook's order to refuse all new work serves nobody, so it is named with its price and never
 * as what to do: where looser rules or other checkpoints serve more they are the order, and only
 * what they leave is a reason to move.
 */
export function leaveFreeCapacity(facts: PreemptFacts): Verdict | undefined {
  const { preempts, breach, oldestS, deadlineS, goodput } = facts;
  const unstable = preempts >= MOST_PREEMPTS && breach > WORTH_LEAVING;
  const late = preempts > 0 && deadlineS !== null && oldestS > HALF * deadlineS;
  if (!unstable && !late) return undefined;
  const byAge = late && !unstable;
  const ways = waysOn(facts.foresee, facts.rules, facts.checkpointTokens);
  const shown = {
    signal: byAge ? 'queue_age_seconds' : 'preempts',
    value: byAge ? oldestS : preempts,
    threshold: byAge ? HALF * (deadlineS ?? 0) : MOST_PREEMPTS,
    evidence: [evidence(facts), ...predicted(ways)].join(' | '),
  };
  // A run in which next to nothing was lost has nothing to gain.
  const helps = ways !== undefined && ways.best !== ways.present && goodput < 1 - SAME;
  return { ...shown, ...(helps ? goOn(ways, facts) : leave(ways, facts)) };
}

type Order = Omit<Verdict, 'signal' | 'value' | 'threshold' | 'evidence'>;

/** Whether slots that stay would serve notably more than the best on slots that do not. */
function isStillLosing({ best, staying }: WaysOn): boolean {
  return staying.goodput - best.forecast.goodput > WORTH_LEAVING;
}

function goOn(ways: WaysOn, { rules, adminUrl, source }: PreemptFacts): Order {
  const { set, checkpointTokens, forecast } = ways.best;
  const loosens = Object.keys(set).length > 0;
  const orders = [
    loosens
      ? `LOOSEN THE RESTART RULES: ${restartText(set)} (now ${restartText(rulesBefore(set, rules))}).`
      : '',
    checkpointTokens === undefined ? '' : `CHECKPOINT EVERY ${checkpointTokens} TOKENS.`,
    isStillLosing(ways) ? `THEN ${MOVE}` : '',
  ].filter((order) => order !== '');
  return {
    action: 'set-threshold',
    headline: `${orders.join(' ')} ${basisOf(source)}`,
    commands: loosens ? [putPolicy(adminUrl, set)] : [],
    expect: `predicted: goodput ${percent(forecast.goodput)}, late or failed ${percent(forecast.breach)} of the served${checkpointTokens === undefined ? '' : '; checkpoints are set where the model runs, not at the gate'}. ${emergency(adminUrl)}`,
    wrongIf: `the preempts stay as many as they are, and goodput falls short of ${percent(forecast.goodput)} by more than 10 points`,
    undo: loosens ? putPolicy(adminUrl, rulesBefore(set, rules)) : 'the checkpoints as they were',
  };
}

const MOVE = 'MOVE THE WORK TO SLOTS THAT NOBODY TAKES BACK.';

function leave(ways: WaysOn | undefined, { adminUrl, source }: PreemptFacts): Order {
  const then =
    ways === undefined
      ? 'no further restart; what a slot that stays would serve no simulation can say here'
      : `predicted on as many slots that stay: goodput ${percent(ways.staying.goodput)}`;
  return {
    action: 'leave-free-capacity',
    headline: `LEAVE FREE CAPACITY: ${MOVE} ${basisOf(source)}`,
    commands: [],
    expect: `${then}. More free slots would be taken back like these. ${emergency(adminUrl)}`,
    wrongIf: 'the preempts stop while the load stays, or what failed did not fail by restarts',
    undo: 'move it back',
  };
}

function emergency(adminUrl: string): string {
  const host = adminUrl === GATEWAY ? ` (with ${GATEWAY_LINE.split(' ')[0]})` : '';
  return `Only in an emergency: ${putPolicy(adminUrl, { mode: 'reject_preempt_budget' })}${host} refuses everybody until you set the mode back to enforce, so goodput is 0 % until then`;
}

function predicted(ways: WaysOn | undefined): string[] {
  if (ways === undefined) return [];
  const { present, best, staying } = ways;
  const better = best === present ? [] : [`${percent(best.forecast.goodput)} with this change`];
  const parts = [
    `${percent(present.forecast.goodput)} as it is`,
    ...better,
    `${percent(staying.goodput)} on slots that stay`,
  ];
  return [`predicted goodput: ${parts.join(', ')}`];
}

function evidence(facts: PreemptFacts): string {
  const { preempts, perTask, redoneShare, givenUp, oldestS, deadlineS } = facts;
  const parts = [
    `${preempts.toFixed(0)} preempts, ${perTask.toFixed(2)} a task`,
    `${percent(redoneShare)} of the tokens made again`,
    `${givenUp.toFixed(0)} tasks given up by the gate's own restart rules`,
    deadlineS === null
      ? `queue age at most ${oldestS.toFixed(0)} s`
      : `queue age at most ${oldestS.toFixed(0)} s of ${deadlineS.toFixed(0)} s`,
  ];
  return parts.join(' | ');
}
