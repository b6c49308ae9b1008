import type { Axis } from '../scenario/axis.ts';
import type { Choice, Judged } from './choose.ts';
import type { Cliff } from './types.ts';
import { meanAt, meanOf, type Trial, unservedOf } from './weigh.ts';

export interface Plateau {
  readonly flatRegion: Readonly<Record<string, readonly [number, number]>>;
  readonly cliff: readonly Cliff[];
  /** The chosen value is the first or the last of the range, and the range is not all alike. */
  readonly atEdge: boolean;
}

/** How far the flat region reaches from the chosen setting along each axis, and what lies beyond. */
export function plateauOf(
  axes: readonly Axis[],
  { judged }: Choice,
  chosen: Trial,
  binding: number,
): Plateau {
  const flatRegion: Record<string, readonly [number, number]> = {};
  const cliff: Cliff[] = [];
  let atEdge = false;
  for (const { path, values } of axes) {
    const line = alongAxis(judged, axes, path, chosen);
    const here = line.findIndex(({ trial }) => trial === chosen);
    let low = flatBeside(line, here);
    let high = low;
    while (line[low - 1]?.flat === true) low--;
    while (line[high + 1]?.flat === true) high++;
    const at = (i: number) => Number(line[i]?.trial.setting[path]);
    if (!Number.isFinite(at(here))) continue;
    flatRegion[path] = [at(low), at(high)];
    // Of the value that is advised: the one of least loss may stand elsewhere on the plateau. One of
    // two ends that are alike is no sign that there is more beyond it.
    atEdge ||=
      line[here]?.flat === true &&
      endOfRange(values, chosen.setting[path]) !== undefined &&
      low !== high - line.length + 1;
    const below = line[Math.min(low, here) - 1];
    const above = line[Math.max(high, here) + 1];
    if (below !== undefined) cliff.push(cliffAt(path, 'below', below, at(here), binding));
    if (above !== undefined) cliff.push(cliffAt(path, 'above', above, at(here), binding));
  }
  return { flatRegion, cliff, atEdge };
}

/** On which side of a value more could have been tried; undefined: it is no end. Below 0 there is nothing. */
export function endOfRange(
  values: Axis['values'],
  value: Axis['values'][number] | undefined,
): 'below' | 'above' | undefined {
  if (values.length < 2 || typeof value !== 'number') return undefined;
  if (value === values[0] && value > 0) return 'below';
  return value === values.at(-1) ? 'above' : undefined;
}

/** A present setting that is kept may stand a little outside the flat region. */
function flatBeside(line: readonly Judged[], here: number): number {
  const places = [here, here + 1, here - 1];
  return places.find((place) => line[place]?.flat === true) ?? here;
}

/** What was tried with the other parameters as chosen, by the value of this one. */
function alongAxis(
  judged: readonly Judged[],
  axes: readonly Axis[],
  path: string,
  chosen: Trial,
): Judged[] {
  const others = axes.filter((axis) => axis.path !== path);
  const line = judged.filter(({ trial }) =>
    others.every((axis) => trial.setting[axis.path] === chosen.setting[axis.path]),
  );
  return line.sort((a, b) => Number(a.trial.setting[path]) - Number(b.trial.setting[path]));
}

function cliffAt(
  path: string,
  side: Cliff['side'],
  { trial }: Judged,
  from: number,
  binding: number,
): Cliff {
  const runs = trial.runs[binding] ?? [];
  const at = Number(trial.setting[path]);
  return {
    path,
    side,
    at,
    margin: Number(Math.abs(at - from).toPrecision(12)),
    breach: meanAt(runs, 'rates.breach'),
    goodput: meanAt(runs, 'rates.goodput'),
    unserved: meanOf(runs.flatMap((run) => unservedOf(run) ?? [])),
  };
}
