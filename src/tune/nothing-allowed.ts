/** What is said where no setting that was tried may be chosen: what came nearest, and what would do. */
import { isOff } from '../result/setting-value.ts';
import type { Scenario } from '../scenario/types.ts';
import {
  buyLines,
  LEAST_LOST,
  orderedText,
  slotsText,
  stillLines,
  tooLongText,
} from './capacity-text.ts';
import { FLAT } from './choose.ts';
import { GRAIN } from './dominated.ts';
import { whoseText } from './gate-text.ts';
import { shareOf } from './per-gate.ts';
import { triedText, widerText } from './range-text.ts';
import {
  bare,
  bindingOf,
  type Draft,
  inText,
  type Line,
  line,
  mean,
  namedLines,
  ofText,
  pc,
  pcPair,
} from './recommend-parts.ts';
import { RULES, settingText, valueAt } from './setting.ts';
import type { Baseline, Recommendation, ScenarioFigures, TriedSetting, Weighed } from './types.ts';
import { LONGEST_PROMISE, type WayOut } from './way-out.ts';

/** @param present scenario that binds, as it is now */
export function nothingAllowed(
  draft: Draft,
  label: string,
  present: Scenario,
  wayOut: WayOut | undefined,
): Recommendation {
  const other = otherWay(draft, present);
  const least = other === undefined ? leastLate(draft, present) : undefined;
  const isLost = least !== undefined;
  const headline = [
    'NO SETTING OF THIS PARAMETER IS ENOUGH.',
    ...(other === undefined ? [] : [`ANOTHER WAY IS ALLOWED: ${settingText(other.setting)}.`]),
    ...(isLost
      ? [`NOR IS ANY RULE OR NUMBER OF SLOTS: ${pc(least, 1)} ARE LATE AT LEAST.`]
      : slotsText(draft, present, other !== undefined)),
  ].join(' ');
  const { lossSplit } = draft;
  const lost = mean(lossSplit?.threshold ?? null);
  const why = [
    triedText(draft),
    noneAllowedText(draft, !isLost),
    ...(lost === null || lost < LEAST_LOST
      ? []
      : [
          `${ofText(draft, present.name)}lost to the threshold ${pc(lost)} of offered, to capacity ${pc(lossSplit?.capacity ?? null)}${tooLongText(draft)}`,
        ]),
    ...(other === undefined ? [] : [otherText(other, draft, present)]),
  ];
  return {
    ...{ action: 'none', headline, label, chosenIs: 'chosen' },
    lines: namedLines(draft, present.name, [
      line('WHY', why.join('; ')),
      ...buyLines(draft, present),
      ...(isLost ? wayOutLines(draft, wayOut) : doLines(draft, present, other)),
      ...stillLines(draft),
    ]),
  };
}

/**
 * The rule beside what was tuned that is allowed and serves most in time. None at all is no way that is
 * named: rules that nobody tunes would go with the others.
 */
function otherWay({ baselines }: Draft, { name }: Scenario): Baseline | undefined {
  const served = (one: Baseline) => mean(bindingOf(one, name)?.goodput ?? null) ?? 0;
  const isRule = ({ name: of }: Baseline) => of !== 'present' && of !== 'no gate';
  const allowed = baselines.filter((one) => one.allowed && isRule(one));
  return allowed.sort((a, b) => served(b) - served(a))[0];
}

function otherText({ setting, byScenario }: Baseline, draft: Draft, { name }: Scenario) {
  const now = draft.baselines.find((one) => one.name === 'present');
  const [then, own] = pcPair(
    bindingOf({ byScenario }, name)?.goodput ?? null,
    bindingOf(now, name)?.goodput ?? null,
  );
  return `${settingText(setting)}, with the other rules off, is allowed: it serves ${then} in time, the present setting ${own}${inText(draft, name)}`;
}

/** Another rule, as it is spoken of in the headline, as the reason and as the order. */
export interface OtherWay {
  readonly setting: string;
  readonly why: string;
  readonly put: string;
}

