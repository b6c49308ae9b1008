/** The bands of the next run where arrivals are those of a log: what another log like it could show. */
import type { Figure } from '../result/types.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Evaluate } from './evaluate.ts';
import { resampledWorld } from './evidence.ts';
import { isRecorded } from './recorded.ts';
import type { ScenarioFigures, Weighed } from './types.ts';
import { weighed } from './weigh.ts';

/** Each played once: the runs of one log hardly differ. */
const WORLDS = 60;

/**
 * Figures whose bands also have what the next run like a log would differ by. Every run of a log has
 * the same arrivals, so that their own bands know of no other day.
 * @param scenarios as advised, in the order of the figures
 */
export async function withLogBands(
  scenarios: readonly Scenario[],
  figures: readonly ScenarioFigures[],
  arrivals: number | null,
  evaluate: Evaluate,
): Promise<ScenarioFigures[]> {
  return Promise.all(
    figures.map(async (of, s) => {
      const scenario = scenarios[s];
      if (scenario === undefined || !isRecorded(scenario)) return of;
      const worlds = Array.from({ length: WORLDS }, (_, world) =>
        nextRunLike(scenario, arrivals, world),
      );
      const played = await evaluate({ scenarios: worlds, replications: 1, figures: 'requests' });
      return { ...of, figures: widened(of.figures, weighed(played.flat())) };
    }),
  );
}

/**
 * Resampled twice: the log is one of those that could have been kept, and the next run is another one.
 * Once would be off by a root of two: the log's own luck would be taken for the rule.
 */
function nextRunLike(scenario: Scenario, arrivals: number | null, world: number): Scenario {
  const { seed } = scenario;
  const days = resampledWorld(scenario, arrivals, seed, world);
  return { ...resampledWorld(days, arrivals, seed, WORLDS + world), seed: seed + 1 + world };
}

function widened(own: Weighed, other: Weighed): Weighed {
  return {
    rejection: joined(own.rejection, other.rejection),
    unserved: joined(own.unserved, other.unserved),
    breach: joined(own.breach, other.breach),
    goodput: joined(own.goodput, other.goodput),
    waitP99S: joined(own.waitP99S, other.waitP99S),
    responseP95S: joined(own.responseP95S, other.responseP95S),
    responseP99S: joined(own.responseP99S, other.responseP99S),
    refusalP95S: joined(own.refusalP95S, other.refusalP95S),
  };
}

function joined(own: Figure, other: Figure): Figure {
  if (typeof own !== 'object' || own === null) return own;
  if (typeof other !== 'object' || other === null) return own;
  const band = [
    Math.min(own.band[0], other.band[0]),
    Math.max(own.band[1], other.band[1]),
  ] as const;
  return { ...own, band };
}
