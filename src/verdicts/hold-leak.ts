/**
 * Runbook 000: "CPU under 0.3 and queue age over 60s: do not scale, this is a hold leak". The leak
 * is named: which leases, how long held, when their clients last read.
 */
import { type Facts, type HeldLease, IDLE_BUSY, OLD_QUEUE_S, type Window } from './facts.ts';
import { askGate, endLease, list, percent, putPolicy, round, seconds, stamp } from './text.ts';
import type { Verdict } from './types.ts';

/** What a wait is tried in, to find the first job that it would cost. */
const WAIT_STEP_S = 5;
const WAIT_STEPS = 24;
const MOST_NAMED = 8;

/** The contradiction at its worst, and who holds the slots then. */
export interface Leak {
  readonly window: Window;
  readonly sinceS: number;
  /** The longest held first. */
  readonly holders: readonly HeldLease[];
}

/** Whether a window shows the contradiction. Unknown compute shows nothing. */
export function isContradiction({ busy, queueAgeS }: Window): boolean {
  return busy !== null && busy < IDLE_BUSY && queueAgeS > OLD_QUEUE_S;
}

/** The interactive leases that are held at an instant, the longest held first. */
export function heldAt(leases: readonly HeldLease[], atS: number): HeldLease[] {
  const held = leases.filter(
    ({ kind, fromS, toS }) => kind === 'interactive' && fromS < atS && (toS === null || toS >= atS),
  );
  return held.sort((a, b) => a.fromS - b.fromS);
}

/** Finds the leak, or undefined where idle compute and an old queue never met a long hold. */
export function findLeak(windows: readonly Window[], facts: Facts): Leak | undefined {
  const shown = windows.filter(isContradiction);
  let leak: Leak | undefined;
  for (const window of shown) {
    if (leak !== undefined && window.queueAgeS <= leak.window.queueAgeS) continue;
    const holders = heldAt(facts.leases, window.toS).filter(
      ({ fromS }) => window.toS - fromS > facts.rules.holdRejectS,
    );
    if (holders.length > 0) leak = { window, sinceS: shown[0]?.fromS ?? window.fromS, holders };
  }
  return leak;
}

/** The order to leave the replicas alone and to end the sessions. */
export function doNotScale({ window, sinceS, holders }: Leak, facts: Facts): Verdict {
  const names = holders.map(({ name }) => name);
  const { adminUrl, rules } = facts;
  const atS = window.toS;
  return {
    action: 'do-not-scale',
    headline: `DO NOT SCALE. END SESSIONS ${named(names)}.${stamp(facts.source, atS)}`,
    signal: 'cpu_busy_ratio',
    value: window.busy,
    threshold: IDLE_BUSY,
    evidence: [
      `Slots ${round(window.leased)}/${facts.slots} leased | upstream CPU ${percent(window.busy ?? 0)}`,
      ageText(window, facts),
      `a hold leak since t = ${seconds(sinceS)}: ${holdersText(holders, atS)}`,
    ].join(' | '),
    commands: [
      ...names.map((name) => endLease(adminUrl, name)),
      putPolicy(adminUrl, {
        slackRejectS: rules.slackRejectS ?? 90,
        slackAdmitS: rules.slackAdmitS,
        rejectInteractive: true,
      }),
    ],
    expect: expectation(atS, names, facts, window),
    wrongIf: `${names.length > 1 ? 'one of them is' : 'it is'} producing tokens: then it is overload, not a leak`,
    undo: `${putPolicy(adminUrl, { rejectInteractive: false })} # interactive leases are then capped at 1`,
  };
}

function named(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function ageText({ queueAgeS, slackS }: Window, { batch }: Facts): string {
  if (batch === null || slackS === null) return `oldest in the queue ${seconds(queueAgeS)}`;
  const ageS = batch.deadlineS - slackS - batch.expectedS;
  return `oldest batch ${seconds(ageS)} of ${round(batch.deadlineS)} | slack ${seconds(slackS)}`;
}

function holdersText(holders: readonly HeldLease[], atS: number): string {
  const each = holders.slice(0, MOST_NAMED).map(({ name, fromS, lastReadS }) => {
    const read =
      lastReadS === null
        ? 'last read unknown'
        : `client read nothing for ${seconds(Math.max(0, atS - lastReadS))}`;
    return `${name} held ${seconds(atS - fromS)}, ${read}`;
  });
  return each.join('; ');
}

/** What ending all, ending one, and waiting would come to, each by simulation. */
function expectation(
  atS: number,
  names: readonly string[],
  facts: Facts,
  { slackS }: Window,
): string {
  const all = facts.foresee({ type: 'end-holds', atS, names });
  if (all === undefined || all.batch === 0) return withoutForecast(facts, slackS);
  const asides = [oneOnly(atS, names, facts), firstMiss(atS, names, facts, all.batchInTime)];
  const aside = asides.filter((text) => text !== undefined).join('; ');
  const jobs = `${all.batchInTime} of ${all.batch} batch jobs in time`;
  return aside === '' ? jobs : `${jobs} (${aside})`;
}

function withoutForecast({ batch }: Facts, slackS: number | null): string {
  if (batch === null || slackS === null) return 'a slot comes free at once; queue age falls';
  if (slackS < 0) return `a slot comes free at once; the oldest job is late by ${seconds(-slackS)}`;
  return `the oldest job ends in ${seconds(batch.expectedS)}, in time (wait ${seconds(slackS)}: it is late)`;
}

function oneOnly(atS: number, names: readonly string[], { foresee }: Facts): string | undefined {
  if (names.length < 2) return undefined;
  const one = foresee({ type: 'end-holds', atS, names: names.slice(0, 1) });
  return one === undefined ? undefined : `end only one: ${one.batchInTime} of ${one.batch}`;
}

function firstMiss(
  atS: number,
  names: readonly string[],
  { foresee }: Facts,
  atOnce: number,
): string | undefined {
  for (let step = 1; step <= WAIT_STEPS; step++) {
    const waitS = step * WAIT_STEP_S;
    const late = foresee({ type: 'end-holds', atS: atS + waitS, names });
    if (late === undefined) return undefined;
    if (late.batchInTime < atOnce) return `wait ${seconds(waitS)}: the first miss`;
  }
  return undefined;
}

/** Idle compute and an old queue that no hold explains: a limit elsewhere, not free capacity. */
export function idleWithoutHold(window: Window, facts: Facts): Verdict {
  return {
    action: 'do-not-scale',
    headline: `DO NOT SCALE. FIND WHAT THE QUEUE WAITS FOR.${stamp(facts.source, window.toS)}`,
    signal: 'queue_age_seconds',
    value: window.queueAgeS,
    threshold: OLD_QUEUE_S,
    evidence: [
      `Slots ${round(window.leased)}/${facts.slots} leased | upstream CPU ${percent(window.busy ?? 0)}`,
      `oldest in the queue ${seconds(window.queueAgeS)} | no interactive lease is held long`,
    ].join(' | '),
    commands: [askGate(facts.adminUrl, 'leases')],
    expect: `the wait stands at the upstream: ${list(['its own limit on concurrency', 'a stalled prefill', 'a scrape that misses compute'])} are the usual causes`,
    wrongIf: 'upstream CPU rises with the next burst and queue age falls',
    undo: 'nothing was changed',
  };
}
