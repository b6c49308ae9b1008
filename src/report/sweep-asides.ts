/** What stands behind the headline of a sweep: missing capacity, and a best value at the end of what was tried. */
import { numberOf } from '../result/figure.ts';
import type { SweepDocument, SweepSetting } from '../tune/types.ts';
import { list, roughPercent } from './format.ts';
import { lostToPreempts, takenByPreempts } from './preempt-losses.ts';
import { pathText } from './setting-text.ts';
import { type OpenEnd, openEnds } from './sweep-edge.ts';

/** What `tune` calls the same, of offered. */
export const SAME = 0.01;
/** Below this share of compute slots are not known to lack. */
const BUSY_FROM = 0.7;

/** Rules that turn nobody away for the length of his work: all that they could still use is free time. */
const BLIND_TO_WORK = [
  'gate.ageRejectS',
  'gate.depthMultiple',
  'gate.maxWaitS',
  'gate.predictedWaitS',
  'gate.queueCapacity',
];
/** A lack of capacity that is worth a word while the best value may not have been tried, of offered. */
const LEAST_LACK = 0.05;

/** A word and its reason, which follows it. */
export interface Said {
  readonly short: string;
  readonly why: string;
}

/** Served in time, of offered; 0 where nobody was offered. */
export function goodputOf({ figures }: SweepSetting): number {
  return numberOf(figures.rates.goodput) ?? 0;
}

/**
 * What no setting that was tried serves: lost to preempts, for want of capacity, or for another
 * reason. Where a value that was not tried may serve it, of capacity only what no value could serve.
 */
export function unserved(document: SweepDocument, best: SweepSetting, lost: number): Said[] {
  const ends = openEnds(document, best);
  const isOpen = ends.some(({ path }) => path !== 'gate.slots');
  const byPreempts = lostToPreempts(best.figures, lost);
  const beyond = ends.length === 0 ? [] : [beyondEnds(document, best, ends)];
  if (byPreempts !== undefined) return [byPreempts, ...beyond];
  const held = heldSlots(best, lost);
  if (held !== undefined) return [held, ...beyond];
  if (!isOpen) return [capacity(document, best, lost), ...beyond];
  const lacking = lackingAnyway(document, best);
  return lacking === undefined ? beyond : [lacking, ...beyond];
}

/** What slots without a free moment leave, under whichever threshold; undefined: little, or it is not known. */
function lackingAnyway({ axes }: SweepDocument, { figures }: SweepSetting): Said | undefined {
  const { outcomes, utilization } = figures;
  const busy = numberOf(utilization.busy);
  const offered = numberOf(outcomes.offered);
  const completed = numberOf(outcomes.completed);
  if (busy === null || offered === null || completed === null) return undefined;
  // Work that came to nothing could have been work for another.
  const isWasted = [outcomes.failed, outcomes.killed, outcomes.abandoned].some(
    (figure) => (numberOf(figure) ?? 0) > 0,
  );
  if (isWasted || !axes.every(({ path }) => BLIND_TO_WORK.includes(path))) return undefined;
  const least = 1 - completed / offered / busy;
  if (!(least >= LEAST_LACK)) return undefined;
  return {
    short: `At least ${roughPercent(least)} lack capacity, whatever the threshold.`,
    why: `${capital(used(busy))}: a threshold can fill the rest of it and no more; the others need slots.`,
  };
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Of slots that somebody holds, or of which nobody knows, no other threshold would make more. */
function heldSlots({ figures: { utilization } }: SweepSetting, lost: number): Said | undefined {
  const busy = numberOf(utilization.busy);
  const slots = numberOf(utilization.slots);
  if (busy === null || slots === null || busy >= BUSY_FROM || slots < BUSY_FROM) return undefined;
  return {
    short: `The other ${roughPercent(lost)} wait for slots that are held, not worked on.`,
    why: `No setting here serves them: slots are out ${roughPercent(slots)} of the time, but ${used(busy)}.`,
  };
}

function used(busy: number): string {
  return `slots compute ${roughPercent(busy)} of the time`;
}

function capacity({ axes }: SweepDocument, best: SweepSetting, lost: number): Said {
  const busy = numberOf(best.figures.utilization.busy);
  const rest = `The other ${roughPercent(lost)}`;
  if (busy === null) {
    return {
      short: `Whether the other ${roughPercent(lost)} lack capacity is unknown.`,
      why: 'No setting here serves them, and the upstream says nothing of its compute.',
    };
  }
  const taken = takenByPreempts(best.figures);
  if (taken !== undefined) {
    return {
      short: `${rest} are late by preempts, or lack capacity.`,
      why: `No setting here serves them while ${used(busy)}, with ${taken}: the same with --set 'model.preempts={"type":"none"}' tells the two apart.`,
    };
  }
  if (busy >= BUSY_FROM) {
    const more = axes.some(({ path }) => path === 'gate.slots')
      ? 'it takes more slots than were tried'
      : 'it takes slots, not a threshold';
    return {
      short: `${rest} lack capacity.`,
      why: `No setting here serves them while ${used(busy)}: ${more}.`,
    };
  }
  return {
    short: `${rest} lack capacity in the rush alone, or not at all.`,
    why: `No setting here serves them, yet over the whole run ${used(busy)}: look at the pool over time.`,
  };
}

/** A best value with nothing tried beyond it may not be the best there is. */
function beyondEnds(
  { settings }: SweepDocument,
  best: SweepSetting,
  ends: readonly OpenEnd[],
): Said {
  const alike = settings.filter((each) => goodputOf(best) - goodputOf(each) <= SAME).length;
  const flat =
    alike > 1 ? `; ${alike} of ${settings.length} settings are within 1 % of offered of it` : '';
  const told = ends.map(({ text, side }) => `${text} is the ${side}`);
  const tries = ends.map(({ path, side }) => {
    const direction = side === 'greatest' ? 'greater' : 'smaller';
    return ends.length === 1 ? `${direction} ones` : `a ${direction} ${pathText(path)}`;
  });
  return {
    short: 'The best stands at the end of what was tried.',
    why: `No setting tried here serves more, but ${list(told)} of them: try ${list(tries)}${flat}.`,
  };
}
