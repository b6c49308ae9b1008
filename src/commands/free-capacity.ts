/** Runbook 001's advice on slots that can be taken back, over a result. */
import { numberOf } from '../result/figure.ts';
import type { Figure, Result } from '../result/types.ts';
import { freeCapacityWarnings } from '../scenario/free-capacity.ts';
import type { Facts } from '../verdicts/facts.ts';
import { leaveFreeCapacity, type PreemptFacts } from '../verdicts/free-capacity.ts';
import { lowerCap } from '../verdicts/lower-cap.ts';
import type { Verdict } from '../verdicts/types.ts';

/** The codes with which a restart is refused. */
const GIVEN_UP = ['slack_zero', 'task_age', 'preempt_budget', 'restart_tokens'];

/** "Change nothing" beside an order would be a contradiction. */
const QUIET: ReadonlySet<Verdict['action']> = new Set(['no-action']);
/** What is said of a pool that has too much to do, or of losses that nothing explains. */
const OF_LOSSES: ReadonlySet<string> = new Set([
  ...['no-action', 'add-slots', 'set-threshold', 'keep-threshold', 'find-cause'],
]);

/**
 * What preempts say, at the head of the verdicts of a run that can be trusted. Where they explain
 * the losses nothing is said of slots and thresholds, which do not mend them.
 */
export function withFreeCapacity(result: Result, verdicts: Verdict[], facts: Facts): Verdict[] {
  if (result.health.status === 'generator-limited') return verdicts;
  const preempts = preemptFacts(result, facts);
  if (result.scenario.resolved.model.preempts.type === 'memory') {
    // Nobody takes these slots back: the gate lets in more than the memory can hold.
    return headedBy(lowerCap(facts, preempts), verdicts, OF_LOSSES);
  }
  const leave = leaveFreeCapacity(preempts);
  return headedBy(leave, verdicts, isLostToRestarts(result, preempts) ? OF_LOSSES : QUIET);
}

function headedBy(
  head: Verdict | undefined,
  verdicts: Verdict[],
  silenced: ReadonlySet<string>,
): Verdict[] {
  if (head === undefined) return verdicts;
  return [head, ...verdicts.filter(({ action }) => !silenced.has(action))];
}

/** Half of what is lost: given up at a restart, or served in a simulation without preempts. */
function isLostToRestarts(result: Result, { givenUp }: PreemptFacts): boolean {
  const { outcomes, rates, lossSplit } = result;
  const lost = 1 - count(rates.goodput);
  const upstream = numberOf(lossSplit?.upstream ?? null) ?? 0;
  return Math.max(givenUp / Math.max(1, count(outcomes.offered)), upstream) >= lost / 2;
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

function preemptFacts(result: Result, { adminUrl, foresee, source }: Facts): PreemptFacts {
  const { preempts, preemptsPerTask, tokens, rates, queueAgeS, failedBy, scenario } = result;
  const { gate, model } = scenario.resolved;
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
    goodput: count(rates.goodput),
    rules: gate,
    checkpointTokens: model.resume && model.checkpointTokens > 0 ? model.checkpointTokens : null,
    ...{ adminUrl, foresee, source },
  };
}

function count(figure: Figure | undefined): number {
  return figure === undefined ? 0 : (numberOf(figure) ?? 0);
}
