/**
 * What a scenario's own simulation says of its rules: one that fires while all goes as designed
 * wears out whoever is woken, and the rule is the wrong place to mend it.
 */
import { simulate } from '../../engine/sim.ts';
import { replicationSeed } from '../../random.ts';
import { createFold } from '../../result/fold.ts';
import type { Scenario } from '../../scenario/types.ts';
import { AgeAbove } from './above.ts';
import { AGE_FOR_S, number, queueThresholds } from './rules.ts';

/** One run, as an operator would see it on an ordinary day; null: it had none. */
export interface NormalRun {
  /** Share of what was offered. */
  readonly rejection: number;
  /** Longest time that queue age was above the limits of the two rules. */
  readonly ageAboveS: { readonly warn: number; readonly page: number };
  readonly ageMeanS: number | null;
  readonly responseP95S: number | null;
  /** Share of the time that slots are taken. */
  readonly slots: number | null;
}

const RUNS = 10;
/** Of the runs: from here on a rule fires, below it may. */
const NEARLY_ALL = 0.9;
/** From here on refusals are for want of slots, not for a strict rule. */
const FULL = 0.8;

/** A scenario in virtual time, under a few seeds. */
export function normalOf(scenario: Scenario): NormalRun[] {
  const { age } = queueThresholds(scenario);
  return Array.from({ length: RUNS }, (_, k) => {
    const seed = k === 0 ? scenario.seed : replicationSeed(scenario.seed, k);
    const fold = createFold({ ...scenario, seed }, { detail: 'figures' });
    simulate(scenario, { seed, sink: fold });
    const [warn, page] = [new AgeAbove(age.warn), new AgeAbove(age.page)];
    const state: AgeAbove['state'] = (row) => {
      warn.state(row);
      page.state(row);
    };
    simulate(scenario, { seed, sink: { state } });
    const figures = fold.figures();
    const of = (path: string): number | null => figures[path] ?? null;
    return {
      rejection: of('rates.rejection') ?? 0,
      ageAboveS: { warn: warn.longestS, page: page.longestS },
      ageMeanS: of('queueAgeS.mean'),
      responseP95S: of('responseS.p95'),
      slots: of('utilization.slots'),
    };
  });
}

/**
 * A comment for each rule that fires in normal operation, or whose limit is passed there without
 * it, by the name of its alert.
 */
export function notesOn(
  scenario: Scenario,
  runs: readonly NormalRun[],
): ReadonlyMap<string, string> {
  const { age, rejection, p95 } = queueThresholds(scenario);
  const mean = (value: (run: NormalRun) => number | null) => meanOf(runs.map(value));
  const notes = new Map<string, string>();
  const note = (name: string, fires: (run: NormalRun) => boolean, text: string) => {
    const count = runs.filter(fires).length;
    if (count === 0) return;
    const verb = count >= NEARLY_ALL * runs.length ? 'FIRES' : 'MAY FIRE';
    notes.set(
      name,
      `${verb} IN NORMAL OPERATION, in ${count} of ${runs.length} simulated runs: ${text}`,
    );
  };
  const share = mean((run) => run.rejection);
  const turnedAway = `this scenario turns away ${percent(share)}. ${cause(mean((run) => run.slots))}`;
  note('RejectionWarn', (run) => run.rejection > rejection.warn, turnedAway);
  note('RejectionPage', (run) => run.rejection > rejection.page, turnedAway);
  for (const [name, level] of [
    ['QueueAgeWarn', 'warn'],
    ['QueueAgePage', 'page'],
  ] as const) {
    const lastS = waitOf(level, scenario);
    const limit = `${number(age[level])} s`;
    const ageMean = `it is ${seconds(mean((run) => run.ageMeanS))} in the mean`;
    const text = `queue age stays above ${limit} for ${number(lastS)} s or longer; ${ageMean}.`;
    note(name, (run) => run.ageAboveS[level] >= lastS, text);
    const most = Math.max(...runs.map((run) => run.ageAboveS[level]));
    const passes = runs.filter((run) => run.ageAboveS[level] > 0).length;
    if (notes.has(name) || passes < NEARLY_ALL * runs.length) continue;
    // It comes and goes, as behind a rule on age: who reads the figure alone waits for an alert.
    notes.set(
      name,
      `SILENT IN NORMAL OPERATION though queue age passes ${limit} in ${passes} of ${runs.length} simulated runs: never for more than ${seconds(most)} on end, and the rule waits ${number(lastS)} s; ${ageMean}.`,
    );
  }
  // Where the gate turns anybody away the rules on turnaround are silent.
  if (share > 0) return notes;
  const slow = `the p95 of turnaround is ${seconds(mean((run) => run.responseP95S))}, and nothing is turned away.`;
  note('TurnaroundWarn', (run) => (run.responseP95S ?? 0) > p95.warn, slow);
  note('TurnaroundPage', (run) => (run.responseP95S ?? 0) > p95.page, slow);
  return notes;
}

/** A scenario that is shorter than a rule waits stands for more of its kind. */
function waitOf(level: 'warn' | 'page', { durationS }: Scenario): number {
  return Math.min(AGE_FOR_S[level], durationS / 2);
}

function meanOf(values: readonly (number | null)[]): number {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? 0 : known.reduce((a, b) => a + b, 0) / known.length;
}

function cause(slots: number): string {
  const taken = `slots are taken ${percent(slots)} of the time`;
  return slots >= FULL
    ? `The pool lacks capacity (${taken}): add slots or offer less, then write the rules again.`
    : `It is the rule and not the pool (${taken}): look at the gate's thresholds.`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function seconds(value: number): string {
  return `${value.toFixed(0)} s`;
}
