/** Slots full, busy high, nobody holds: what a threshold can still save, and what only slots can. */
import { BUSY_FROM, type Facts, NOTABLE_LOSS, SAME, type Window } from './facts.ts';
import { allOut, busyOf } from './pool.ts';
import { ENOUGH, type Setting, type Settings, triedSettings } from './settings-tried.ts';
import { askGate, basisOf, percent, putPolicy, round, seconds, stamp } from './text.ts';
import type { Verdict } from './types.ts';

/** Of offered: a setting that loses more is nothing to be kept without a word. */
const LARGE_LOSS = 0.1;
/** From so far apart this run and the mean of its kind speak of different loads. */
const APART = 0.1;

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
  const settings = triedSettings(facts);
  const pool = poolText(full, windows, facts.slots, busy);
  return settings === undefined ? loss(facts, busy, pool) : advice(settings, facts, pool);
}

/** The pool at its limit, and for how much of the time: the tables of a run tell its mean, which is less. */
function poolText(
  full: readonly Window[],
  all: readonly Window[],
  slots: number,
  busy: number,
): string {
  const leased = meanLeased(full);
  const out =
    allOut(full, slots).length > 0 ? 'slots full' : `${round(leased)} of ${slots} slots out`;
  const text = full.every(({ queued }) => queued > 0) ? `${out} and somebody waiting` : out;
  const share = lengthOf(full) / lengthOf(all);
  return share < 1
    ? `${text} for ${percent(share)} of the time, upstream CPU ${percent(busy)} then`
    : `${text} all the time, upstream CPU ${percent(busy)}`;
}

function lengthOf(windows: readonly Window[]): number {
  return windows.reduce((sum, { fromS, toS }) => sum + toS - fromS, 0);
}

function advice(settings: Settings, facts: Facts, pool: string): Verdict {
  const { present, none, best, slots } = settings;
  const { served } = facts;
  const keeps = best === present;
  const enough = leastEnough(slots);
  const more =
    enough !== undefined && enough.goodput - best.forecast.goodput > SAME ? enough : undefined;
  // Neither saves many: "keep" would be a false comfort.
  const isStuck = more === undefined && 1 - best.forecast.goodput > LARGE_LOSS;
  const doubt = more === undefined ? undefined : doubtOf(settings, more, facts);
  return {
    action: keeps ? keptAction(more !== undefined, isStuck) : 'set-threshold',
    headline: `${orderOf(settings, isStuck)} ${buyOf(more, facts, isStuck)}${doubt === undefined ? '' : ' BUT FIRST PLAY MORE RUNS.'} ${basisOf(facts.source)}`,
    signal: 'rates.goodput',
    value: served?.goodput ?? null,
    threshold: best.forecast.goodput,
    evidence: [
      servedText(facts),
      pool,
      `${predictedFrom(present, facts)}: best of the settings tried ${percent(best.forecast.goodput)} (${best.text}), the present one ${percent(present.forecast.goodput)}, no gate ${percent(none.forecast.goodput)}`,
      ...(doubt === undefined ? [] : [doubt]),
    ].join(' | '),
    ...(more === undefined ? {} : { first: addCapacity(more, slots) }),
    commands: [
      ...(keeps ? [] : [putPolicy(facts.adminUrl, best.limits)]),
      ...(more === undefined ? [] : [putPolicy(facts.adminUrl, { slots: more.slots })]),
    ],
    expect: expected(settings, more !== undefined, facts) + (isStuck ? LIMITS_ELSEWHERE : ''),
    wrongIf: wrongIf(best, more),
    undo: undoOf(keeps ? undefined : best, more !== undefined, facts),
  };
}

type More = Settings['slots'][number];

/** What serves enough, else the fewest that serve as much as any number that was tried. */
function leastEnough(slots: Settings['slots']): More | undefined {
  const last = slots.at(-1);
  if (last === undefined || last.goodput >= ENOUGH) return last;
  const most = Math.max(...slots.map(({ goodput }) => goodput));
  return slots.find(({ goodput }) => most - goodput <= SAME);
}

/** Slots are tried at coarse steps. */
function addCapacity({ slots, goodput }: More, tried: Settings['slots']): string {
  const most = tried.at(-1)?.slots ?? slots;
  const short =
    slots < most
      ? `still not enough, and up to ${most} bring no more`
      : 'the most that was tried, and still not enough';
  const which =
    goodput >= ENOUGH
      ? 'the least of the counts tried; `loadline tune` finds the least there is'
      : short;
  return `add capacity for ${slots} at a time (${which}); only then tell the gate of ${slots} slots`;
}

