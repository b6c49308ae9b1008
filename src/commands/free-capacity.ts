/** Runbook 001's advice on slots that can be taken back, over a result. */
import { numberOf } from '../result/figure.ts';
import type { Figure, Result } from '../result/types.ts';
import { freeCapacityWarnings } from '../scenario/free-capacity.ts';
import { leaveFreeCapacity, type PreemptFacts } from '../verdicts/free-capacity.ts';
import type { Verdict } from '../verdicts/types.ts';

/** The codes with which a restart is refused. */
const GIVEN_UP = ['slack_zero', 'task_age', 'preempt_budget', 'restart_tokens'];

/** At the head of the verdicts of a run that can be trusted, where the run shows it. */
export function withFreeCapacity(result: Result, verdicts: Verdict[], adminUrl: string): Verdict[] {
  if (result.health.status === 'generator-limited') return verdicts;
  const leave = leaveFreeCapacity(preemptFacts(result, adminUrl));
  if (leave === undefined) return verdicts;
  // "Change nothing" beside it would be a contradiction.
  return [leave, ...verdicts.filter(({ action }) => action !== 'no-action')];
}

/** The same result with what was known before it in its notes. */
export function withWarnings(result: Result): Result {
  return withNotes(result, freeCapacityWarnings(result.scenario.resolved));
}

/** The same result with more in its notes, each once. */
export function withNotes(result: Result, more: readonly string[]): Result {
  const { environment } = result;
  const notes = [...new Set([...environment.notes, ...more])];
  return { ...result, environment: { ...environment, notes } };
}

function preemptFacts(result: Result, adminUrl: string): PreemptFacts {
  const { preempts, preemptsPerTask, tokens, rates, queueAgeS, failedBy, scenario } = result;
  const deadlines = Object.values(scenario.resolved.classes).flatMap(
    ({ deadlineS }) => deadlineS ?? [],
  );
  return {
    preempts: count(preempts),
    perTask: count(preemptsPerTask.mean),
    redoneShare: count(tokens.redoneShare),
    givenUp: GIVEN_UP.reduce((sum, code) => sum + count(failedBy[code]), 0),
    breach: count(rates.breach),
    oldestS: count(queueAgeS.max),
    deadlineS: deadlines.length === 0 ? null : Math.min(...deadlines),
    adminUrl,
  };
}

function count(figure: Figure | undefined): number {
  return figure === undefined ? 0 : (numberOf(figure) ?? 0);
}
