/** What a recommendation says of the values that were tried: how many, how far they are equal, what lies beyond. */
import { FLAT } from './choose.ts';
import { endOfRange } from './plateau.ts';
import {
  bare,
  bindingOf,
  type Draft,
  figuresOf,
  keptNames,
  mean,
  pc,
  pcPair,
} from './recommend-parts.ts';
import { isCapacity, type Setting, settingText, valueText } from './setting.ts';
import type { Cliff } from './types.ts';

/** More may lie beyond what was tried, on that side. */
export function edgeText({ chosen, params }: Pick<Draft, 'chosen' | 'params'>): string[] {
  if (chosen?.atEdge !== true) return [];
  return [
    `THE BEST VALUE STANDS AT THE END OF THE RANGE: widen --param${widerText(params, chosen.setting)}`,
  ];
}

/** ` to maxWaitS below 1`; empty where a setting stands at no end. */
export function widerText(params: Draft['params'], setting: Setting): string {
  const wider = params.flatMap(({ path, values }) => {
    const side = endOfRange(values, setting[path]);
    return side === undefined ? [] : [`${bare(path)} ${side} ${setting[path]}`];
  });
  return wider.length === 0 ? '' : ` to ${wider.join(' and ')}`;
}

/** How many of the settings that were asked for were played: a search skips what is far from good. */
export function triedText({ params, tried }: Pick<Draft, 'params' | 'tried'>): string {
  const all = params.reduce((count, { values }) => count * values.length, 1);
  const ends = params.map(
    ({ path, values }) =>
      `${bare(path)} ${valueText(values[0] ?? null)} to ${valueText(values.at(-1) ?? null)}`,
  );
  return `tried ${tried.length} of ${all} settings, ${ends.join(', ')}`;
}

/** The flat region, the interval of the best value, and what lies beyond. */
export function rangeText(draft: Draft): string {
  const { chosen, params } = draft;
  if (chosen === null) return '';
  const { chosen: figures } = figuresOf(draft);
  const parts = params.map(({ path }) => {
    const name = bare(path);
    const flat = chosen.flatRegion[path];
    const interval = chosen.interval[path];
    const range = flat === undefined ? '' : flatText(name, flat);
    const known =
      interval === undefined ? '' : `; 95 % interval of the best ${interval[0]} to ${interval[1]}`;
    return range + known;
  });
  const served = mean(figures?.goodput ?? null) ?? 0;
  const cliffs = chosen.cliff.map((cliff) => {
    const { side, at, margin, breach, unserved, goodput } = cliff;
    const name = served - (mean(goodput) ?? 0) > FLAT ? 'cliff' : 'next';
    const left = `leaves goodput ${leftText(goodput, served)}, late ${pc(breach, 1)}, unserved ${pc(unserved)}`;
    return `${name} ${side}: ${at} (${margin} away) ${left}${elsewhereText(draft, cliff)}`;
  });
  const kept = keptNames(draft);
  const names = draft.scenarios.flatMap(({ name }) => (kept.includes(name) ? [] : [name]));
  return [
    `${kept.length === 0 ? '' : `${names.join(', ')}: `}${triedText(draft)}`,
    ...parts,
    ...beatenText(draft),
    ...keptText(draft),
    ...cliffs,
    ...edgeText(draft),
    ...unseen(draft),
  ].join('; ');
}

/** Of several scenarios the one that refuses a neighbour, or loses by it, where that is not the one that binds. */
function elsewhereText(draft: Draft, { path, at }: Cliff): string {
  const { tried, chosen, maxBreach } = draft;
  if (chosen === null || chosen.byScenario.length < 2) return '';
  const setting: Setting = { ...chosen.setting, [path]: at };
  const one = tried.find((of) => settingText(of.setting) === settingText(setting));
  if (one === undefined) return '';
  const whose = ` in ${chosen.binding}`;
  const kept = keptNames(draft);
  const judging = one.byScenario.filter(({ scenario }) => !kept.includes(scenario));
  const late = judging.filter(
    ({ figures }) => maxBreach !== null && (mean(figures.breach) ?? 0) > maxBreach,
  );
  if (late.length > 0) {
    const told = late.map(({ scenario, figures }) => `${scenario} (late ${pc(figures.breach, 1)})`);
    return `${whose}, refused by ${told.join(', ')}`;
  }
  if (one.refused !== null) return `${whose}, refused: ${one.refused}`;
  const losing = judging.flatMap(({ scenario, figures }) => {
    const here = bindingOf(chosen, scenario)?.goodput ?? null;
    const isLoss = (mean(here) ?? 0) - (mean(figures.goodput) ?? 0) > FLAT;
    if (scenario === chosen.binding || !isLoss) return [];
    return [`${pcPair(figures.goodput, here).join(' (of ')}) in ${scenario}`];
  });
  return losing.length === 0 ? whose : `${whose}, ${losing.join(', ')}`;
}

/** Beside what is advised: from where, where both would read the same. */
function leftText(goodput: number | null, served: number): string {
  const [left, from] = pcPair(goodput, served);
  return left === pc(goodput) ? left : `${left} (of ${from})`;
}

function flatText(name: string, [low, high]: readonly [number, number]): string {
  if (low === high) return `${name} ${low} alone is within 1 % of offered of the best`;
  return `${name} ${low} to ${high} are equal within 1 % of offered`;
}

/** Who turns fewer away and is passed over all the same. */
function beatenText({ tried, chosen }: Draft): string[] {
  const beaten = tried.filter((one) => one.beatenBy !== null);
  const [first] = beaten;
  if (first === undefined || first.beatenBy === null || chosen === null) return [];
  const others = beaten.length === 1 ? '' : ` (and ${beaten.length - 1} more)`;
  const figures = bindingOf(first, chosen.binding);
  return [
    `passed over: ${settingText(first.setting)}${others}, for ${settingText(first.beatenBy)} serves more in time and fewer late than its goodput ${pc(figures?.goodput ?? null, 1)} with ${pc(figures?.breach ?? null, 1)} late`,
  ];
}

/** A present setting outside the flat region is kept where a change would gain less than .01 of offered. */
function keptText({ keep, chosen, tried, objective }: Draft): string[] {
  const own = tried.find(({ setting }) => setting === chosen?.setting);
  if (!keep || own === undefined || own.flat || own.regret === null) return [];
  const least = Math.min(...tried.flatMap(({ regret }) => regret ?? []));
  const best = tried.find(({ regret }) => regret === least);
  const named = best === undefined ? '' : `, ${settingText(best.setting)}`;
  const loses =
    objective === 'admit'
      ? `turns away ${pc(own.regret)} of offered more`
      : `serves ${pc(own.regret)} of offered less in time`;
  return [
    `${settingText(own.setting)} is kept: it ${loses} than the best${named}, and a safe change gains less than 1 %`,
  ];
}

/** Slots that no run has seen are not advised, however good they look. */
function unseen({ params, tried }: Draft): string[] {
  if (!params.some(({ path }) => isCapacity(path))) return [];
  const refused = tried.find((one) => one.refused?.includes('calibrate') === true);
  return refused === undefined
    ? []
    : [`${settingText(refused.setting)} is refused: ${refused.refused}`];
}
