/** What a recommendation says of capacity: how much is missing, where, and what more would serve. */

import type { Figure } from '../result/types.ts';
import type { Scenario } from '../scenario/types.ts';
import { FLAT } from './choose.ts';
import { shareOf } from './per-gate.ts';
import {
  bare,
  type Draft,
  inText,
  isOfSeveral,
  keptNames,
  type Line,
  line,
  mean,
  ofText,
  pc,
  presentText,
} from './recommend-parts.ts';
import { rulesOn, settingText } from './setting.ts';
import type { GateAtSlots, SlotsNeeded } from './types.ts';
import { queuesInside, withEndpointSlots, withSlots } from './what-if.ts';

/** A number of slots that is worth buying; not `enough` where it is only the fewest that bring what the most bring. */
interface Order {
  readonly slots: number;
  readonly enough: boolean;
}

/**
 * The slots that a gate needs that is kept as it is, or without its rules; null where neither was
 * counted: those of another setting say nothing of it.
 */
export function slotsOfKept(needed: SlotsNeeded | null): SlotsNeeded | null {
  if (needed === null || needed.under !== 'chosen') return needed;
  const own = needed.others.find(({ under, needed: n }) => under === 'present' && n !== null);
  if (own === undefined) return null;
  const others = needed.others.filter((one) => one !== own);
  return { ...needed, under: 'present', needed: own.needed, others, curve: [] };
}

/** The draft with the slots that its gates need where each of them keeps what it has. */
export function withSlotsOfKept(draft: Draft): Draft {
  return {
    ...draft,
    keep: true,
    slotsNeeded: slotsOfKept(draft.slotsNeeded),
    slotsElsewhere: draft.slotsElsewhere.map(({ scenario, slotsNeeded }) => ({
      scenario,
      slotsNeeded: slotsOfKept(slotsNeeded),
    })),
  };
}

/** What is told of each scenario's capacity: that of the advice first, then the others, each by its own gate. */
export function slotsInEach(
  draft: Draft,
  scenario: Scenario,
): readonly { readonly draft: Draft; readonly scenario: Scenario }[] {
  const kept = keptNames(draft);
  const all = draft.gates.flatMap((gate) => gate.scenarios);
  const others = draft.slotsElsewhere.flatMap(({ scenario: name, slotsNeeded }) => {
    const own = all.find((one) => one.name === name);
    const keep = draft.keep || kept.includes(name);
    return own === undefined ? [] : [{ draft: { ...draft, slotsNeeded, keep }, scenario: own }];
  });
  return [{ draft, scenario }, ...others];
}

/** What is to be bought; undefined where the slots that there are do as well as more. */
export function slotsOrder(needed: SlotsNeeded | null): Order | undefined {
  if (needed === null || needed.needed === needed.present) return undefined;
  if (needed.needed !== null) return { slots: needed.needed, enough: true };
  const slots = plateauOf(needed);
  return slots === undefined || slots <= needed.present ? undefined : { slots, enough: false };
}

/** The fewest that serve within .01 of what the most serve, of those that were tried. */
function plateauOf({ curve }: SlotsNeeded): number | undefined {
  const served = curve.map(({ slots, goodput }) => ({ slots, goodput: mean(goodput) ?? 0 }));
  const most = Math.max(...served.map(({ goodput }) => goodput));
  return served.find(({ goodput }) => most - goodput <= FLAT)?.slots;
}

/**
 * For the headline, after the setting at the slots that there are: of each scenario.
 * @param isOther whether it is another way than what stands before it
 */
export function slotsText(draft: Draft, scenario: Scenario, isOther = false): string[] {
  return slotsInEach(draft, scenario).flatMap((one) => slotsOfOne(one, isOther));
}

