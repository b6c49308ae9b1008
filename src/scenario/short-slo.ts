/** A promise that no service keeps: no threshold and no slots serve anybody in time. */
import { minS, tokensOf } from './distribution.ts';
import type { ClassSpec, Scenario } from './types.ts';

/** An SLO, and the shortest service that can be drawn under it. */
export interface ShortSlo {
  readonly sloS: number;
  readonly serviceS: number;
}

/**
 * Where every service of every class outlasts its SLO, the class that misses it least; undefined
 * where somebody can be served in time, and of a log, whose rows have services of their own.
 */
export function shortSloOf(scenario: Scenario): ShortSlo | undefined {
  const specs = Object.values(scenario.classes).filter(({ share }) => share !== 0);
  const isLogged = [scenario, ...specs].some(({ arrivals }) => arrivals?.process === 'trace');
  if (isLogged) return undefined;
  const each = specs.map((spec) => boundOf(spec, scenario));
  if (each.some(({ sloS, serviceS }) => serviceS <= sloS)) return undefined;
  return each.sort((a, b) => a.serviceS - a.sloS - (b.serviceS - b.sloS))[0];
}

function boundOf(spec: ClassSpec, { sloS, model }: Scenario): ShortSlo {
  const tokens = tokensOf(spec);
  const answerS = minS(spec.service ?? model.service, tokens);
  // The service of who holds a slot may stand there to outlast the hold; a hold alone may be let go sooner.
  const serviceS = spec.hold === null ? answerS : Math.min(answerS, minS(spec.hold, tokens));
  return { sloS: spec.sloS ?? sloS, serviceS };
}
