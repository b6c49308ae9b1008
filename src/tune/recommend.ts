/** The first screen: the action, and the evidence for it, in the order in which one on call reads. */

import type { ShortSlo } from '../scenario/short-slo.ts';
import type { Scenario } from '../scenario/types.ts';
import {
  buyLines,
  insideText,
  scaleText,
  slotsOrder,
  slotsText,
  stillLines,
  tooLongText,
  undoSlotsText,
} from './capacity-text.ts';
import { isSeveral, orderText, sendText, undoText } from './gate-text.ts';
import { eachLines, gateLines, staleText, validText } from './guard-text.ts';
import { keepPresent, keepsPresent } from './keep-present.ts';
import {
  nothingAllowed,
  type OtherWay,
  otherOrder,
  otherWayBeside,
  refusedText,
} from './nothing-allowed.ts';
import { rangeText, triedText } from './range-text.ts';
import {
  advisedFigures,
  bandText,
  bindingOf,
  type Draft,
  figuresOf,
  inText,
  isOfSeveral,
  type Line,
  line,
  mean,
  namedLines,
  ofText,
  pc,
  pcPair,
} from './recommend-parts.ts';
import { riskLines } from './risk-text.ts';
import { betterRule, waitLines } from './rule-text.ts';
import { isCapacity, settingText, valueAt } from './setting.ts';
import { stateText, stateTexts } from './state-text.ts';
import type { Recommendation } from './types.ts';
import type { WayOut } from './way-out.ts';

/**
 * @param present scenario that binds, as it is now
 * @param wayOut what would allow something, where no rule and no slots do
 */
export function recommend(draft: Draft, present: Scenario, wayOut?: WayOut): Recommendation {
  const label = labelOf(draft);
  if (!draft.evidence.enough) {
    const { text, arrived } = draft.evidence;
    const headline = arrived ? 'NOT ENOUGH EVIDENCE. CHANGE NOTHING.' : 'CANNOT TELL.';
    return {
      ...{ action: 'not-enough-evidence', headline, label, chosenIs: 'chosen' },
      lines: [line('WHY', text)],
    };
  }
  const { chosen } = draft;
  if (chosen === null && draft.shortSlo !== undefined) {
    return sloTooShort(draft.shortSlo, draft, label, present);
  }
  if (keepsPresent(draft)) return keepPresent(draft, label, present);
  if (chosen === null) return nothingAllowed(draft, label, present, wayOut);
  const action = draft.keep ? 'keep' : 'set';
  const other = otherWayBeside(draft, present, advisedFigures(draft), true);
  const headline = [
    ...orderText(draft),
    ...otherOrder(draft, other),
    ...slotsText(draft, present, other !== undefined),
  ].join(' ');
  const told = [
    nowLine(draft),
    ...eachLines(draft),
    line('WHY', whyText(draft, present, other)),
    ...buyLines(draft, present),
    line('RANGE', rangeText(draft)),
    ...costLines(draft),
    line('DO', doText(draft, present, other)),
    ...(draft.keep ? [] : [line('CHECK', checkText(draft, present))]),
    ...stillLines(draft),
    ...riskLines(draft, settingText(chosen.setting), draft.keep),
    ...waitLines(draft),
    ...gateLines(draft, present),
    line('VALID', validText(draft)),
    line('STALE', staleText(draft)),
  ];
  const lines = namedLines(draft, present.name, told);
  return { action, headline, label, chosenIs: draft.keep ? 'kept' : 'chosen', lines };
}

function labelOf({ origin, verification, evidence }: Draft): string {
  const from = origin.target === 'stub' ? 'services observed at a STUB' : 'observed services';
  const base = evidence.services === 'observed' ? `SIMULATED from ${from}` : 'SIMULATED';
  if (verification.length === 0) return `${base}; not yet verified live`;
  const at = verification.some(({ target }) => target === 'stub') ? ' at a STUB' : '';
  return `${origin.simulated ? base : 'measured'}; live check${at} ${checkOf(verification)}`;
}

/** A check that could not be made is not passed. */
function checkOf(verification: Draft['verification']): string {
  const unsound = verification.find(({ status }) => status !== 'ok');
  if (unsound !== undefined) return `not to be trusted: ${unsound.status}`;
  const figures = verification.flatMap((one) => one.figures);
  return figures.every(({ inside }) => inside === true) ? 'passed' : 'FAILED';
}