/**
 * Beside what is advised, be it a setting of what is tuned or the present one: another rule that is
 * allowed and serves notably more in time, and in no scenario notably less; undefined: there is none.
 * @param advised figures of each scenario under what is advised there
 * @param isChosen whether that is the setting whose paired difference to the rule is known
 */
export function otherWayBeside(
  draft: Draft,
  present: Scenario,
  advised: readonly ScenarioFigures[],
  isChosen: boolean,
): OtherWay | undefined {
  const other = otherWay(draft, present);
  if (other === undefined) return undefined;
  const gained = (name: string) => {
    const [then, own] = [other, { byScenario: advised }].map((of) => bindingOf(of, name)?.goodput);
    return (mean(then ?? null) ?? 0) - (mean(own ?? null) ?? 0);
  };
  const meant = changingGates(draft).flatMap(({ scenarios }) => scenarios);
  const losesSomewhere = meant.some(({ name }) => gained(name) < -FLAT);
  const isNoise = isChosen && (other.gain?.hi ?? 0) >= 0;
  if (losesSomewhere || isNoise || gained(present.name) <= FLAT) return undefined;
  return {
    setting: settingText(other.setting),
    why: otherText(other, draft, present),
    put: putText(other, draft),
  };
}

/** That rule in the headline, with whose it is. */
export function otherOrder(draft: Draft, other: OtherWay | undefined): string[] {
  return other === undefined
    ? []
    : [`ANOTHER RULE SERVES MORE: ${other.setting}${whoseText(draft)}.`];
}

/**
 * The least share of the served that is late under anything that was tried, where that is more than
 * the limit and no number of slots mends it: a service alone outlasts the SLO then.
 */
export function leastLate(draft: Draft, { name }: Scenario): number | undefined {
  const { maxBreach, slotsNeeded: needed, tried, baselines } = draft;
  if (maxBreach === null || needed === null || needed.needed !== null) return undefined;
  if (needed.others.some((one) => one.needed !== null)) return undefined;
  const lates = [...tried, ...baselines].map((one) => mean(bindingOf(one, name)?.breach ?? null));
  const unserved = needed.curve.map(({ goodput }) => 1 - (mean(goodput) ?? 0));
  const least = Math.min(...lates.map((late) => late ?? 0), ...unserved);
  return least > maxBreach + GRAIN ? least : undefined;
}

function doLines(draft: Draft, present: Scenario, other: Baseline | undefined): Line[] {
  const warn = draft.origin.simulated ? ' (simulated: calibrate before production)' : '';
  const slots = orderedText(draft, present);
  const orders = [
    ...(slots === undefined ? [] : [slots]),
    ...(other === undefined ? [] : [`${putText(other, draft)}${warn}`]),
  ];
  return orders.length === 0 ? [] : [line('DO', orders.join('. If you cannot: '))];
}

/** Neither rules nor slots: only another promise, which was tried. */
function wayOutLines({ gates }: Draft, wayOut: WayOut | undefined): Line[] {
  const scenarios = gates.flatMap((gate) => gate.scenarios);
  const slo = (times: number) => promisedText(scenarios, times);
  const promise = wayOut?.promise ?? null;
  const breach = wayOut?.breach ?? null;
  const longer =
    promise === null
      ? `promise more than ${slo(1)}${wayOut === undefined ? '' : `: ${LONGEST_PROMISE} times as much allows nothing yet`}`
      : `promise ${slo(promise.times)}, which allows ${settingText(promise.setting)}`;
  const looser =
    breach === null
      ? 'no --max-breach allows anything of this range, for a floor refuses it'
      : `tune with --max-breach ${breach.limit}, which allows ${settingText(breach.setting)}`;
  return [line('DO', `${longer}${breach === null ? '; ' : ', or '}${looser}`)];
}

