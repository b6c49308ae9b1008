/**
 * Field case A24: an adaptive limit against the static cap, where the endpoint loses half of its
 * capacity and gets it back. The gate, the endpoint and the arrivals are those of the simulator;
 * the limit stands outside and uses the door that an operator has, `configure`.
 */
import type { ScriptStep } from '../../../src/engine/sim/script.ts';
import { simulate } from '../../../src/engine/sim.ts';
import { replicationSeed } from '../../../src/random.ts';
import type { Figures } from '../../../src/result/figures.ts';
import { createFold } from '../../../src/result/fold.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';
import type { Scenario } from '../../../src/scenario/types.ts';
import { usFromS } from '../../../src/units.ts';
import { AimdLimit, type LimitOptions } from './limit.ts';

export const SLOTS = 16;
/** The endpoint has half of its slots between these instants. */
export const HALF_S = [600, 1200] as const;
export const DURATION_S = 1800;
const SERVICE_S = 5;
const SCV = 1.4;

/** The endpoint queues what is too much for it, or it slows down for everyone (paging, evictions). */
export const WORLDS: readonly World[] = [
  { load: 0.7, thrash: 0 },
  { load: 0.9, thrash: 0 },
  { load: 1.1, thrash: 0 },
  { load: 0.9, thrash: 0.1 },
  { load: 1.1, thrash: 0.1 },
];

export interface World {
  /** Offered work over the full capacity. */
  readonly load: number;
  /** What each request in service beyond the endpoint's slots of the moment costs all the others, in speed; 0: it only queues. */
  readonly thrash: number;
}

export function capacityStep({ load, thrash }: World): Scenario {
  return parseScenario({
    name: 'capacity-step',
    durationS: DURATION_S,
    sloS: 30,
    arrivals: { ratePerS: (load * SLOTS) / SERVICE_S },
    gate: { slots: SLOTS, maxWaitS: 10 },
    model: {
      service: { lognormal: { mean: SERVICE_S, scv: SCV } },
      slots: thrash > 0 ? 0 : SLOTS,
      slowdown: { perRequest: thrash, from: SLOTS },
    },
  });
}

/** Half of the capacity: slots of the endpoint, or, where they are not counted, the load at which it slows down. */
function capacityOf({ thrash }: World, slots: number) {
  if (thrash === 0) return { slots };
  return { slowdown: { perRequest: (SLOTS / slots) * thrash, from: slots } };
}

export const LIMIT: LimitOptions = {
  floor: 4,
  ceiling: SLOTS,
  expectedUs: usFromS(SERVICE_S),
  shrinkAt: 1.5,
  growBelow: 1.2,
  window: 64,
  every: 16,
  decrease: 0.9,
};

/** The limit from an instant on. */
export interface LimitStep {
  readonly atS: number;
  readonly slots: number;
}

export interface Played {
  readonly figures: Figures;
  readonly limits: readonly LimitStep[];
}

/** @param limit undefined: the static cap */
export function play(world: World, k: number, limit?: LimitOptions): Played {
  const scenario = capacityStep(world);
  const seed = replicationSeed(scenario.seed, k);
  const fold = createFold(scenario, { detail: 'figures' });
  const [fromS, toS] = HALF_S;
  const script: ScriptStep[] = [
    { atUs: usFromS(fromS), to: 'model', input: configured(capacityOf(world, SLOTS / 2)) },
    { atUs: usFromS(toS), to: 'model', input: configured(capacityOf(world, SLOTS)) },
  ];
  const limits: LimitStep[] = [{ atS: 0, slots: SLOTS }];
  const adaptive = limit === undefined ? undefined : new AimdLimit(limit);
  let queued = 0;
  simulate(scenario, {
    seed,
    script,
    sink: {
      ...fold,
      state: (row) => {
        queued = row.queued;
        fold.state(row);
      },
      lease: ({ fromUs, toUs, ended }) => {
        if (adaptive === undefined || ended !== 'completed') return;
        adaptive.completed(toUs - fromUs, queued > 0);
        const { slots } = adaptive;
        if (slots === limits.at(-1)?.slots) return;
        limits.push({ atS: toUs / 1e6, slots });
        now(script, { atUs: toUs, to: 'gate', input: { type: 'configure', policy: { slots } } });
      },
    },
  });
  return { figures: fold.figures(), limits };
}

function configured(config: ReturnType<typeof capacityOf>) {
  return { type: 'configure', config } as const;
}

/** The script is read as the run goes on, so what is to happen now goes before what is still to come. */
function now(script: ScriptStep[], step: ScriptStep): void {
  const later = script.findIndex(({ atUs }) => atUs > step.atUs);
  script.splice(later < 0 ? script.length : later, 0, step);
}

export interface Behaviour {
  /** Least limit of the whole run. */
  readonly least: number;
  /** From the step down until the limit is first at most this many slots. */
  readonly downS: number | null;
  /** From the step up until it is first within one slot of the ceiling. */
  readonly upS: number | null;
  /** Greatest less least limit over the ceiling, in each third of the run once it has settled. */
  readonly swing: readonly number[];
  /** Time-weighted mean limit there. */
  readonly mean: readonly number[];
}

/** In the second half of a third the limit counts as settled. */
const SETTLE_S = 300;

export function behaviourOf(limits: readonly LimitStep[], downTo: number): Behaviour {
  const [halfS, fullS] = HALF_S;
  const thirds = [0, halfS, fullS].map((s) => [s + SETTLE_S, s + 600] as const);
  return {
    least: Math.min(...limits.map(({ slots }) => slots)),
    downS: firstAfter(limits, halfS, (slots) => slots <= downTo),
    upS: firstAfter(limits, fullS, (slots) => slots >= SLOTS - 1),
    swing: thirds.map(([fromS, toS]) => {
      const all = within(limits, fromS, toS).map(({ slots }) => slots);
      return (Math.max(...all) - Math.min(...all)) / SLOTS;
    }),
    mean: thirds.map(([fromS, toS]) =>
      within(limits, fromS, toS).reduce(
        (sum, { slots, forS }) => sum + (slots * forS) / SETTLE_S,
        0,
      ),
    ),
  };
}

function within(limits: readonly LimitStep[], fromS: number, toS: number) {
  return limits.flatMap(({ atS, slots }, i) => {
    const endS = Math.min(toS, limits[i + 1]?.atS ?? Infinity);
    const forS = endS - Math.max(atS, fromS);
    return forS > 0 ? [{ slots, forS }] : [];
  });
}

/** Seconds until it holds; 0 where it holds already; null where it never does. */
function firstAfter(
  limits: readonly LimitStep[],
  fromS: number,
  holds: (slots: number) => boolean,
): number | null {
  const at = within(limits, fromS, Infinity).findIndex(({ slots }) => holds(slots));
  if (at < 0) return null;
  const from = limits.filter(({ atS }) => atS > fromS);
  return at === 0 ? 0 : (from[at - 1]?.atS ?? fromS) - fromS;
}