/** Neither a threshold nor capacity is at fault, so that none is named. */
function sloTooShort(
  { sloS, serviceS }: ShortSlo,
  draft: Draft,
  label: string,
  { name }: Scenario,
): Recommendation {
  const [slo, service] = [sloS, serviceS].map((s) => `${Number(s.toPrecision(3))} s`);
  const lines = [
    line(
      'WHY',
      `${name}: the SLO is ${slo}, the shortest service takes ${service}; ${triedText(draft)}`,
    ),
    line('DO', `promise more than ${service}, or find an endpoint that serves within ${slo}`),
  ];
  const headline = 'THE SLO IS SHORTER THAN ANY SERVICE. NO THRESHOLD AND NO SLOTS HELP.';
  return { action: 'none', headline, label, chosenIs: 'chosen', lines };
}

function nowLine(draft: Draft): Line {
  const { chosen, present } = figuresOf(draft);
  if (draft.keep || present === undefined) return line('NOW', stateText(chosen));
  const [now, then] = stateTexts(present, chosen);
  return line('NOW', `${now}; then: ${then}`);
}

function whyText(draft: Draft, present: Scenario, other: OtherWay | undefined): string {
  const { lossSplit, chosen, baselines } = draft;
  const name = chosen?.binding ?? '';
  const { chosen: figures } = figuresOf(draft);
  const parts = [
    `${ofText(draft, name)}lost to the threshold ${pc(lossSplit?.threshold ?? null)} of offered, to capacity ${pc(lossSplit?.capacity ?? null)}${tooLongText(draft)}`,
  ];
  if (draft.scenarios.length > 1) {
    parts.push(
      isSeveral(draft) ? `of the gates that change, that of ${name} binds` : `${name} binds`,
    );
  }
  const none = bindingOf(
    baselines.find((one) => one.name === 'no gate'),
    name,
  );
  const [without, own] = pcPair(none?.goodput ?? null, figures?.goodput ?? null);
  parts.push(`no gate serves ${without} in time, this ${own}`);
  const better = other?.why ?? betterRule(draft, name);
  if (better !== undefined) parts.push(better);
  parts.push(...refusedText(draft, figures, name));
  const inside = insideText(present);
  if (inside !== undefined) parts.push(inside);
  return parts.join('; ');
}

function costLines(draft: Draft): Line[] {
  const { chosen, present } = figuresOf(draft);
  if (chosen === undefined || present === undefined) return [];
  const lost = draft.losers.filter((one) => one.lost);
  const losers = lost.map(
    ({ group, present: now, chosen: then }) => `${group} ${pcPair(now, then).join(' -> ')}`,
  );
  const who = losers.length === 0 ? 'no class or size loses' : `who loses: ${losers.join(', ')}`;
  const moved = draft.keep
    ? `turned away ${pc(chosen.rejection)}`
    : `turned away ${pcPair(present.rejection, chosen.rejection).join(' -> ')}`;
  const kept = mean(chosen.refusalP95S);
  const refusal = kept === null ? '' : `, 95 % of them within ${kept.toFixed(1)} s`;
  return [line('COST', `${moved}${refusal}; ${who}`)];
}

function doText(draft: Draft, present: Scenario, other: OtherWay | undefined): string {
  const { chosen, keep, origin } = draft;
  if (chosen === null) return '';
  const scale = moreCapacity(draft, present) ?? scaleText(draft, present);
  const warn = origin.simulated ? ' (simulated: calibrate before production)' : '';
  if (keep) return `${scale}${other?.put ?? 'change nothing'}${warn}`;
  const more =
    other === undefined
      ? ''
      : `; or, which serves more${inText(draft, present.name)}: ${other.put}`;
  return `${scale}${sendText(draft)}${warn}${more}`;
}

/** A limit of the gate above what there is to be limited is no capacity: that comes first. */
function moreCapacity({ chosen, params, keep }: Draft, present: Scenario): string | undefined {
  const [path] = params.map((one) => one.path).filter(isCapacity);
  if (path === undefined || keep) return undefined;
  const [before, after] = [Number(valueAt(present, path)), Number(chosen?.setting[path])];
  return after > before ? `add capacity for ${after} at a time in place of ${before}, then ` : '';
}

function checkText(draft: Draft, present: Scenario): string {
  const { chosen } = figuresOf(draft);
  const { offered } = draft;
  const served = offered * (1 - (mean(chosen?.unserved ?? null) ?? 0));
  // The bands are of the slots that there are: whoever adds some as well must not undo for that.
  const before = slotsOrder(draft.slotsNeeded) === undefined ? '' : ', before slots are added';
  return `in the next run like ${isOfSeveral(draft) ? draft.chosen?.binding : 'this'}${before}: turned away ${bandText(chosen?.rejection, offered)}, late ${bandText(chosen?.breach, served)} of the served. Else UNDO: ${undoText(draft)}${undoSlotsText(draft, present)}`;
}