/** Held against what is expected once the advice was followed. */
function wrongIf(best: Setting, more: More | undefined): string {
  const short = (goodput: number) =>
    `goodput falls short of ${percent(goodput)} by more than 10 points`;
  return more === undefined
    ? `slots are not full in the next burst, or ${short(best.forecast.goodput)}`
    : `slots are not full in the next burst before you add any, or with ${more.slots} slots ${short(more.goodput)}`;
}

/** A forecast is of the kind of load, the run is one draw of it, or several, from the same first seed on. */
function predictedFrom({ forecast: { runs = 1 } }: Setting, { seeds = 1 }: Facts): string {
  if (runs === 1) {
    const of = seeds > 1 ? 'the first seed' : 'the arrivals';
    return `predicted by simulation of ${of} of this run`;
  }
  const has = seeds > runs ? `${seeds}, these among them` : seedsOf(seeds, runs);
  return `predicted, as the mean over the arrivals of ${runs} seeds (this run has ${has})`;
}

function seedsOf(own: number, all: number): string {
  if (own === all) return 'the same';
  return own === 1 ? 'one of them' : `${own} of them`;
}

/** Why slots that the mean calls for are not known to be lacking in this run; undefined: they are. */
function doubtOf(
  { present, best }: Settings,
  more: More,
  { served, lost }: Facts,
): string | undefined {
  const now = present.forecast.goodput;
  const apart = Math.abs((served?.goodput ?? now) - now) > APART;
  const lacks = lost === undefined || lost.capacity > NOTABLE_LOSS;
  if (!apart && lacks) return undefined;
  const gain = more.goodput - best.forecast.goodput;
  const why = apart
    ? `this run and the mean differ by ${round(100 * Math.abs((served?.goodput ?? now) - now))} points`
    : 'this run lost next to nothing to missing capacity';
  return `${why}: the slots are for other arrivals of this kind, where they bring ${round(100 * gain)} points`;
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

/** @param best undefined: the threshold was kept */
function undoOf(
  best: Setting | undefined,
  adds: boolean,
  { rules, slots, adminUrl }: Facts,
): string {
  if (best === undefined && !adds) return 'nothing was changed';
  const off = Object.keys(best?.limits ?? {}).map((name) => [name, null]);
  const limits = best === undefined ? {} : { ...Object.fromEntries(off), ...rules.limits };
  return putPolicy(adminUrl, { ...limits, ...(adds ? { slots } : {}) });
}

function servedText({ served, lost, source }: Facts): string {
  if (served === null) return '';
  const { goodput, rejection, breach } = served;
  return `${source === 'observed' ? 'Observed in this run' : 'This run'}: goodput ${percent(goodput)} of offered | turned away ${percent(rejection)} | late ${percent(breach)} of the served${lostText(lost)}`;
}

function lostText(lost: Facts['lost']): string {
  if (lost === undefined) return '';
  return ` | by simulation of these arrivals, lost to the threshold ${percent(Math.max(0, lost.threshold))}, to missing capacity ${percent(lost.capacity)}`;
}

function expected({ best, slots }: Settings, helps: boolean, { served }: Facts): string {
  const now = `predicted: goodput ${percent(best.forecast.goodput)}, turned away ${percent(best.forecast.rejection)}, late ${percent(best.forecast.breach)}`;
  if (!helps) return `${now}; what is still lost does not come back with slots at this gate`;
  const curve = slots
    .map(({ slots: n, goodput }) => `${n} slots -> ${percent(goodput)}`)
    .join(', ');
  return `${now}; ${curve}. If you cannot add slots: tell clients that about ${percent(best.forecast.rejection)} are turned away (predicted; in this run it was ${percent(served?.rejection ?? 0)})`;
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
    evidence: `Slots ${round(window.leased)}/${facts.slots} leased | upstream CPU ${percent(window.busy)} | ${round(window.queued)} wait, the oldest ${seconds(window.queueAgeS)} | no session holds a slot`,
    commands: [askGate(facts.adminUrl, 'policy')],
    expect: 'with more slots queue age falls; the threshold decides only who is turned away',
    wrongIf: 'upstream CPU falls while the queue still grows',
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
    first:
      'start the gate with --upstream-metrics and the URL of the metrics that have cpu_busy_seconds_total',
    commands: [],
    expect: 'with it: low upstream CPU means held slots, high means too little capacity',
    wrongIf: '',
    undo: 'nothing was changed',
  };
}
