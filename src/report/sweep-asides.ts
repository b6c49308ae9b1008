/** What stands behind the headline of a sweep: missing capacity, and a best value at the edge. */
import { numberOf } from '../result/figure.ts';
import { isOff, valueWithUnit } from '../result/setting-value.ts';
import type { Figure } from '../result/types.ts';
import type { SweepDocument, SweepSetting } from '../tune/types.ts';
import { list, roughPercent } from './format.ts';
import { lostToPreempts, takenByPreempts } from './preempt-losses.ts';
import { pathText } from './setting-text.ts';

/** What `tune` calls the same, of offered. */
export const SAME = 0.01;
/** Below this share of compute slots are not known to lack. */
const BUSY_FROM = 0.7;

/** A word and its reason. */
export interface Said {
  readonly short: string;
  readonly why: string;
}

/** Served in time, of offered; 0 where nobody was offered. */
export function goodputOf({ figures }: SweepSetting): number {
  return numberOf(figures.rates.goodput) ?? 0;
}

/** What no setting that was tried serves: lost to preempts, for want of capacity, or for another reason. */
export function unserved(document: SweepDocument, best: SweepSetting, lost: number): Said {
  return lostToPreempts(best.figures, lost) ?? capacity(document, best, lost);
}

function capacity({ axes }: SweepDocument, best: SweepSetting, lost: number): Said {
  const busy = numberOf(best.figures.utilization.busy);
  const slots = numberOf(best.figures.utilization.slots);
  const rest = `The other ${roughPercent(lost)}`;
  if (busy === null) {
    return {
      short: `Whether the other ${roughPercent(lost)} lack capacity is unknown.`,
      why: `${rest} no setting here serves, and the upstream says nothing of its compute.`,
    };
  }
  const used = `slots compute ${roughPercent(busy)} of the time`;
  if (busy < BUSY_FROM && slots !== null && slots >= BUSY_FROM) {
    return {
      short: `${rest} wait for slots that are held, not worked on.`,
      why: `${rest} no setting here serves: slots are out ${roughPercent(slots)} of the time, but ${used}.`,
    };
  }
  const taken = takenByPreempts(best.figures);
  if (taken !== undefined) {
    return {
      short: `${rest} are late by preempts, or lack capacity.`,
      why: `${rest} no setting here serves while ${used}, with ${taken}: the same with --set 'model.preempts={"type":"none"}' tells the two apart.`,
    };
  }
  if (busy >= BUSY_FROM) {
    const more = axes.some(({ path }) => path === 'gate.slots')
      ? 'it takes more slots than were tried'
      : 'it takes slots, not a threshold';
    return {
      short: `${rest} lack capacity.`,
      why: `${rest} no setting here serves while ${used}: ${more}.`,
    };
  }
  return {
    short: `${rest} lack capacity in the rush alone, or not at all.`,
    why: `${rest} no setting here serves, yet over the whole run ${used}: look at the pool over time.`,
  };
}

/** A best value with nothing tried beyond it may not be the best there is. */
export function edge({ axes, settings }: SweepDocument, best: SweepSetting): Said[] {
  const edges = axes.flatMap(({ path, values }) =>
    isBetter(best, neighbour(settings, best, path, values))
      ? edgeOf(path, values, best.setting[path])
      : [],
  );
  if (edges.length === 0) return [];
  const alike = settings.filter((each) => goodputOf(best) - goodputOf(each) <= SAME).length;
  const flat =
    alike > 1 ? `; ${alike} of ${settings.length} settings are within 1 % of offered of it` : '';
  return [
    {
      short: 'The best is at the edge of what was tried.',
      why: `Nothing was tried beyond the best value: ${list(edges)}${flat}.`,
    },
  ];
}

/** The setting that differs in this path alone, by the next value that was tried; the best itself stands at the edge. */
function neighbour(
  settings: readonly SweepSetting[],
  best: SweepSetting,
  path: string,
  values: readonly unknown[],
): SweepSetting | undefined {
  const at = Number(best.setting[path]);
  const others = values
    .filter((each): each is number => typeof each === 'number' && each !== at)
    .sort((a, b) => Math.abs(a - at) - Math.abs(b - at));
  return settings.find(({ setting }) =>
    Object.entries(best.setting).every(([name, value]) =>
      name === path ? setting[name] === others[0] : setting[name] === value,
    ),
  );
}

/** Truly better: by more than what is called the same, and by more than chance between runs explains. */
function isBetter(best: SweepSetting, other: SweepSetting | undefined): boolean {
  if (other === undefined) return false;
  const chance = Math.hypot(
    halfWidth(best.figures.rates.goodput),
    halfWidth(other.figures.rates.goodput),
  );
  return goodputOf(best) - goodputOf(other) > Math.max(SAME, chance);
}

function halfWidth(figure: Figure): number {
  return figure === null || typeof figure === 'number' ? 0 : (figure.hi - figure.lo) / 2;
}

/** Of what may be chosen: a load is not. Nothing lies below 0, nor beyond a rule that is off. */
function edgeOf(path: string, values: readonly unknown[], value: unknown): string[] {
  if (!path.startsWith('gate.') || isOff(path, value)) return [];
  const numbers = values
    .filter((each): each is number => typeof each === 'number' && !isOff(path, each))
    .sort((a, b) => a - b);
  if (values.length < 2) return [];
  const text = `${pathText(path)}\u00a0${valueWithUnit(path, value, '\u00a0')}`;
  if (value === numbers[0] && value !== 0) return [`${text} is the smallest, try smaller ones`];
  const isLast = value === numbers.at(-1) && !values.some((each) => isOff(path, each));
  return isLast ? [`${text} is the greatest, try greater ones`] : [];
}
