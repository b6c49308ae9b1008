import { beats, beatsBeyondNoise, type Means } from './dominated.ts';
import type { Objective, Trial } from './weigh.ts';
import { meanOf } from './weigh.ts';

/** Settings whose loss differs by less than this, of offered, are equally good. */
export const FLAT = 0.01;
/** Breaches are told apart down to this. */
const BREACH_GRAIN = 0.0005;

export interface Judged {
  readonly trial: Trial;
  readonly breach: number;
  readonly refused: string | null;
  /** By how much it misses what refuses it, a share; 0 where it is not refused. */
  readonly miss: number;
  /** An allowed setting that serves more in time and fewer late; null where there is none. */
  readonly beatenBy: Trial | null;
  /** Greatest loss over the best setting that may be chosen, over the scenarios; below 0 only of what is beaten. */
  readonly excess: number;
  /** The same; infinite where it is refused or beaten. */
  readonly regret: number;
  readonly flat: boolean;
}

export interface Choice {
  readonly judged: readonly Judged[];
  /** Least loss; undefined where nothing is allowed. */
  readonly best: Judged | undefined;
  /**
   * The safe side of the plateau: of the settings within .01 of offered of the best, the lowest breach.
   * None that loses more than .01 against what is passed over and does not beat it beyond the noise.
   */
  readonly chosen: Judged | undefined;
  /** Index of the scenario that binds. */
  readonly binding: number;
}

/** Why a trial may not be chosen, and by how much it misses that: a share, above 0. */
export interface Refusal {
  readonly text: string;
  readonly miss: number;
}

/** What refuses a trial beyond the objective's own condition: a floor that it breaks. */
export type Refuse = (trial: Trial) => Refusal | null;

/** What two conditions say of a trial: the first reason is told, the greater miss counts. */
export function bothRefusals(one: Refusal | null, other: Refusal | null): Refusal | null {
  if (one === null || other === null) return one ?? other;
  return { text: one.text, miss: Math.max(one.miss, other.miss) };
}

/**
 * Judges trials over all scenarios at once: allowed is what keeps the condition in each of them;
 * what another one beats in goodput and lateness both is passed over; best is what loses least
 * against each scenario's own best, in the scenario where that is greatest.
 * @param weights how often each replication counts; undefined: once each
 */
export function choose(
  trials: readonly Trial[],
  objective: Objective,
  refuse: Refuse,
  picks?: Int32Array,
): Choice {
  const means = trials.map((trial) => meansOf(trial, picks));
  const refused = trials.map((trial, i) =>
    bothRefusals(tooLate(means[i], objective), refuse(trial)),
  );
  const beaten = beatenOf(trials, means, refused);
  const open = trials.map((_, i) => refused[i] === null && beaten[i] === null);
  const least = leastLosses(means.filter((_, i) => open[i]));
  const excesses = means.map(({ loss }) => greatest(loss.map((x, s) => x - (least[s] ?? 0))));
  const regrets = excesses.map((excess, i) => (open[i] === true ? excess : Infinity));
  const bestIndex = indexOfLeast(regrets);
  const best = means[bestIndex];
  const judged = trials.map((trial, i): Judged => {
    const loss = means[i]?.loss ?? [];
    const flat = open[i] === true && loss.every((x, s) => x - (best?.loss[s] ?? 0) <= FLAT + 1e-12);
    const breach = greatest(means[i]?.breach ?? []);
    return {
      ...{ trial, breach, flat },
      refused: refused[i]?.text ?? null,
      miss: refused[i]?.miss ?? 0,
      beatenBy: beaten[i] ?? null,
      excess: excesses[i] ?? Infinity,
      regret: regrets[i] ?? Infinity,
    };
  });
  const foundBest = open[bestIndex] === true ? judged[bestIndex] : undefined;
  const isSafe = ({ flat }: Judged, i: number) => flat && isWorthIt({ trials, means, beaten }, i);
  const chosen = safest(judged.filter(isSafe)) ?? foundBest;
  const chosenMeans = chosen === undefined ? undefined : means[judged.indexOf(chosen)];
  return {
    judged,
    best: foundBest,
    chosen,
    binding: bindingOf(means, open, least, chosenMeans, emptyOf(trials)),
  };
}

