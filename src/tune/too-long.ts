/** What is counted as missing capacity and is none: services that alone outlast their SLO. */
import { replicated } from '../result/replicate.ts';
import type { Figure } from '../result/types.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Evaluate } from './evaluate.ts';
import { withoutAnyRule } from './setting.ts';
import { goodputOf } from './weigh.ts';
import { hasHolds, withoutRetries, withoutUpstreamFailures } from './what-if.ts';

/** More than there are arrivals: nobody waits. */
const ENDLESS_SLOTS = 1_000_000;

/**
 * Share of offered that is not served in time though nobody waits, nobody is refused and nothing
 * fails: no threshold and no slots serve it. A part of the loss to capacity, which is measured alike.
 */
export async function tooLongOf(
  scenario: Scenario,
  replications: number,
  evaluate: Evaluate,
): Promise<Figure> {
  const { gate, model, ...rest } = withoutAnyRule(
    withoutUpstreamFailures(withoutRetries(scenario)),
  );
  const endless = {
    ...rest,
    gate: { ...gate, slots: ENDLESS_SLOTS },
    model: { ...model, slots: 0 },
  };
  const holds = !hasHolds(scenario);
  const [runs = []] = await evaluate({
    ...{ scenarios: [endless], replications, holds, figures: 'requests' },
  });
  return replicated(
    Float64Array.from(
      runs.flatMap((run) => goodputOf(run) ?? []),
      (x) => 1 - x,
    ),
  );
}