function slotsOfOne(
  { draft, scenario }: { readonly draft: Draft; readonly scenario: Scenario },
  isOther: boolean,
): string[] {
  const { slotsNeeded: needed } = draft;
  if (needed === null || needed.needed === needed.present) return [];
  const order = slotsOrder(needed);
  const whose = isOfSeveral(draft) ? ` IN ${scenario.name}` : '';
  if (order === undefined) return [`MORE SLOTS DO NOT HELP${whose}.`];
  const where = needed.at === 'endpoint' ? 'SLOTS AT THE ENDPOINT' : 'SLOTS';
  const beside = movedBeside(needed, order.slots, scenario);
  const both =
    beside === undefined
      ? ''
      : ` AND ${beside.where.toUpperCase()}: ${beside.before} -> ${beside.after}`;
  const more = `ADD ${where}: ${needed.present} -> ${order.slots}${both}`;
  const other = otherGate(draft, scenario);
  const gate = other === undefined ? '' : ` AND ${other}`;
  const short = order.enough ? '' : ', STILL NOT ENOUGH';
  // Slots that are counted under what is set go with it, whatever other way there is.
  const isWithSetting = needed.under === 'chosen' && !draft.keep && draft.chosen !== null;
  const isAnother = isOther || (other !== undefined && draft.chosen !== null);
  const or = isAnother && !isWithSetting ? 'OR ' : '';
  return [`${or}${more}${gate}${whose}${short}.`];
}

/** Slots that grow with those that are counted: a gate that lets in fewer than the endpoint works on leaves these idle. */
export function movedBeside(
  { at }: Pick<SlotsNeeded, 'at'>,
  slots: number,
  scenario: Scenario,
): { readonly where: string; readonly before: number; readonly after: number } | undefined {
  const changed = (at === 'gate' ? withSlots : withEndpointSlots)(scenario, slots);
  const isGate = at === 'endpoint';
  const where = isGate ? 'in the gate' : 'at the endpoint';
  const slotsOf = ({ gate, model }: Scenario) => (isGate ? gate.slots : model.slots);
  const [before, after] = [slotsOf(scenario), slotsOf(changed)];
  return before === after ? undefined : { where, before, after };
}

/** What is undone in the gate where slots were added at the endpoint, after what else is undone. */
export function undoSlotsText(
  { slotsNeeded: needed, replicas }: Pick<Draft, 'slotsNeeded' | 'replicas'>,
  scenario: Scenario,
): string {
  const order = slotsOrder(needed);
  if (needed?.at !== 'endpoint' || order === undefined) return '';
  const beside = movedBeside(needed, order.slots, scenario);
  if (beside === undefined) return '';
  return `; where slots were added: slots ${shareOf('gate.slots', beside.before, replicas)}`;
}

/** What the gate is to do with the slots that are needed, where that is not what is advised without them. */
function otherGate(draft: Draft, scenario: Scenario): string | undefined {
  const { slotsNeeded: needed, chosen, keep } = draft;
  if (needed === null) return undefined;
  if (needed.under === 'no rule') return `TURN THE RULES OFF (${settingText(rulesOn(scenario))})`;
  if (chosen === null || needed.under === (keep ? 'present' : 'chosen')) return undefined;
  // Of a gate without a rule it is that which is kept: its slots may be more.
  return `KEEP ${presentText(draft, scenario).replace('THE PRESENT GATE,', 'THE GATE')}`;
}

/** What more slots would serve, in each scenario that needs some. */
export function buyLines(draft: Draft, scenario: Scenario): Line[] {
  const told = slotsInEach(draft, scenario).flatMap((one) =>
    buyTexts(one.draft, one.scenario).map((text) => `${ofText(draft, one.scenario.name)}${text}`),
  );
  return told.length === 0 ? [] : [line('BUY', told.join('; '))];
}

function buyTexts(
  { slotsNeeded: needed, evidence, chosen }: Pick<Draft, 'slotsNeeded' | 'evidence' | 'chosen'>,
  scenario: Scenario,
): string[] {
  if (needed === null || needed.curve.length < 2) return [];
  const above = needed.curve.filter(({ slots: n }) => n > needed.present);
  const enough =
    needed.needed === null ? above.length : above.findIndex(({ slots: n }) => n === needed.needed);
  // One more than is needed, so that the reader sees where the curve ends.
  const more = above.slice(0, enough + 2);
  const of = needed.at === 'endpoint' ? 'slots at the endpoint' : 'slots';
  const shown = more.map(({ slots: n, goodput }) => {
    const beside = movedBeside(needed, n, scenario);
    const both = beside === undefined ? '' : ` and ${beside.after} ${beside.where}`;
    return `${n} ${of}${both} -> ${served(goodput, needed.target)}`;
  });
  if (shown.length === 0) return [];
  const known =
    evidence.arrivals === null
      ? ''
      : ` (if the endpoint works on more at a time as fast as on ${needed.present}, which this run cannot tell: calibrate)`;
  const others = needed.others.map(
    ({ under, needed: n }) => `${n ?? 'no number tried'} under ${gateText(under, chosen)}`,
  );
  const gates = ` under ${gateText(needed.under, chosen)}${others.length === 0 ? '' : `; ${others.join(', ')}`}`;
  return [`${shown.join(', ')}${gates}${known}`];
}

