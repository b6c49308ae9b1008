/** What keeps a recommendation from being carried where it does not hold: for how long, for how many gates, while what. */
import { maxS, tokensOf } from '../scenario/distribution.ts';
import type { Scenario } from '../scenario/types.ts';
import { slotsInEach, slotsOrder } from './capacity-text.ts';
import { isCount, perGateText } from './per-gate.ts';
import {
  advisedFigures,
  type Draft,
  isOfSeveral,
  keptNames,
  type Line,
  line,
  pc,
  presentFigures,
} from './recommend-parts.ts';
import type { ScenarioFigures } from './types.ts';

/** What a setting does in each of several scenarios: also in the reading of a log that is kinder. */
export function eachLines(draft: Draft): Line[] {
  if (draft.chosen === null || !isOfSeveral(draft)) return [];
  return eachText(advisedFigures(draft), keptNames(draft));
}

/** The same of the present setting, which is kept in all of them. */
export function eachKeptLines(draft: Draft): Line[] {
  return isOfSeveral(draft) ? eachText(presentFigures(draft), []) : [];
}

function eachText(told: readonly ScenarioFigures[], kept: readonly string[]): Line[] {
  const parts = told.map(
    ({ scenario, figures: { goodput, rejection, breach } }) =>
      `${scenario}${kept.includes(scenario) ? ', kept' : ''}: goodput ${pc(goodput)}, turned away ${pc(rejection)}, late ${pc(breach)} of the served`,
  );
  return [line('EACH', parts.join('; '))];
}

/** Limits are of one process: how many there are is asked for, not guessed (litellm#16011). */
export function gateLines(draft: Draft, present: Scenario): Line[] {
  const { chosen, replicas } = draft;
  const setting = chosen?.setting ?? {};
  const own = 'gate.slots' in setting ? {} : slotCountsOf(draft, present);
  const counts = { ...own, ...countsOf(setting) };
  const more = slotsInEach(draft, present).flatMap(({ draft: { slotsNeeded }, scenario }) => {
    const needed = slotsNeeded?.at === 'gate' ? (slotsOrder(slotsNeeded)?.slots ?? 0) : 0;
    const whose = isOfSeveral(draft) ? ` (${scenario.name})` : '';
    return needed > scenario.gate.slots ? [[`slots to buy${whose}`, needed] as const] : [];
  });
  return [line('GATES', perGateText({ ...counts, ...Object.fromEntries(more) }, replicas))];
}

/** Of several scenarios each with its own, unless all have as many. */
function slotCountsOf({ gates }: Draft, present: Scenario): Record<string, number> {
  const all = gates.flatMap(({ scenarios }) => scenarios);
  if (all.every(({ gate }) => gate.slots === present.gate.slots)) {
    return { slots: present.gate.slots };
  }
  return Object.fromEntries(all.map(({ name, gate }) => [`slots (${name})`, gate.slots]));
}

function countsOf(setting: Readonly<Record<string, unknown>>): Record<string, number> {
  const counts = Object.entries(setting).flatMap(([path, value]) =>
    isCount(path) && typeof value === 'number'
      ? [[path.slice('gate.'.length), value] as const]
      : [],
  );
  return Object.fromEntries(counts);
}

/** Advice that is of several scenarios holds while none of them changes. */
export function validText({ gates, evidence }: Draft): string {
  const all = gates.flatMap(({ scenarios }) => scenarios);
  const texts = all.map(whileText);
  const told = [...new Set(texts)].map((text) => {
    const names = all.flatMap(({ name }, s) => (texts[s] === text ? [name] : []));
    return all.length > 1 ? `${names.join(', ')}: ${text}` : text;
  });
  const quiet = evidence.overload
    ? ''
    : `. No evidence of overload: work offered reaches only ${evidence.peakLoad.toFixed(2)} of the slots`;
  return `${told.join('; ')}${quiet}`;
}

function whileText(scenario: Scenario): string {
  const classes = Object.values(scenario.classes);
  const most = Math.max(...classes.map(({ retry }) => retry.max));
  const parts = [
    peakText(scenario),
    ...longestText(scenario),
    most === 0 ? 'no retries' : `at most ${most} retries`,
    `SLO ${scenario.sloS} s`,
  ];
  return `while ${parts.join(', ')}`;
}

/** How long a slot is taken at most. The service of who holds one only has to outlast the hold. */
function longestText({ classes, model }: Scenario): string[] {
  const specs = Object.values(classes);
  const services = specs.filter(({ hold }) => hold === null);
  const ofService = services.map((spec) => maxS(spec.service ?? model.service, tokensOf(spec)));
  const ofHold = specs.flatMap((spec) =>
    spec.hold === null ? [] : [maxS(spec.hold, tokensOf(spec))],
  );
  return [...mostText('service', ofService), ...mostText('hold', ofHold)];
}

function mostText(what: string, each: readonly (number | null)[]): string[] {
  if (each.length === 0) return [];
  const known = each.filter((value) => value !== null);
  if (known.length < each.length) return [`${what} as described`];
  return [`longest ${what} <= ${Math.max(...known).toFixed(1)} s`];
}

function peakText({ arrivals }: Scenario): string {
  if (arrivals === null || !('ratePerS' in arrivals)) return 'arrivals as described';
  const peak = Math.max(1, ...arrivals.bursts.map(({ factor }) => factor));
  return `rate <= ${Number((arrivals.ratePerS * peak).toPrecision(4))}/s`;
}

/** Advice is about these scenarios, by this version, of this day; a change of any of them ends it. */
export function staleText({ scenarios, loadline, expiry }: Draft): string {
  const digests = scenarios.map(({ name, digest }) => `${name} ${digest.slice(0, 12)}`).join(', ');
  const { advisedOn, measuredOn, remeasureBy } = expiry;
  const measured = measuredOn === null ? 'nothing measured' : `measured on ${measuredOn}`;
  const dated =
    remeasureBy < advisedOn
      ? `${measured}, which is too long ago: measure again before this is acted on`
      : `advice of ${advisedOn}, ${measured}: measure and tune again by ${remeasureBy}`;
  return `${dated}; at once when the scenario (sha-256 ${digests}), the endpoint behind it or loadline ${loadline} changes`;
}
