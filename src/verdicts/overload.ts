/** Slots full, busy high, nobody holds: what a threshold can still save, and what only slots can. */
import { BUSY_FROM, type Facts, type Forecast, NOTABLE_LOSS, type Window } from './facts.ts';
import { allOut, busyOf } from './pool.ts';
import { percent, putPolicy, round, seconds, stamp } from './text.ts';
import type { Verdict } from './types.ts';

/** Settings within this of the best are as good. */
const SAME = 0.01;
const ENOUGH = 0.99;
/** Of offered: a setting that loses more is nothing to be kept without a word. */
const LARGE_LOSS = 0.1;
const SLOT_FACTORS = [1.25, 1.5, 2, 3, 4, 6, 8];
const WAIT_SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** Codes of the rules that turn away for want of room. */
const FOR_ROOM: ReadonlySet<string> = new Set([
  ...['queue_age', 'queue_depth', 'queue_capacity', 'max_wait', 'predicted_wait'],
]);

/**
 * Windows that show the pool at its limit: every slot out and somebody waiting; where nobody may
 * wait, those in which as many slots were out as ever while the gate turned away for want of room.
 */
function fullWindows(windows: readonly Window[], facts: Facts): Window[] {
  const out = allOut(windows, facts.slots);
  const waiting = out.filter(({ queued }) => queued > 0);
  if (waiting.length > 0 || !turnsAwayForRoom(facts)) return waiting;
  if (out.length > 0) return out;
  const most = Math.max(0, ...windows.map(({ leased }) => leased));
  return windows.filter(({ leased }) => leased > 0 && leased >= 0.9 * most);
}

function turnsAwayForRoom({ lostBy = [] }: Facts): boolean {
  const forRoom = lostBy.filter(({ kind, what }) => kind === 'refused' && FOR_ROOM.has(what));
  return forRoom.reduce((sum, { share }) => sum + share, 0) > NOTABLE_LOSS;
}

/** Compute of the slots that were out: a window's average also has moments with some free. */
function workOf(full: readonly Window[], slots: number): number | null {
  const busy = busyOf(full);
  return busy === null ? null : Math.min(1, (busy * slots) / Math.min(slots, meanLeased(full)));
}

function meanLeased(windows: readonly Window[]): number {
  return windows.reduce((sum, { leased }) => sum + leased, 0) / windows.length;
}

/** What to do about a pool that has too much to do; undefined where it has not. */
export function overload(windows: readonly Window[], facts: Facts): Verdict | undefined {
  const full = fullWindows(windows, facts);
  if (full.length === 0) return undefined;
  const busy = workOf(full, facts.slots);
  if (facts.served === null) return overloadNow(full.at(-1) as Window, facts);
  if (1 - facts.served.goodput <= NOTABLE_LOSS) return undefined;
  if (busy === null) return unknownCompute(facts);
  if (busy < BUSY_FROM) return undefined;
  const settings = tried(facts);
  const pool = poolText(full, facts.slots, busy);
  return settings === undefined ? loss(facts, busy, pool) : advice(settings, facts, pool);
}

function poolText(full: readonly Window[], slots: number, busy: number): string {
  const leased = meanLeased(full);
  const text =
    allOut(full, slots).length > 0 ? 'slots full' : `${round(leased)} of ${slots} slots out`;
  return `${text}, CPU ${percent(busy)}`;
}

interface Setting {
  readonly limits: Readonly<Record<string, number | null>>;
  readonly text: string;
  readonly forecast: Forecast;
}

interface Settings {
  readonly present: Setting;
  readonly none: Setting;
  readonly best: Setting;
  readonly slots: readonly { readonly slots: number; readonly goodput: number }[];
}

