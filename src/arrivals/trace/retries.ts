import type { TraceRow } from '../../scenario/types.ts';
import { US_PER_S } from '../../units.ts';

/** What a log says of a row beside the arrival; null: it does not. */
export interface LoggedRow extends TraceRow {
  /** HTTP status. */
  readonly status: number | null;
  /** Who asked. */
  readonly caller: string | null;
  /** Which try it is; the least of a log is the first. */
  readonly attempt: number | null;
}

/** A caller that comes back later than this after a refusal asks anew. Our gate asks for 30 s at most. */
const WITHIN_US = 60 * US_PER_S;
/** Turned away for want of room: the ones that clients try again. */
const REFUSED: ReadonlySet<number | null> = new Set([429, 503]);

export interface Inferred {
  readonly rows: readonly TraceRow[];
  /** Rows that were turned away, and so show neither service nor tokens. */
  readonly refused: number;
  /** Rows that are taken for another try of a refused one. */
  readonly retries: number;
  /** Refused rows whose retry nothing could tell: no caller, no prompt length, no number of the try. */
  readonly unlinked: number;
}

/** A refusal that nobody has come back from yet: when, and the place of the first try. */
interface Open {
  readonly atUs: number;
  readonly root: number;
}

/**
 * Tells new demand from callers who come back: a log behind a gate that refuses holds each of their
 * tries, and counted as demand they make the load look greater than it is. A row is a retry where
 * its log numbers the tries, or where the same caller (or, without callers, a request of the same
 * class and prompt length) was turned away in the minute before and has not come back yet. What the
 * last try was served with is what the first one asked for.
 * @param rows in order of time
 */
export function inferRetries(rows: readonly LoggedRow[]): Inferred {
  const first = rows.reduce((least, { attempt }) => Math.min(least, attempt ?? least), Infinity);
  const tries = new Tries(first);
  const told = rows.map((row, place) => tries.take(row, place));
  return {
    rows: told.map((row, place) => withServed(row, tries.served.get(place))),
    refused: told.filter((row) => row.refused).length,
    retries: told.filter((row) => row.retry).length,
    unlinked: tries.unlinked,
  };
}

class Tries {
  /** The last try of a request, by the place of its first. */
  readonly served = new Map<number, TraceRow>();
  unlinked = 0;
  private readonly open = new Map<string, Open[]>();

  /** @param first the number that the log gives to a first try */
  constructor(private readonly first: number) {}

  take(row: LoggedRow, place: number): TraceRow {
    const key = keyOf(row);
    const before = row.attempt === this.first ? undefined : this.comesBack(key, row.atUs);
    const isRefused = REFUSED.has(row.status);
    const root = before?.root ?? place;
    if (isRefused) this.refuse(row, key, root);
    else if (before !== undefined) this.served.set(root, row);
    const isRetry = before !== undefined || (row.attempt ?? this.first) > this.first;
    return plain(row, isRetry, isRefused);
  }

  private refuse({ atUs, attempt }: LoggedRow, key: string | null, root: number): void {
    if (key === null) {
      if (attempt === null) this.unlinked++;
      return;
    }
    const refusals = this.open.get(key) ?? [];
    refusals.push({ atUs, root });
    this.open.set(key, refusals);
  }

  /** Takes the oldest refusal that a row may answer; those that are too old are forgotten. */
  private comesBack(key: string | null, atUs: number): Open | undefined {
    const refusals = key === null ? undefined : this.open.get(key);
    while (refusals?.[0] !== undefined && atUs - refusals[0].atUs > WITHIN_US) refusals.shift();
    return refusals?.shift();
  }
}

/** Who would come back with this; null: nobody can tell. */
function keyOf({ caller, class: name, inTokens }: LoggedRow): string | null {
  if (caller === null && inTokens === null) return null;
  return JSON.stringify([caller, name, inTokens]);
}

function plain(row: LoggedRow, isRetry: boolean, isRefused: boolean): TraceRow {
  const { status: _status, caller: _caller, attempt: _attempt, ...rest } = row;
  return {
    ...rest,
    ...(isRetry ? { retry: true } : {}),
    ...(isRefused ? { refused: true } : {}),
  };
}

function withServed(row: TraceRow, last: TraceRow | undefined): TraceRow {
  if (last === undefined) return row;
  const { serviceUs, outTokens } = last;
  return { ...row, served: { serviceUs, outTokens } };
}