/** `75 s`, `75 s (large 5 s)`: of several scenarios each once. */
function promisedText(scenarios: readonly Scenario[], times: number): string {
  const seconds = (s: number) => `${Number((s * times).toPrecision(4))} s`;
  const each = scenarios.map(({ sloS, classes }) => {
    const own = Object.entries(classes).flatMap(([name, spec]) =>
      spec.sloS === null || spec.sloS === sloS ? [] : [`${name} ${seconds(spec.sloS)}`],
    );
    return `${seconds(sloS)}${own.length === 0 ? '' : ` (${own.join(', ')})`}`;
  });
  return [...new Set(each)].join(' and ');
}

/** Of several gates those that do not keep what they have; all, where all do. */
function changingGates({ gates }: Draft): Draft['gates'] {
  const set = gates.filter(({ action }) => action === 'set');
  return set.length === 0 ? gates : set;
}

/** The rule is set, and every other that is on in any of these gates goes off. */
function putText({ setting }: Baseline, draft: Draft): string {
  const { replicas } = draft;
  const gates = changingGates(draft);
  const scenarios = gates.flatMap((gate) => gate.scenarios);
  const now = (path: string) => scenarios.map((scenario) => valueAt(scenario, path) ?? null);
  const off = RULES.map((rule) => `gate.${rule}`).filter(
    (path) => !(path in setting) && now(path).some((value) => !isOff(path, value)),
  );
  const limits = [...Object.entries(setting), ...off.map((path) => [path, null] as const)];
  const body = (of: readonly (readonly [string, unknown])[]) =>
    JSON.stringify(
      Object.fromEntries(of.map(([path, value]) => [bare(path), shareOf(path, value, replicas)])),
    );
  const before = limits.map(([path]) => [path, now(path)[0] ?? null] as const);
  const undo = gates.length === 1 ? ` (undo: ${body(before)})` : '';
  const range = `; for its range and a check tune ${Object.keys(setting).join(', ')}`;
  const where = replicas === null || replicas === 1 ? '' : ' to each gate';
  return `PUT /admin/policy ${body(limits)}${where}${undo}${range}`;
}

/** The nearest miss, and whether more of the range would lie beyond it, unless none of that would do. */
export function noneAllowedText(
  { tried, params, maxBreach }: Pick<Draft, 'tried' | 'params' | 'maxBreach'>,
  mayBeWider = true,
): string {
  const [first, ...others] = tried.filter(({ refused }) => refused !== null);
  if (first === undefined) return 'no setting that was tried is allowed';
  const near = others.reduce((a, b) => (b.miss < a.miss ? b : a), first);
  return `no setting that was tried is allowed; nearest to it is ${settingText(near.setting)}: ${near.refused}${lateIn(near, maxBreach)}${mayBeWider ? edgeText(near, params) : ''}`;
}

/** Of several scenarios the one in which most are late, where that is what refuses: a floor names its own. */
function lateIn({ byScenario }: TriedSetting, maxBreach: number | null): string {
  const late = byScenario.map(({ figures }) => mean(figures.breach) ?? 0);
  const most = Math.max(...late);
  if (byScenario.length < 2 || maxBreach === null || most <= maxBreach) return '';
  return ` in ${byScenario[late.indexOf(most)]?.scenario}`;
}

function edgeText({ setting }: TriedSetting, params: Draft['params']): string {
  const wider = widerText(params, setting);
  return wider === '' ? '' : `; it stands at the end of the range: widen --param${wider}`;
}

/** What would serve notably more than what is advised, and why it may not: who is starved by it is to be known. */
export function refusedText(
  { tried, scenarios }: Pick<Draft, 'tried' | 'scenarios'>,
  advised: Weighed | undefined,
  name: string,
): string[] {
  const served = (one: TriedSetting) => mean(bindingOf(one, name)?.goodput ?? null) ?? 0;
  const [best] = tried
    .filter(({ refused }) => refused !== null)
    .sort((a, b) => served(b) - served(a));
  const own = mean(advised?.goodput ?? null);
  if (best === undefined || own === null || served(best) - own <= FLAT) return [];
  return [
    `${settingText(best.setting)} would serve ${pc(served(best))} in time${inText({ scenarios }, name)} and is refused: ${best.refused}`,
  ];
}