function tried(facts: Facts): Settings | undefined {
  const { limits } = facts.rules;
  const off = Object.fromEntries(Object.keys(limits).map((name) => [name, null]));
  const setting = (set: Setting['limits'], text: string): Setting[] => {
    const forecast = facts.foresee({ type: 'gate', set });
    return forecast === undefined ? [] : [{ limits: set, text, forecast }];
  };
  const [present] = setting({}, limitsText(limits));
  const [none] = setting(off, 'no gate');
  if (present === undefined || none === undefined) return undefined;
  const waits = WAIT_SHARES.flatMap((share) => {
    const maxWaitS = Number((share * facts.sloS).toPrecision(3));
    return setting({ ...off, maxWaitS }, `maxWaitS ${round(maxWaitS)}`);
  });
  const best = [present, none, ...waits].reduce((a, b) =>
    b.forecast.goodput > a.forecast.goodput ? b : a,
  );
  const isAsGood = best.forecast.goodput - present.forecast.goodput <= SAME;
  const kept = isAsGood ? present : best;
  return { present, none, best: kept, slots: slotCurve(facts, kept) };
}

/** More and more slots under a setting, until they would be enough. */
function slotCurve(facts: Facts, { limits }: Setting): Settings['slots'] {
  const curve: { slots: number; goodput: number }[] = [];
  for (const factor of SLOT_FACTORS) {
    const slots = Math.ceil(facts.slots * factor);
    const goodput = facts.foresee({ type: 'gate', set: { ...limits, slots } })?.goodput;
    if (goodput === undefined) break;
    curve.push({ slots, goodput });
    if (goodput >= ENOUGH) break;
  }
  return curve;
}

function limitsText(limits: Readonly<Record<string, number>>): string {
  const parts = Object.entries(limits).map(([name, value]) => `${name} ${round(value)}`);
  return parts.length === 0 ? 'no gate' : parts.join(' + ');
}

function advice(settings: Settings, facts: Facts, pool: string): Verdict {
  const { present, none, best, slots } = settings;
  const { served } = facts;
  const keeps = best === present;
  const last = slots.at(-1);
  const more = last !== undefined && last.goodput - best.forecast.goodput > SAME ? last : undefined;
  // Neither saves many: "keep" would be a false comfort.
  const isStuck = more === undefined && 1 - best.forecast.goodput > LARGE_LOSS;
  const basis =
    facts.source === 'simulated'
      ? 'simulated; not yet verified live'
      : 'observed; the alternatives simulated';
  return {
    action: keeps ? keptAction(more !== undefined, isStuck) : 'set-threshold',
    headline: `${orderOf(settings, isStuck)} ${buyOf(more, facts, isStuck)} [${basis}]`,
    signal: 'rates.goodput',
    value: served?.goodput ?? null,
    threshold: best.forecast.goodput,
    evidence: [
      servedText(facts),
      pool,
      `predicted, as the mean of simulated runs: best of the settings tried ${percent(best.forecast.goodput)} (${best.text}), the present one ${percent(present.forecast.goodput)}, no gate ${percent(none.forecast.goodput)}`,
    ].join(' | '),
    commands: [
      ...(keeps ? [] : [putPolicy(facts.adminUrl, best.limits)]),
      ...(more === undefined
        ? []
        : [`# add capacity, then: ${putPolicy(facts.adminUrl, { slots: more.slots })}`]),
    ],
    expect: expected(settings, more !== undefined) + (isStuck ? LIMITS_ELSEWHERE : ''),
    wrongIf: `slots are not full in the next burst, or goodput is more than 10 points from ${percent(best.forecast.goodput)}`,
    undo: keeps
      ? putPolicy(facts.adminUrl, { slots: facts.slots })
      : putPolicy(facts.adminUrl, undoOf(best, facts)),
  };
}

const LIMITS_ELSEWHERE =
  '. The usual limits: the endpoint serves fewer at once than this gate has slots, slows down with load, or a service alone outlasts the SLO';

function keptAction(helps: boolean, isStuck: boolean): Verdict['action'] {
  if (helps) return 'add-slots';
  return isStuck ? 'find-cause' : 'keep-threshold';
}

function orderOf({ present, best }: Settings, isStuck: boolean): string {
  if (best !== present) return `SET ${change(present, best)}.`;
  return isStuck ? 'NO THRESHOLD HELPS.' : `KEEP ${present.text}.`;
}

function buyOf(
  more: { readonly slots: number } | undefined,
  { slots }: Facts,
  isStuck: boolean,
): string {
  if (more !== undefined) return `ADD SLOTS: ${slots} -> ${more.slots}.`;
  return isStuck
    ? 'MORE SLOTS DO NOT HELP. FIND WHAT LIMITS THE ENDPOINT.'
    : 'MORE SLOTS DO NOT HELP.';
}

