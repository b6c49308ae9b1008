/** Memory that runs out: the one case in which fewer slots serve more. */
import { type Facts, type Forecast, NOTABLE_LOSS, SAME } from './facts.ts';
import { percent, putPolicy, stamp } from './text.ts';
import type { Verdict } from './types.ts';

/** What a run shows of the work that was evicted. */
export interface Evicted {
  readonly preempts: number;
  /** Of the requests that got a slot. */
  readonly perTask: number;
  /** Of all tokens that were worked on: made by a restart for the second time. */
  readonly redoneShare: number;
}

const SHARES_OF_SLOTS = [0.25, 0.33, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

interface Cap {
  readonly slots: number;
  readonly forecast: Forecast;
}

/** Fewer slots, where a simulation of the same arrivals serves more with them; else undefined. */
export function lowerCap(facts: Facts, evicted: Evicted): Verdict | undefined {
  const { served, slots } = facts;
  if (evicted.preempts === 0 || served === null || 1 - served.goodput <= NOTABLE_LOSS) {
    return undefined;
  }
  const present = capOf(facts, slots);
  if (present === undefined) return undefined;
  const counts = new Set(SHARES_OF_SLOTS.map((share) => Math.ceil(share * slots)));
  const caps = [...counts].filter((n) => n < slots).flatMap((n) => capOf(facts, n) ?? []);
  const best = caps.reduce((a, b) => (b.forecast.goodput > a.forecast.goodput ? b : a), present);
  if (best.forecast.goodput - present.forecast.goodput <= SAME) return undefined;
  return verdict(facts, evicted, [...caps, present], best);
}

function capOf({ foresee }: Facts, slots: number): Cap | undefined {
  const forecast = foresee({ type: 'gate', set: { slots } });
  return forecast === undefined ? undefined : { slots, forecast };
}

function verdict(facts: Facts, evicted: Evicted, caps: readonly Cap[], best: Cap): Verdict {
  const { preempts, perTask, redoneShare } = evicted;
  const { goodput, rejection, breach } = best.forecast;
  const curve = caps.map((cap) => `${cap.slots} slots ${percent(cap.forecast.goodput)}`);
  return {
    action: 'set-threshold',
    headline: `LOWER THE CAP: slots ${facts.slots} -> ${best.slots}.${stamp(facts.source, null)}`,
    signal: 'preempts',
    value: preempts,
    threshold: 0,
    evidence: [
      `memory runs out: ${preempts.toFixed(0)} preempts, ${perTask.toFixed(2)} a task`,
      `${percent(redoneShare)} of the tokens made again`,
      `predicted goodput: ${curve.join(', ')}`,
    ].join(' | '),
    commands: [putPolicy(facts.adminUrl, { slots: best.slots })],
    expect: `predicted: goodput ${percent(goodput)}, turned away ${percent(rejection)}, late ${percent(breach)}; what is let in ends without being made twice`,
    wrongIf: `preempts do not fall, or goodput falls short of ${percent(goodput)} by more than 10 points`,
    undo: putPolicy(facts.adminUrl, { slots: facts.slots }),
  };
}