function gateText(under: GateAtSlots, chosen: Draft['chosen']): string {
  if (under === 'no rule') return 'no rule';
  if (under === 'present') return 'the present setting';
  return chosen === null ? 'the best of what was tried' : settingText(chosen.setting);
}

/** Never rounded up: what falls short of the target must not read as if it reached it. */
function served(goodput: Figure, target: number): string {
  const value = mean(goodput);
  if (value === null) return '-';
  const scale = 10 ** digitsOf(target);
  return `${(Math.floor(100 * value * scale + 1e-9) / scale).toFixed(digitsOf(target))} %`;
}

/** Of a target in percent; at least one. */
function digitsOf(target: number): number {
  const [, decimals = ''] = String(Number((100 * target).toPrecision(8))).split('.');
  return Math.max(1, decimals.length);
}

/** What comes before the threshold in `DO`. */
export function scaleText(draft: Draft, scenario: Scenario): string {
  const order = orderedText(draft, scenario);
  return order === undefined ? '' : `${order}${elseText(draft, scenario)}`;
}

/** The slots to add, and what the gate does with them, in each scenario; undefined where none are. */
export function orderedText(draft: Draft, scenario: Scenario): string | undefined {
  const orders = slotsInEach(draft, scenario).flatMap((one) => orderOfOne(one) ?? []);
  return orders.length === 0 ? undefined : orders.join(', ');
}

function orderOfOne({
  draft,
  scenario,
}: {
  readonly draft: Draft;
  readonly scenario: Scenario;
}): string | undefined {
  const { slotsNeeded: needed } = draft;
  const order = slotsOrder(needed);
  if (needed === null || order === undefined) return undefined;
  const what =
    needed.at === 'endpoint'
      ? `let the endpoint work on ${order.slots} at a time`
      : `scale to ${order.slots} slots`;
  const beside = besideText(draft, order.slots, scenario);
  const other = otherGate(draft, scenario)?.replace(/\b[A-Z]+\b/g, (word) => word.toLowerCase());
  const off = needed.under === 'no rule' ? offText(draft, scenario) : '';
  const gate = other === undefined ? '' : ` and ${other}${off}`;
  return `${what}${beside}${gate}${inText(draft, scenario.name)}${order.enough ? '' : shortText(needed, order)}`;
}

/** How the rules go off; undone with the values that stand beside it. */
function offText({ replicas }: Draft, scenario: Scenario): string {
  const rules = Object.entries(rulesOn(scenario));
  const bodyOf = (entries: readonly (readonly [string, unknown])[]) =>
    JSON.stringify(Object.fromEntries(entries.map(([path, value]) => [bare(path), value])));
  const now = rules.map(([path, value]) => [path, shareOf(path, value, replicas)] as const);
  const then = rules.map(
    ([path, value]) => [path, typeof value === 'boolean' ? false : null] as const,
  );
  const where = replicas === null || replicas === 1 ? '' : ' to each gate';
  return `, PUT /admin/policy ${bodyOf(then)}${where} (undo: ${bodyOf(now)})`;
}

function shortText({ curve }: SlotsNeeded, { slots }: Order): string {
  const most = curve.at(-1)?.slots ?? slots;
  return slots < most
    ? ` (still not enough, and up to ${most} bring no more)`
    : ' (the most that was tried, and still not enough)';
}

