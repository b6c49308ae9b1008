import { buildSchedule } from '../../src/arrivals/build.ts';
import { createEvaluator } from '../../src/commands/evaluate.ts';
import type { Figures } from '../../src/result/figures.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import type { Scenario, TraceRow } from '../../src/scenario/types.ts';
import type { Evaluate } from '../../src/tune/evaluate.ts';
import type { TuneRequest } from '../../src/tune/request.ts';
import { tune } from '../../src/tune/tune.ts';
import { type Objective, type Trial, trialOf } from '../../src/tune/weigh.ts';

/** In this thread. */
export const evaluate: Evaluate = createEvaluator(1).evaluate;

export const ADMIT: Objective = { type: 'admit', maxBreach: 0.05 };
export const GOODPUT: Objective = { type: 'goodput', maxBreach: null };

/** A minute of a queue at its limit: 4 slots, services of 1 to 6 s, SLO 12 s. */
export function smallRush(changes: Record<string, unknown> = {}): Scenario {
  return parseScenario({
    name: 'small-rush',
    durationS: 60,
    sloS: 12,
    arrivals: { ratePerS: 1.6 },
    gate: { slots: 4 },
    model: { service: { uniform: [1, 6] } },
    ...changes,
  });
}

/** The same as a log recorded it: so many rows with their services, Poisson at `ratePerS`. */
export function loggedRush(count: number, ratePerS = 1.6): Scenario {
  const gaps = { process: 'poisson', ratePerS, bursts: [] } as const;
  const drawn = smallRush({ durationS: (3 * count) / ratePerS + 30, arrivals: gaps });
  const rows = buildSchedule(drawn)
    .arrivals.slice(0, count)
    .map(({ atUs, demand }): TraceRow => {
      const { serviceUs } = demand;
      return { atUs, serviceUs, class: null, inTokens: null, outTokens: null };
    });
  const { arrivals, ...rest } = smallRush({
    durationS: drawn.durationS,
    arrivals: { process: 'trace', file: 'log.csv' },
  });
  if (arrivals?.process !== 'trace') throw new Error('expected a trace');
  return { ...rest, arrivals: { ...arrivals, rows } };
}

/** A trial that serves and breaches the same in every run. */
export function trialWith(
  value: number,
  { goodput, late = 0, more = {} }: { goodput: number; late?: number; more?: Figures },
  objective: Objective = ADMIT,
): Trial {
  const run: Figures = {
    'outcomes.offered': 100,
    'outcomes.sloBreached': 100 * late,
    'rates.goodput': goodput,
    'rates.breach': goodput + late === 0 ? null : late / (goodput + late),
    'rates.rejection': 1 - goodput - late,
    ...more,
  };
  return trialOf({ 'gate.maxWaitS': value }, [[run, run]], objective);
}

export function tuned(scenario: Scenario, changes: Partial<TuneRequest> = {}) {
  return tune({
    scenarios: [scenario],
    digests: ['abcdef0123456789'],
    loadline: '0.0.9',
    axes: [{ path: 'gate.maxWaitS', values: Array.from({ length: 24 }, (_, i) => i + 1) }],
    objective: ADMIT,
    replications: 8,
    goodput: 0.95,
    floor: 0.9,
    arrivals: null,
    evaluate,
    origin: { engine: 'sim', target: 'none', simulated: true },
    notes: [],
    today: '2026-11-29',
    measuredOn: null,
    replicas: null,
    ...changes,
  });
}