function change(present: Setting, best: Setting): string {
  return best.text === 'no gate'
    ? `NO GATE (now ${present.text})`
    : `${best.text} (now ${present.text})`;
}

function undoOf(best: Setting, { rules }: Facts): Readonly<Record<string, number | null>> {
  const off = Object.fromEntries(Object.keys(best.limits).map((name) => [name, null]));
  return { ...off, ...rules.limits };
}

function servedText({ served, lost, source }: Facts): string {
  if (served === null) return '';
  const { goodput, rejection, breach } = served;
  return `${source === 'observed' ? 'Observed' : 'This run'}: goodput ${percent(goodput)} of offered | turned away ${percent(rejection)} | late ${percent(breach)} of the served${lostText(lost)}`;
}

function lostText(lost: Facts['lost']): string {
  if (lost === undefined) return '';
  return ` | by simulation, lost to the threshold ${percent(Math.max(0, lost.threshold))}, to missing capacity ${percent(lost.capacity)}`;
}

function expected({ best, slots }: Settings, helps: boolean): string {
  const now = `predicted: goodput ${percent(best.forecast.goodput)}, turned away ${percent(best.forecast.rejection)}, late ${percent(best.forecast.breach)}`;
  if (!helps) return `${now}; what is still lost does not come back with slots at this gate`;
  const curve = slots
    .map(({ slots: n, goodput }) => `${n} slots -> ${percent(goodput)}`)
    .join(', ');
  return `${now}; ${curve}. If you cannot add slots: tell clients that ${percent(best.forecast.rejection)} are turned away`;
}

/** A run that no simulation can speak for. */
function loss(facts: Facts, busy: number, pool: string): Verdict {
  return {
    action: 'add-slots',
    headline: `ADD SLOTS, OR ASK FOR LESS.${stamp(facts.source, null)}`,
    signal: 'cpu_busy_ratio',
    value: busy,
    threshold: BUSY_FROM,
    evidence: `${servedText(facts)} | ${pool} | no session holds a slot`,
    commands: ['npx loadline calibrate', 'npx loadline tune'],
    expect: 'how many slots, and which threshold until then, is a matter of a calibrated model',
    wrongIf: 'slots are not full in the next burst',
    undo: 'nothing was changed',
  };
}

function overloadNow(window: Window, facts: Facts): Verdict | undefined {
  if (window.busy === null) return window.queueAgeS > 0 ? unknownCompute(facts) : undefined;
  if (window.busy < BUSY_FROM) return undefined;
  return {
    action: 'add-slots',
    headline: `ADD SLOTS, OR LET THE GATE TURN AWAY.${stamp(facts.source, window.toS)}`,
    signal: 'queue_age_seconds',
    value: window.queueAgeS,
    threshold: null,
    evidence: `Slots ${round(window.leased)}/${facts.slots} leased | CPU ${percent(window.busy)} | ${round(window.queued)} wait, the oldest ${seconds(window.queueAgeS)} | no session holds a slot`,
    commands: [`curl -sf ${facts.adminUrl}/admin/policy`],
    expect: 'with more slots queue age falls; the threshold decides only who is turned away',
    wrongIf: 'CPU falls while the queue still grows',
    undo: 'nothing was changed',
  };
}

function unknownCompute(facts: Facts): Verdict {
  return {
    action: 'cannot-tell',
    headline: 'CANNOT TELL A LEAK FROM OVERLOAD: WHAT COMPUTES IS UNKNOWN.',
    signal: 'cpu_busy_ratio',
    value: null,
    threshold: null,
    evidence: [
      servedText(facts),
      'slots full and somebody waits, but the upstream says nothing of its compute',
    ]
      .filter((text) => text !== '')
      .join(' | '),
    commands: ['# give the gate --upstream-metrics <url>, where cpu_busy_seconds_total is'],
    expect: 'with it: low CPU means held slots, high CPU means too little capacity',
    wrongIf: '',
    undo: 'nothing was changed',
  };
}