function meansOf({ loss, breach, goodput }: Trial, picks: Int32Array | undefined): Means {
  const mean = (values: Float64Array) =>
    picks === undefined
      ? meanOf(values)
      : meanOf(Float64Array.from(picks, (k) => values[k] ?? Number.NaN));
  return { loss: loss.map(mean), breach: breach.map(mean), goodput: goodput.map(mean) };
}

/** For each trial the one of the allowed that beats it and serves most in time, over all scenarios. */
function beatenOf(
  trials: readonly Trial[],
  means: readonly Means[],
  refused: readonly (Refusal | null)[],
): (Trial | null)[] {
  const served = means.map(({ goodput }) => goodput.reduce((sum, value) => sum + value, 0));
  const allowed = trials.map((_, i) => i).filter((i) => refused[i] === null);
  allowed.sort((a, b) => (served[b] ?? 0) - (served[a] ?? 0));
  return trials.map((trial, i) => {
    const mine = means[i];
    if (mine === undefined || refused[i] !== null) return null;
    const by = allowed.find((j) => {
      const [one, its] = [trials[j], means[j]];
      return one !== undefined && its !== undefined && beats(one, trial, [its, mine]);
    });
    return by === undefined ? null : (trials[by] ?? null);
  });
}

/**
 * Whether a setting is worth what it loses against those that are passed over. The best may lose a
 * little against them, and the safe side of its plateau .01 more: that adds up to more than what is
 * called equal, and is only paid for more that are served in time, beyond the noise.
 */
function isWorthIt(
  of: {
    readonly trials: readonly Trial[];
    readonly means: readonly Means[];
    readonly beaten: readonly (Trial | null)[];
  },
  i: number,
): boolean {
  const { trials, means, beaten } = of;
  const [one, mine] = [trials[i], means[i]];
  if (one === undefined || mine === undefined) return false;
  return trials.every((other, j) => {
    const its = means[j];
    if (beaten[j] === null || its === undefined) return true;
    const isEqual = mine.loss.every((loss, s) => loss - (its.loss[s] ?? 0) <= FLAT + 1e-12);
    return isEqual || beatsBeyondNoise(one, other, [mine, its]);
  });
}

function tooLate(means: Means | undefined, { maxBreach }: Objective): Refusal | null {
  if (means === undefined || maxBreach === null) return null;
  const breach = greatest(means.breach);
  if (breach <= maxBreach) return null;
  const text = `${(100 * breach).toFixed(1)} % of the served are late, ${100 * maxBreach} % allowed`;
  return { text, miss: breach - maxBreach };
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
  open: readonly boolean[],
  least: readonly number[],
  chosen: Means | undefined,
  empty: readonly boolean[],
): number {
  const suits = least.map((best, s) =>
    empty[s] === true
      ? Infinity
      : means.filter(({ loss }, i) => open[i] === true && (loss[s] ?? 0) - best <= FLAT).length,
  );
  const given = least.map((best, s) => (chosen?.loss[s] ?? best) - best);
  const most = greatest(given);
  if (most > FLAT / 2) return given.indexOf(most);
  return Math.max(0, indexOfLeast(suits));
}

/** By scenario: whether nobody arrives in any run. It binds nothing. */
function emptyOf([first]: readonly Trial[]): boolean[] {
  return (first?.goodput ?? []).map((values) => values.every(Number.isNaN));
}

function greatest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}

function indexOfLeast(values: readonly number[]): number {
  return values.reduce((at, value, i) => (value < (values[at] ?? Infinity) ? i : at), 0);
}
