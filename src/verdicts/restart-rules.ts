/** Restart rules that give up more work than the preempts do: what looser ones would serve. */
import { type Forecast, type Foresee, SAME } from './facts.ts';
import { inFull } from './text.ts';

/** The rules of runbook 001 that give a task up, by the names of the scenario. null: off. */
export interface RestartRules {
  readonly queueAgeFraction: number | null;
  readonly taskBudgetTokens: number | null;
  readonly restartFraction: number;
  readonly maxPreempts: number | null;
}

/** A way to go on, and what a simulation of the same arrivals gives for it. */
export interface WayOn {
  /** For the gate; empty: its rules stay. */
  readonly set: Readonly<Record<string, number | null>>;
  /** For whoever runs the model; undefined: as it is. */
  readonly checkpointTokens?: number;
  readonly forecast: Forecast;
}

/** What simulations say of a pool whose slots are taken back. */
export interface WaysOn {
  readonly present: WayOn;
  /** The mildest of the best; the present one where no other is better. */
  readonly best: WayOn;
  /** The same work on slots that nobody takes back. */
  readonly staying: Forecast;
}

/** Gaps between checkpoints that are tried, as multiples of the present one. */
const GAP_FACTORS = [0.1, 0.25, 0.5, 2, 4];

/**
 * The ways to go on, simulated; undefined where no simulation can speak for what was run.
 * @param checkpointTokens the present gap; null: no restart can resume
 */
export function waysOn(
  foresee: Foresee,
  rules: RestartRules,
  checkpointTokens: number | null,
): WaysOn | undefined {
  const way = (set: WayOn['set'], tokens?: number): WayOn[] => {
    const model = tokens === undefined ? {} : { checkpointTokens: tokens };
    const forecast = foresee({ type: 'gate', set, model });
    return forecast === undefined ? [] : [{ set, ...model, forecast }];
  };
  const staying = foresee({ type: 'gate', set: {}, model: { preempts: { type: 'none' } } });
  const [present] = way({});
  if (present === undefined || staying === undefined) return undefined;
  const looser = mildest([present, ...loosened(rules).flatMap((set) => way(set))]);
  const gaps = checkpointTokens === null ? [] : gapsAround(checkpointTokens);
  const best = mildest([looser, ...gaps.flatMap((tokens) => way(looser.set, tokens))]);
  return { present, best, staying };
}

/** Looser and looser, each with what came before it. A rule that is off needs no change. */
function loosened(rules: RestartRules): WayOn['set'][] {
  const preempts = rules.maxPreempts === null ? {} : { maxPreempts: null };
  const hasBudget = rules.taskBudgetTokens !== null;
  const budget = hasBudget ? { taskBudgetTokens: null } : {};
  const share = hasBudget && rules.restartFraction < 1 ? { restartFraction: 1 } : budget;
  const age = rules.queueAgeFraction === null ? {} : { queueAgeFraction: null };
  const steps: WayOn['set'][] = [
    preempts,
    { ...preempts, ...share },
    { ...preempts, ...budget },
    { ...preempts, ...budget, ...age },
  ];
  return steps.filter((set) => Object.keys(set).length > 0);
}

function gapsAround(tokens: number): number[] {
  const gaps = GAP_FACTORS.map((factor) => Math.max(1, Math.round(factor * tokens)));
  return [...new Set(gaps)].filter((gap) => gap !== tokens);
}

/** The first that is as good as the best: they stand in the order of their mildness. */
function mildest(ways: readonly WayOn[]): WayOn {
  const most = Math.max(...ways.map(({ forecast }) => forecast.goodput));
  return ways.find(({ forecast }) => most - forecast.goodput <= SAME) as WayOn;
}

/** `maxPreempts off, restartFraction 1` */
export function restartText(set: Readonly<Record<string, number | null>>): string {
  return Object.entries(set)
    .map(([name, value]) => `${name} ${inFull(value)}`)
    .join(', ');
}

/** What puts a way's rules back. */
export function rulesBefore(set: WayOn['set'], rules: RestartRules): WayOn['set'] {
  const before: Readonly<Record<string, number | null>> = { ...rules };
  return Object.fromEntries(Object.keys(set).map((name) => [name, before[name] ?? null]));
}
