import type { Objective, Trial } from './weigh.ts';
import { meanOf } from './weigh.ts';

/** Settings whose loss differs by less than this, of offered, are equally good. */
export const FLAT = 0.01;
/** Breaches are told apart down to this. */
const BREACH_GRAIN = 0.0005;

/** Means of one trial, by scenario. */
interface Means {
  readonly loss: readonly number[];
  readonly breach: readonly number[];
}

export interface Judged {
  readonly trial: Trial;
  readonly breach: number;
  readonly refused: string | null;
  /** Greatest loss over the best allowed setting, over the scenarios; infinite where it is refused. */
  readonly regret: number;
  readonly flat: boolean;
}

export interface Choice {
  readonly judged: readonly Judged[];
  /** Least loss; undefined where nothing is allowed. */
  readonly best: Judged | undefined;
  /** The safe side of the plateau: of the settings within .01 of offered of the best, the lowest breach. */
  readonly chosen: Judged | undefined;
  /** Index of the scenario that binds. */
  readonly binding: number;
}

/** Why a trial may not be chosen, beyond the objective's own condition: a floor that it breaks. */
export type Refuse = (trial: Trial) => string | null;

/**
 * Judges trials over all scenarios at once: allowed is what keeps the condition in each of them;
 * best is what loses least against each scenario's own best, in the scenario where that is greatest.
 * @param weights how often each replication counts; undefined: once each
 */
export function choose(
  trials: readonly Trial[],
  objective: Objective,
  refuse: Refuse,
  picks?: Int32Array,
): Choice {
  const means = trials.map((trial) => meansOf(trial, picks));
  const refused = trials.map((trial, i) => breachText(means[i], objective) ?? refuse(trial));
  const least = leastLosses(means.filter((_, i) => refused[i] === null));
  const regrets = means.map(({ loss }, i) =>
    refused[i] === null ? greatest(loss.map((x, s) => x - (least[s] ?? 0))) : Infinity,
  );
  const bestIndex = indexOfLeast(regrets);
  const best = means[bestIndex];
  const judged = trials.map((trial, i): Judged => {
    const loss = means[i]?.loss ?? [];
    const flat =
      refused[i] === null && loss.every((x, s) => x - (best?.loss[s] ?? 0) <= FLAT + 1e-12);
    const breach = greatest(means[i]?.breach ?? []);
    return { trial, breach, refused: refused[i] ?? null, regret: regrets[i] ?? Infinity, flat };
  });
  const chosen = safest(judged.filter(({ flat }) => flat));
  const chosenMeans = chosen === undefined ? undefined : means[judged.indexOf(chosen)];
  return {
    judged,
    best: refused[bestIndex] === null ? judged[bestIndex] : undefined,
    chosen,
    binding: bindingOf(means, refused, least, chosenMeans),
  };
}

function meansOf({ loss, breach }: Trial, picks: Int32Array | undefined): Means {
  const mean = (values: Float64Array) =>
    picks === undefined ? meanOf(values) : meanOf(Float64Array.from(picks, (k) => values[k] ?? 0));
  return { loss: loss.map(mean), breach: breach.map(mean) };
}

function breachText(means: Means | undefined, { maxBreach }: Objective): string | null {
  if (means === undefined || maxBreach === null) return null;
  const breach = greatest(means.breach);
  if (breach <= maxBreach) return null;
  return `${(100 * breach).toFixed(1)} % of the served are late, ${100 * maxBreach} % allowed`;
}

function leastLosses(allowed: readonly Means[]): number[] {
  const [first] = allowed;
  return (first?.loss ?? []).map((_, s) => Math.min(...allowed.map(({ loss }) => loss[s] ?? 0)));
}

function safest(flat: readonly Judged[]): Judged | undefined {
  const grain = (breach: number) => Math.round(breach / BREACH_GRAIN);
  return flat.reduce<Judged | undefined>((safe, one) => {
    if (safe === undefined || grain(one.breach) < grain(safe.breach)) return one;
    return grain(one.breach) === grain(safe.breach) && one.regret < safe.regret ? one : safe;
  }, undefined);
}

/** Where the chosen setting gives up most; where it gives up nothing, the scenario that the fewest settings suit. */
function bindingOf(
  means: readonly Means[],
  refused: readonly (string | null)[],
  least: readonly number[],
  chosen: Means | undefined,
): number {
  const suits = least.map(
    (best, s) =>
      means.filter(({ loss }, i) => refused[i] === null && (loss[s] ?? 0) - best <= FLAT).length,
  );
  const given = least.map((best, s) => (chosen?.loss[s] ?? best) - best);
  const most = greatest(given);
  if (most > FLAT / 2) return given.indexOf(most);
  return Math.max(0, indexOfLeast(suits));
}

function greatest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}

function indexOfLeast(values: readonly number[]): number {
  return values.reduce((at, value, i) => (value < (values[at] ?? Infinity) ? i : at), 0);
}
