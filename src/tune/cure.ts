/** What would hold where the advised setting fails, and what it costs where the world is as described. */
import type { Judged } from './choose.ts';
import { type Setting, settingText } from './setting.ts';
import { meanOf, type Trial } from './weigh.ts';

/** Settings that are tried beside the others in a world in which the advised one fails. */
export const MOST_CURES = 4;
/** In the world as described: a setting that gives up more, of offered, is no little price. */
const MOST_COST = 0.05;

/** A setting that may be chosen, with what it serves less in time than the advised one, of offered; below 0: more. */
export interface Affordable {
  readonly setting: Setting;
  readonly cost: number;
}

/**
 * Of what was tried: what is allowed, no later than the advised setting, and costs little.
 * @param at the scenario that the advice is told of
 */
export function affordableOf(judged: readonly Judged[], advised: Trial, at: number): Affordable[] {
  const [served, late] = [meanOf(advised.goodput[at] ?? []), meanOf(advised.breach[at] ?? [])];
  return judged.flatMap(({ trial, refused }) => {
    const cost = served - meanOf(trial.goodput[at] ?? []);
    const isNoLater = meanOf(trial.breach[at] ?? []) <= late;
    return refused === null && isNoLater && trial !== advised && cost <= MOST_COST
      ? [{ setting: trial.setting, cost }]
      : [];
  });
}

/**
 * The one that holds in most of the worlds; of these the one that costs least.
 * @param holding by world, what holds there
 */
export function cureOf(
  affordable: readonly Affordable[],
  holding: readonly (readonly { readonly setting: Setting | null }[])[],
): Affordable | undefined {
  const names = holding.map((world) =>
    world.flatMap(({ setting }) => (setting === null ? [] : [settingText(setting)])),
  );
  const counted = affordable.map((one) => {
    const name = settingText(one.setting);
    return { one, worlds: names.filter((world) => world.includes(name)).length };
  });
  const [best] = counted
    .filter(({ worlds }) => worlds > 0)
    .sort((a, b) => b.worlds - a.worlds || a.one.cost - b.one.cost);
  return best?.one;
}