/** The other end of the same slots, as it is done and, in the gate, undone. */
function besideText(draft: Draft, slots: number, scenario: Scenario): string {
  const { slotsNeeded: needed, replicas } = draft;
  const beside = needed === null ? undefined : movedBeside(needed, slots, scenario);
  if (beside === undefined) return '';
  if (needed?.at === 'gate') return ` (at the endpoint ${beside.before} -> ${beside.after})`;
  const [now, then] = [beside.before, beside.after].map(
    (n) => `{"slots":${shareOf('gate.slots', n, replicas)}}`,
  );
  return `, PUT /admin/policy ${then} (undo: ${now})`;
}

/** Slots that are counted under the chosen setting, or for a gate beside those that are set, are no way round it: both are done. */
function elseText(draft: Draft, scenario: Scenario): string {
  const isWithSetting =
    !draft.keep &&
    slotsInEach(draft, scenario).some(
      ({ draft: { slotsNeeded: needed, keep } }) =>
        slotsOrder(needed) !== undefined && (keep || needed?.under === 'chosen'),
    );
  return isWithSetting ? ', and with or without these slots: ' : '. If you cannot: ';
}

/** The bottleneck by its name, where it is not the gate: a busy gate's endpoint looks idle then. */
export function insideText(scenario: Scenario): string | undefined {
  if (!queuesInside(scenario)) return undefined;
  const { gate, model } = scenario;
  return `the bottleneck is the queue inside the endpoint, which works on ${model.slots} at a time of the ${gate.slots} that the gate lets in: more slots in the gate make that queue longer, and low utilisation is not free capacity`;
}

export function stillLines({
  lossSplit,
  slotsNeeded,
}: Pick<Draft, 'lossSplit' | 'slotsNeeded'>): Line[] {
  const capacity = mean(lossSplit?.capacity ?? null);
  if (capacity === null) return [];
  const isShort = capacity >= LEAST_LOST;
  const parts = isShort
    ? [`${pc(capacity)} of offered is lost to capacity${tooLongText({ lossSplit })}`]
    : [];
  const served = mean(lossSplit?.threshold ?? null);
  if (isShort && lossSplit !== null && served !== null && lossSplit.goodput + served < 0.25) {
    parts.push('no threshold serves more than a quarter in time');
  }
  parts.push(...ceilingText(slotsNeeded, mean(lossSplit?.upstream ?? null) ?? 0));
  if (isShort && slotsNeeded?.needed != null) {
    const where = slotsNeeded.at === 'endpoint' ? ' at the endpoint' : '';
    const { needed, target, under } = slotsNeeded;
    const gate = under === 'no rule' ? ' without a rule' : '';
    parts.push(
      `${needed} slots${where}${gate} serve at least ${(100 * target).toFixed(digitsOf(target))} % in time`,
    );
  }
  return parts.length === 0 ? [] : [line('STILL', parts.join('; '))];
}

/** What of the loss to capacity no capacity saves, where that is worth telling. */
export function tooLongText({ lossSplit }: Pick<Draft, 'lossSplit'>): string {
  const tooLong = mean(lossSplit?.tooLong ?? null) ?? 0;
  if (tooLong < LEAST_LOST) return '';
  return ` (${pc(tooLong)} of offered to services that alone outlast the SLO)`;
}

/** Of offered: what is lost below this is not told of. */
export const LEAST_LOST = 0.005;

/** What no number of slots serves, and what it is lost to where that is known. */
function ceilingText(needed: Draft['slotsNeeded'], upstream: number): string[] {
  const ceiling = ceilingOf(needed);
  if (ceiling === null || needed === null) return [];
  const none =
    slotsOrder(needed) === undefined
      ? `no number of slots serves more than ${pc(ceiling)}`
      : `${pc(1 - ceiling)} no number of slots serves in time`;
  const lost = `${none}: a service alone outlasts the SLO, or the endpoint is the limit`;
  const failed =
    upstream >= LEAST_LOST
      ? ` (its preempts and its slowdown cost ${pc(upstream)} of offered)`
      : '';
  return [`${lost}${failed}`];
}

/** What the most slots that were tried serve, where it is not enough and more bring nothing; null else. */
function ceilingOf(needed: Draft['slotsNeeded']): number | null {
  if (needed === null || needed.needed !== null) return null;
  const [before, last] = needed.curve.slice(-2).map(({ goodput }) => mean(goodput));
  if (before == null || last == null || Math.abs(last - before) > FLAT) return null;
  return last;
}
