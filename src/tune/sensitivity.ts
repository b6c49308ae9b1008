import type { Figures } from '../result/figures.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Evaluate } from './evaluate.ts';
import { pairedDifference } from './paired.ts';
import { type Setting, underSetting } from './setting.ts';
import type { Sensitivity } from './types.ts';
import { meanOf, type Objective, trialOf, weighed } from './weigh.ts';
import { burstier, doubledVariance, scaledService, withService, withSlots } from './what-if.ts';

interface Change {
  readonly name: string;
  readonly of: (scenario: Scenario) => Scenario;
  readonly slowPhases?: number;
}

const CHANGES: readonly Change[] = [
  {
    name: 'service 20 % longer',
    of: (s) => withService(s, (service) => scaledService(service, 1.2)),
  },
  {
    name: 'service 20 % shorter',
    of: (s) => withService(s, (service) => scaledService(service, 0.8)),
  },
  { name: 'service variance doubled', of: (s) => withService(s, doubledVariance) },
  { name: 'two slow phases, x 1.5', of: (s) => s, slowPhases: 1.5 },
  { name: 'arrivals burstier, gap scv doubled', of: burstier },
  { name: 'one slot lost', of: (s) => withSlots(s, Math.max(1, s.gate.slots - 1)) },
];
const MOST_OTHERS = 6;
/** A setting holds where it loses no more than this against the best of the others. */
export const HOLDS = 0.05;

/**
 * What becomes of the chosen setting where the world is not as described.
 * @param base with the rules off that are not tuned
 * @param others settings among which the best of the changed world is looked for
 */
export async function sensitivityOf(
  present: Scenario,
  base: Scenario,
  chosen: Setting,
  others: readonly Setting[],
  {
    objective,
    replications,
    evaluate,
  }: {
    readonly objective: Objective;
    readonly replications: number;
    readonly evaluate: Evaluate;
  },
): Promise<Sensitivity[]> {
  const spread = spreadOver(others, MOST_OTHERS);
  const told = async ({ name, of, slowPhases = 1 }: Change): Promise<Sensitivity> => {
    const changed = of(present);
    // The base differs by its gate alone; what is the same object is drawn once for all of them.
    const changedBase = { ...changed, gate: of(base).gate };
    const settings = [chosen, ...spread].map((s) => underSetting(changedBase, s));
    const scenarios = [changed, ...settings];
    const runs = await evaluate({ scenarios, replications, figures: 'requests', slowPhases });
    const trials = runs.map((ofOne) => trialOf({}, [ofOne], objective));
    const loss = trials.map((trial) => meanOf(trial.loss[0] ?? []));
    const isAllowed = trials.map(
      (trial) =>
        objective.maxBreach === null || meanOf(trial.breach[0] ?? []) <= objective.maxBreach,
    );
    const allowed = loss.filter((_, i) => i > 0 && isAllowed[i]);
    const regret = allowed.length === 0 ? null : (loss[1] ?? 0) - Math.min(...allowed);
    return {
      change: name,
      chosen: weighed(runs[1] ?? []),
      present: weighed(runs[0] ?? []),
      presentMore: pairedDifference(goodputs(runs[0]), goodputs(runs[1])),
      regret,
      holds: isAllowed[1] === true && (regret ?? 0) <= HOLDS,
    };
  };
  return Promise.all(CHANGES.map(told));
}

function goodputs(runs: readonly Figures[] = []): (number | null)[] {
  return runs.map((run) => run['rates.goodput'] ?? null);
}

function spreadOver<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all];
  const step = (all.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, i) => all[Math.round(i * step)]).filter(
    (one) => one !== undefined,
  );
}
