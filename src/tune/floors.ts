import type { Figures } from '../result/figures.ts';
import { wilson95 } from '../result/wilson.ts';
import type { Refusal, Refuse } from './choose.ts';
import { SIZES } from './evaluate.ts';
import type { Loser } from './types.ts';
import { meanAt, meanOf, type Trial } from './weigh.ts';

/** A class, or a third of the arrivals by size, and the least goodput that it may have, by scenario. */
export interface Floor {
  readonly group: string;
  readonly path: string;
  readonly least: readonly (number | null)[];
}

type Runs = readonly (readonly Figures[])[];

/** Less than this is noise however many requests there were. */
const LEAST_NOISE = 0.01;

/**
 * No group may be starved for the others: each keeps a share of the better of what it has now and
 * what it would have without what is tuned, less what chance may take of so many requests: the lower end
 * of the 95 % interval of that share, and at least a point. A dozen requests break no floor by one
 * of them, which is a twelfth.
 * @param keep that share, 0 to 1
 */
export function floorsOf(
  classNames: readonly string[],
  present: Runs,
  untuned: Runs,
  keep: number,
): Floor[] {
  const ofClass = (name: string) => (run: Figures) =>
    run[`byClass.${name}.outcomes.offered`] ?? null;
  const ofSize = (run: Figures) => (run['outcomes.offered'] ?? 0) / SIZES.length;
  const groups = [
    ...classNames.map((name) => [name, `byClass.${name}.rates.goodput`, ofClass(name)] as const),
    ...SIZES.map((size) => [`${size} requests`, `bySize.${size}.goodput`, ofSize] as const),
  ];
  return groups.map(([group, path, offered]) => ({
    group,
    path,
    least: present.map((runs, s) => {
      const known = [meanAt(runs, path), meanAt(untuned[s] ?? [], path)];
      const values = known.filter((value) => value !== null);
      return values.length === 0 ? null : belowNoise(keep * Math.max(...values), runs.map(offered));
    }),
  }));
}

/** @param offered requests of the group by run; null where that is not known */
function belowNoise(share: number, offered: readonly (number | null)[]): number {
  const known = offered.filter((n) => n !== null);
  const least = share - LEAST_NOISE;
  if (known.length === 0) return least;
  const n = Math.round(meanOf(known) * offered.length);
  return Math.min(least, wilson95(share * n, n)[0]);
}

/** The floors of some scenarios alone. */
export function floorsIn(floors: readonly Floor[], ...scenarios: readonly number[]): Floor[] {
  return floors.map((floor) => ({
    ...floor,
    least: floor.least.filter((_, s) => scenarios.includes(s)),
  }));
}

/**
 * Refuses what breaks a floor, in any scenario. A trial is looked at once: a bootstrap asks hundreds of times.
 * @param names of the scenarios, told where there are several
 */
export function refuseBelow(floors: readonly Floor[], names: readonly string[] = []): Refuse {
  const known = new WeakMap<Trial, Refusal | null>();
  return (trial) => {
    const before = known.get(trial);
    if (before !== undefined) return before;
    const refusal = worstOf(trial, floors, names);
    known.set(trial, refusal);
    return refusal;
  };
}

/** The floor that is missed most. */
function worstOf(
  { runs }: Trial,
  floors: readonly Floor[],
  names: readonly string[],
): Refusal | null {
  let worst: Refusal | null = null;
  for (const { group, path, least } of floors) {
    for (const [s, floor] of least.entries()) {
      const goodput = meanAt(runs[s] ?? [], path);
      if (goodput === null || floor === null || floor - goodput <= (worst?.miss ?? 0)) continue;
      const where = names.length > 1 ? ` in ${names[s]}` : '';
      const text = `${group}${where}: goodput ${percent(goodput)}, below its floor of ${percent(floor)}`;
      worst = { text, miss: floor - goodput };
    }
  }
  return worst;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** What each group has under the chosen setting, beside what it has now and without a gate. */
export function losersOf(
  floors: readonly Floor[],
  scenario: number,
  chosen: Runs,
  present: Runs,
  noGate: Runs,
): Loser[] {
  return floors.map(({ group, path, least }) => {
    const at = (runs: Runs) => meanAt(runs[scenario] ?? [], path);
    const [now, then] = [at(present), at(chosen)];
    return {
      group,
      chosen: then,
      present: now,
      noGate: at(noGate),
      floor: least[scenario] ?? null,
      lost: then !== null && now !== null && then < now - 0.005,
    };
  });
}
