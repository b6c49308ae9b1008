import { drawsAt, streamKey } from '../random.ts';
import { quantileOf } from '../result/statistics.ts';
import type { Axis } from '../scenario/axis.ts';
import type { Scenario } from '../scenario/types.ts';
import { choose, type Refuse } from './choose.ts';
import { effortOfAWorld } from './effort.ts';
import { isObserved, resampledWorld } from './evidence.ts';
import { evaluateSettings, type SearchRequest } from './search.ts';
import type { Setting } from './setting.ts';
import { meanAt, type Trial } from './weigh.ts';

const RESAMPLES = 200;
const WORLDS = 40;
/** Worlds that are handed out at once: enough for every thread, few enough for memory. */
const WORLDS_AT_ONCE = 10;

/** 95 % intervals of the best value, by parameter. */
export type Intervals = Readonly<Record<string, readonly [number, number]>>;

/**
 * Where the best setting would be if all had been drawn again: the runs, and, where services or
 * rates are known from observations only, the worlds that these could have come from. In every
 * resample the choice is made anew, by the same rule.
 */
export async function intervalsOf(
  request: Omit<SearchRequest, 'coarse' | 'axes'> & { readonly axes: readonly Axis[] },
  trials: readonly Trial[],
  chosen: Setting,
  arrivals: number | null,
): Promise<Intervals> {
  const picked = isObserved(request.scenarios, arrivals)
    ? await overWorlds(request, trials, arrivals)
    : overRuns(request, trials);
  const settings = [...picked, chosen];
  const entries = request.axes.flatMap(({ path }) => {
    const values = Float64Array.from(settings, (setting) => Number(setting[path])).sort();
    const [lo, hi] = [quantileOf(values, 0.025), quantileOf(values, 0.975)];
    const own = Number(chosen[path]);
    if (lo === null || hi === null || !Number.isFinite(own)) return [];
    return [[path, [Math.min(lo, own), Math.max(hi, own)]]];
  });
  return Object.fromEntries(entries);
}

type Request = Parameters<typeof intervalsOf>[0];

function overRuns(
  { objective, refuse, replications, scenarios }: Request,
  trials: readonly Trial[],
) {
  const key = streamKey(scenarios[0]?.seed ?? 0, 'bootstrap');
  return Array.from({ length: RESAMPLES }, (_, b) => {
    const rng = drawsAt(key, b);
    const picks = Int32Array.from({ length: replications }, () =>
      Math.floor(rng.uniform() * replications),
    );
    return choose(trials, objective, refuse, picks).chosen?.trial.setting;
  }).filter((setting) => setting !== undefined);
}

async function overWorlds(request: Request, trials: readonly Trial[], arrivals: number | null) {
  const effort = effortOfAWorld(WORLDS, arrivalsOf(trials));
  const settings = thinned(trials, effort.settings);
  const picked: Setting[] = [];
  for (let from = 0; from < WORLDS; from += WORLDS_AT_ONCE) {
    const worlds = Array.from({ length: Math.min(WORLDS_AT_ONCE, WORLDS - from) }, (_, i) =>
      worldOf(request, arrivals, from + i),
    );
    const tried = await evaluateSettings(
      { ...request, scenarios: worlds.flat(), replications: effort.runs },
      settings,
    );
    for (const i of worlds.keys()) picked.push(...chosenIn(request, tried, i));
  }
  return picked;
}

/** Other arrivals as well: the noise of a world is not that of the next. */
function worldOf({ scenarios }: Request, arrivals: number | null, world: number): Scenario[] {
  return scenarios.map((scenario) => ({
    ...resampledWorld(scenario, arrivals, scenario.seed, world),
    seed: scenario.seed + 1 + world,
  }));
}

/** The choice in one of several worlds that were tried together; nothing where nothing is allowed. */
function chosenIn({ scenarios, objective }: Request, tried: readonly Trial[], i: number) {
  const mine = [i * scenarios.length, (i + 1) * scenarios.length] as const;
  const inWorld = tried.map(({ setting, runs, loss, breach, goodput }) => ({
    setting,
    runs: runs.slice(...mine),
    loss: loss.slice(...mine),
    breach: breach.slice(...mine),
    goodput: goodput.slice(...mine),
  }));
  const noFloor: Refuse = () => null;
  const { chosen } = choose(inWorld, objective, noFloor);
  return chosen === undefined ? [] : [chosen.trial.setting];
}

/** Of one run of every scenario. */
function arrivalsOf([first]: readonly Trial[]): number {
  const each = (first?.runs ?? []).map((runs) => meanAt(runs, 'outcomes.offered') ?? 0);
  return each.reduce((sum, offered) => sum + offered, 0);
}

/** Settings spread over what was tried, the ends with them. */
function thinned(trials: readonly Trial[], most: number): Setting[] {
  const all = trials.map(({ setting }) => setting);
  if (all.length <= most) return all;
  const step = (all.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, i) => all[Math.round(i * step)] ?? {});
}
