import type { Figures } from '../result/figures.ts';
import type { Refuse } from './choose.ts';
import { SIZES } from './evaluate.ts';
import type { Loser } from './types.ts';
import { meanAt, type Trial } from './weigh.ts';

/** A class, or a third of the arrivals by size, and the least goodput that it may have, by scenario. */
export interface Floor {
  readonly group: string;
  readonly path: string;
  readonly least: readonly (number | null)[];
}

type Runs = readonly (readonly Figures[])[];

/**
 * No group may be starved for the others: each keeps a share of the better of what it has now and
 * what it would have without a gate, less a point for noise.
 * @param keep that share, 0 to 1
 */
export function floorsOf(
  classNames: readonly string[],
  present: Runs,
  noGate: Runs,
  keep: number,
): Floor[] {
  const groups = [
    ...classNames.map((name) => [name, `byClass.${name}.rates.goodput`] as const),
    ...SIZES.map((size) => [`${size} requests`, `bySize.${size}.goodput`] as const),
  ];
  return groups.map(([group, path]) => ({
    group,
    path,
    least: present.map((runs, s) => {
      const known = [meanAt(runs, path), meanAt(noGate[s] ?? [], path)];
      const values = known.filter((value) => value !== null);
      return values.length === 0 ? null : keep * Math.max(...values) - 0.01;
    }),
  }));
}

/** Refuses what breaks a floor, in any scenario. A trial is looked at once: a bootstrap asks hundreds of times. */
export function refuseBelow(floors: readonly Floor[]): Refuse {
  const known = new WeakMap<Trial, string | null>();
  return (trial) => {
    const before = known.get(trial);
    if (before !== undefined) return before;
    const reason = reasonOf(trial, floors);
    known.set(trial, reason);
    return reason;
  };
}

function reasonOf({ runs }: Trial, floors: readonly Floor[]): string | null {
  for (const { group, path, least } of floors) {
    for (const [s, floor] of least.entries()) {
      const goodput = meanAt(runs[s] ?? [], path);
      if (goodput === null || floor === null || goodput >= floor) continue;
      return `${group}: goodput ${percent(goodput)}, below its floor of ${percent(floor)}`;
    }
  }
  return null;
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
