/** What would allow something where nothing is, whatever the rule and the slots: tried before it is said. */
import type { Scenario } from '../scenario/types.ts';
import { presentAndNone } from './baselines.ts';
import { choose, type Refuse } from './choose.ts';
import { floorsOf, refuseBelow } from './floors.ts';
import { evaluateSettings, type SearchRequest } from './search.ts';
import { type Setting, tunedBase } from './setting.ts';
import { meanOf, type Objective, type Trial } from './weigh.ts';

export interface WayOut {
  /** The least `--max-breach`, to the tenth of a percent, that allows a setting, and that one; null: none does. */
  readonly breach: { readonly limit: number; readonly setting: Setting } | null;
  /** The least of the longer promises that allows a setting, and that one; null: none that was tried does. */
  readonly promise: { readonly times: number; readonly setting: Setting } | null;
}

/** Times the SLO, and of each class that has its own. */
const PROMISES = [1.25, 1.5, 2, 3];
export const LONGEST_PROMISE = Math.max(...PROMISES);
/** Runs and settings that are tried under each. */
const RUNS = 25;
const SETTINGS = 6;

/** The scenarios, as they are now. */
type Request = Pick<SearchRequest, 'scenarios' | 'objective' | 'refuse' | 'evaluate'> & {
  readonly paths: readonly string[];
  /** Share of its goodput that every class and size keeps, 0 to 1. */
  readonly floor: number;
};

export async function wayOutOf(request: Request, trials: readonly Trial[]): Promise<WayOut> {
  return {
    breach: leastBreach(trials, request.objective, request.refuse),
    promise: await leastPromise(request, trials),
  };
}

/** Of what starves nobody that which is least late; it is judged again under the limit that is to be said. */
export function leastBreach(
  trials: readonly Trial[],
  objective: Objective,
  refuse: Refuse,
): WayOut['breach'] {
  const fair = trials.filter((trial) => refuse(trial) === null);
  const least = Math.min(...fair.map(({ breach }) => Math.max(...breach.map(meanOf))));
  const limit = Math.ceil(1000 * least - 1e-9) / 1000;
  if (limit > 1) return null;
  const { chosen } = choose(trials, { ...objective, maxBreach: limit + 1e-9 }, refuse);
  return chosen === undefined ? null : { limit, setting: chosen.trial.setting };
}

async function leastPromise(
  { scenarios, objective, evaluate, paths, floor }: Request,
  trials: readonly Trial[],
): Promise<WayOut['promise']> {
  const settings = leastLate(trials).map(({ setting }) => setting);
  const classNames = [...new Set(scenarios.flatMap(({ classes }) => Object.keys(classes)))];
  for (const times of PROMISES) {
    const longer = scenarios.map((scenario) => withSlo(scenario, times));
    const bases = longer.map((scenario) => tunedBase(scenario, paths));
    const common = { objective, evaluate, replications: RUNS };
    const [{ present, untuned }, tried] = await Promise.all([
      presentAndNone({ ...common, scenarios: longer }, paths),
      evaluateSettings({ ...common, scenarios: bases }, settings),
    ]);
    const floors = floorsOf(classNames, present.runs, untuned.runs, floor);
    const { chosen } = choose(tried, objective, refuseBelow(floors));
    if (chosen !== undefined) return { times, setting: chosen.trial.setting };
  }
  return null;
}

/** Spread over all that was tried, and the one under which fewest are late: what is too late now need not be then. */
function leastLate(trials: readonly Trial[]): Trial[] {
  const step = Math.max(1, (trials.length - 1) / (SETTINGS - 1));
  const spread = trials.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
  const late = ({ breach }: Trial) => Math.max(...breach.map(meanOf));
  const first = trials.reduce((a, b) => (late(b) < late(a) ? b : a));
  return [...new Set([first, ...spread])];
}

function withSlo(scenario: Scenario, times: number): Scenario {
  const classes = Object.entries(scenario.classes).map(([name, spec]) => [
    name,
    { ...spec, sloS: spec.sloS === null ? null : spec.sloS * times },
  ]);
  return { ...scenario, sloS: scenario.sloS * times, classes: Object.fromEntries(classes) };
}
