/**
 * What a scenario's own simulation says of its rules: one that fires while all goes as designed
 * wears out whoever is woken, and the rule is the wrong place to mend it.
 */
import { simulate } from '../../engine/sim.ts';
import { replicationSeed } from '../../random.ts';
import { createFold } from '../../result/fold.ts';
import type { Scenario } from '../../scenario/types.ts';
import { queueThresholds } from './rules.ts';

/** Means over a few runs; null: no run had it. */
export interface Normal {
  /** Share of what was offered. */
  readonly rejection: number;
  readonly queueAgeP99S: number | null;
  readonly responseP95S: number | null;
  /** Share of the time that slots are taken. */
  readonly slots: number;
}

const RUNS = 5;
/** From here on refusals are for want of slots, not for a strict rule. */
const FULL = 0.8;

/** A scenario in virtual time, as an operator would see it on an ordinary day. */
export function normalOf(scenario: Scenario): Normal {
  const runs = Array.from({ length: RUNS }, (_, k) => {
    const seed = k === 0 ? scenario.seed : replicationSeed(scenario.seed, k);
    const fold = createFold({ ...scenario, seed }, { detail: 'figures' });
    simulate(scenario, { seed, sink: fold });
    return fold.figures();
  });
  const mean = (path: string): number | null => {
    const values = runs.flatMap((figures) => figures[path] ?? []);
    return values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length;
  };
  return {
    rejection: mean('rates.rejection') ?? 0,
    queueAgeP99S: mean('queueAgeS.p99'),
    responseP95S: mean('responseS.p95'),
    slots: mean('utilization.slots') ?? 0,
  };
}

/** A comment for each rule that fires in normal operation, by the name of its alert. */
export function notesOn(scenario: Scenario, normal: Normal): ReadonlyMap<string, string> {
  const { age, rejection, p95 } = queueThresholds(scenario);
  const notes = new Map<string, string>();
  const note = (name: string, value: number | null, threshold: number, text: string) => {
    if (value !== null && value > threshold) notes.set(name, text);
  };
  const turnedAway = `FIRES IN NORMAL OPERATION: this scenario turns away ${percent(normal.rejection)} when simulated. ${cause(normal)}`;
  note('RejectionWarn', normal.rejection, rejection.warn, turnedAway);
  note('RejectionPage', normal.rejection, rejection.page, turnedAway);
  const old = `MAY FIRE IN NORMAL OPERATION: the p99 of queue age is ${seconds(normal.queueAgeP99S)} when simulated.`;
  note('QueueAgeWarn', normal.queueAgeP99S, age.warn, old);
  note('QueueAgePage', normal.queueAgeP99S, age.page, old);
  // Where the gate turns anybody away the rules on turnaround are silent.
  if (normal.rejection > 0) return notes;
  const slow = `FIRES IN NORMAL OPERATION: the p95 of turnaround is ${seconds(normal.responseP95S)} when simulated, and nothing is turned away.`;
  note('TurnaroundWarn', normal.responseP95S, p95.warn, slow);
  note('TurnaroundPage', normal.responseP95S, p95.page, slow);
  return notes;
}

function cause({ slots }: Normal): string {
  const taken = `slots are taken ${percent(slots)} of the time`;
  return slots >= FULL
    ? `The pool lacks capacity (${taken}): add slots or offer less, then write the rules again.`
    : `It is the rule and not the pool (${taken}): look at the gate's thresholds.`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function seconds(value: number | null): string {
  return `${(value ?? 0).toFixed(0)} s`;
}
