import { drawsAt, replicationSeed, streamKey } from '../../random.ts';
import type { Result } from '../../result/types.ts';
import { loadScenario } from '../../scenario/load.ts';
import { resolveScenario } from '../../scenario/resolve.ts';
import type { Scenario } from '../../scenario/types.ts';
import {
  PUBLISHED_ADMISSION,
  type PublishedAdmission,
  publishedAdmission,
} from '../admission-published.ts';
import { meanFigures } from '../means.ts';

/** Runs behind a mean: a run of 336 arrivals varies by 18.8 of them. */
export const RUNS = 100;
const BURST = { fromS: PUBLISHED_ADMISSION.burstFromS, toS: PUBLISHED_ADMISSION.burstToS };

/** The scenario of the runbook with changes; the environment of a drill says nothing. */
export async function burst(...sets: readonly string[]): Promise<Scenario> {
  const { input } = await loadScenario('burst');
  return resolveScenario({ input, env: {}, flags: {}, sets });
}

/** Arrivals that the published schedule holds on average, had nothing stopped it. */
export function scheduled(): number {
  const { lengthS, ratePerS, burstFromS, burstToS } = PUBLISHED_ADMISSION;
  return ratePerS * (lengthS + burstToS - burstFromS);
}

/** The published harness: one run, and the means of many. */
export function measurePublished(seed: number): {
  readonly one: PublishedAdmission;
  readonly mean: PublishedAdmission;
} {
  const runs = Array.from({ length: RUNS }, (_, k) => playPublished(replicationSeed(seed, k)));
  const mean = (of: (run: PublishedAdmission) => number) =>
    runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
  return {
    one: playPublished(seed),
    mean: {
      offered: mean(({ offered }) => offered),
      rejected: mean(({ rejected }) => rejected),
      sloBreach: mean(({ sloBreach }) => sloBreach),
      stalledS: mean(({ stalledS }) => stalledS),
      longestStallS: mean(({ longestStallS }) => longestStallS),
      burstUtilization: mean(({ burstUtilization }) => burstUtilization),
    },
  };
}

function playPublished(seed: number): PublishedAdmission {
  const rng = drawsAt(streamKey(seed, 'published'));
  return publishedAdmission(PUBLISHED_ADMISSION, {
    gap: () => rng.exponential(),
    serviceS: () => 5 + 25 * rng.uniform(),
  });
}

/** The open loop under one setting: means over many runs. */
export interface OpenLoop {
  readonly setting: string;
  readonly offered: number;
  readonly admitted: number;
  readonly turnedAway: number;
  readonly late: number;
  readonly goodput: number;
}

export async function measureOpen(setting: string, ...sets: readonly string[]): Promise<OpenLoop> {
  const of = meanFigures(await burst(...sets), RUNS);
  return {
    setting,
    offered: of('outcomes.offered'),
    admitted: of('outcomes.admitted'),
    turnedAway: of('outcomes.rejected') + of('outcomes.expired'),
    late: of('outcomes.sloBreached'),
    goodput: of('rates.goodput'),
  };
}

/** What happened within the burst of one run. */
export interface InBurst {
  readonly busy: number;
  readonly arrivals: number;
  /** Of all that were turned away. */
  readonly rejections: number;
}

export function inBurst({ timeline }: Result): InBurst {
  const inside = timeline.filter(({ tS }) => tS >= BURST.fromS && tS < BURST.toS);
  const sum = (points: Result['timeline'], of: (point: Result['timeline'][number]) => number) =>
    points.reduce((total, point) => total + of(point), 0);
  const turnedAway = (point: Result['timeline'][number]) => point.rejected + point.expired;
  const decided = (point: Result['timeline'][number]) => point.admitted + turnedAway(point);
  return {
    busy: sum(inside, ({ busy }) => busy ?? 0) / Math.max(1, inside.length),
    arrivals: sum(inside, decided) / Math.max(1, sum(timeline, decided)),
    rejections: sum(inside, turnedAway) / Math.max(1, sum(timeline, turnedAway)),
  };
}
