/**
 * The last word before "change nothing": whoever was lost in numbers must be spoken of, also where
 * neither a leak nor overload explains it.
 */
import {
  BUSY_FROM,
  type Facts,
  type Loss,
  NOTABLE_LOSS,
  OLD_QUEUE_S,
  type Window,
} from './facts.ts';
import { heldAt } from './hold-leak.ts';
import { allOut, busyOf } from './pool.ts';
import { askGate, percent, round, seconds, stamp } from './text.ts';
import type { Verdict } from './types.ts';

/** What must be said of the losses of a run, or of a gate that refuses everybody; undefined: nothing was lost. */
export function unexplained(windows: readonly Window[], facts: Facts): Verdict | undefined {
  const { served, refuses } = facts;
  if (refuses !== undefined) return refusesAll(refuses, facts);
  const isLost = served !== null && served.offered > 0 && 1 - served.goodput > NOTABLE_LOSS;
  const out = allOut(windows, facts.slots);
  const waiting = out.filter(({ queued }) => queued > 0);
  const held = waiting.length > 0 ? waiting : out;
  const busy = busyOf(held);
  const isIdle = busy !== null && busy < BUSY_FROM;
  // Of a gate that runs the present moment is known, not what became of its requests.
  if (isIdle && (isLost || (served === null && waiting.some((window) => isOld(window, facts))))) {
    return slotsWait(held, busy, facts);
  }
  return isLost ? lost(facts, out.length > 0) : undefined;
}

/** A moment with a short queue is no sign of anything. */
function isOld({ queueAgeS }: Window, { sloS }: Facts): boolean {
  return queueAgeS > Math.min(OLD_QUEUE_S, sloS / 2);
}

/** Every slot is out and the compute behind them is not: more slots would wait for the same thing. */
function slotsWait(held: readonly Window[], busy: number, facts: Facts): Verdict {
  const worst = held.reduce((a, b) => (b.queueAgeS > a.queueAgeS ? b : a));
  const holders = heldAt(facts.leases, worst.toS).slice(0, 5);
  const who =
    holders.length === 0
      ? 'no interactive lease is held'
      : `held by ${holders.map(({ name, fromS }) => `${name} for ${seconds(worst.toS - fromS)}`).join(', ')}`;
  return {
    action: 'find-cause',
    headline: `FIND WHAT THE SLOTS WAIT FOR BEFORE YOU ADD ANY.${stamp(facts.source, facts.served === null ? worst.toS : null)}`,
    signal: 'cpu_busy_ratio',
    value: busy,
    threshold: BUSY_FROM,
    evidence: [
      ...lossText(facts),
      `slots ${round(worst.leased)}/${facts.slots} leased, upstream CPU ${percent(busy)}`,
      who,
      `queue age at most ${seconds(worst.queueAgeS)}`,
    ].join(' | '),
    commands: [askGate(facts.adminUrl, 'leases')],
    expect:
      'the leases show who holds and since when; where nobody does, the upstream has a limit of its own below the slots of this gate, or stalls',
    wrongIf: 'upstream CPU rises with the next burst while the same slots are out',
    undo: 'nothing was changed',
  };
}

function lost(facts: Facts, slotsWereOut: boolean): Verdict {
  const [worst] = facts.lostBy ?? [];
  const goodput = facts.served?.goodput ?? 0;
  return {
    action: 'find-cause',
    headline: `FIND WHY ${worst === undefined ? `${percent(1 - goodput)} OF OFFERED WERE LOST` : whyText(worst)}.${stamp(facts.source, null)}`,
    signal: 'rates.goodput',
    value: goodput,
    threshold: 1 - NOTABLE_LOSS,
    evidence: [
      ...lossText(facts),
      slotsWereOut ? 'slots were all out at times' : 'slots were never all out',
      'neither a leak nor missing capacity explains it',
    ].join(' | '),
    commands: worst?.kind === 'refused' ? [askGate(facts.adminUrl, 'policy')] : [],
    expect: EXPECT[worst?.kind ?? 'other'],
    wrongIf: 'the same load loses nothing when it is played again',
    undo: 'nothing was changed',
  };
}

function whyText({ kind, what, share }: Loss): string {
  const verb = { refused: 'WERE TURNED AWAY BY', failed: 'FAILED BY', other: 'WERE' }[kind];
  return `${percent(share)} OF OFFERED ${verb} ${kind === 'other' ? what.toUpperCase() : what}`;
}

const EXPECT: Readonly<Record<Loss['kind'], string>> = {
  refused:
    'the code names the rule, or the endpoint that refused; where the rule is wanted, these refusals are its price',
  failed:
    'the code names what broke; the client.jsonl of the run has the words of each failure. No threshold mends a failing upstream',
  other:
    'where requests are late with slots free, service alone outlasts the SLO: a shorter answer or another SLO mends that, no threshold does',
};

/** `Goodput 3 % of offered | turned away by queue_age 80 %, failed by connect 17 %` */
function lossText({ served, lostBy = [] }: Facts): string[] {
  if (served === null) return [];
  const parts = lostBy
    .slice(0, 4)
    .map(({ kind, what, share }) => `${PREFIX[kind]}${what} ${percent(share)}`);
  const list = parts.length === 0 ? [] : [parts.join(', ')];
  return [`Goodput ${percent(served.goodput)} of offered`, ...list];
}

const PREFIX: Readonly<Record<Loss['kind'], string>> = {
  refused: 'turned away by ',
  failed: 'failed by ',
  other: '',
};

function refusesAll(code: string, facts: Facts): Verdict {
  return {
    action: 'find-cause',
    headline: `THIS GATE REFUSES EVERYBODY: ${code}.${stamp(facts.source, null)}`,
    signal: 'rejected_total',
    value: null,
    threshold: null,
    evidence: `every arrival is refused with ${code}, whatever the rules say`,
    commands: [askGate(facts.adminUrl, 'policy')],
    expect:
      code === 'upstream_down'
        ? 'it admits again by itself when the upstream answers'
        : 'it admits again in mode enforce',
    wrongIf: 'it is meant: a drain, or a stop after preempts',
    undo: 'nothing was changed',
  };
}
