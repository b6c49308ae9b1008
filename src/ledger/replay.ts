import { createAdmission } from '../admission/admission.ts';
import type { Admission, Effect } from '../admission/types.ts';
import type { Numbered } from './codec.ts';
import type { GateHeader, GateLine } from './lines.ts';

/** Where a fold of the recorded inputs first said something else than was recorded. */
export interface Difference {
  /** The line of the recorded effect, or of the input that should have had it. */
  readonly line: number;
  readonly recorded: Effect | null;
  readonly replayed: Effect | null;
  /** What the machine threw on that input, where it did. */
  readonly error: string | null;
}

export interface Replayed {
  readonly inputs: number;
  readonly effects: number;
  /** null: the machine said everything again. */
  readonly difference: Difference | null;
}

/**
 * Folds the recorded inputs of a gate through the admission machine and compares every effect
 * (DESIGN.md §1: replay is a fold). The effects of a last input that was cut off with the file are
 * not missed.
 */
export async function replayGate(
  header: GateHeader,
  lines: AsyncIterable<Numbered<GateLine>> | Iterable<Numbered<GateLine>>,
): Promise<Replayed> {
  const replay = new Replay(header);
  for await (const { number, line } of lines) {
    const difference = replay.take(number, line);
    if (difference !== null) return { ...replay.counts, difference };
  }
  return { ...replay.counts, difference: null };
}

/** The fold itself, for who reads the lines for another reason too. */
export class Replay {
  readonly counts = { inputs: 0, effects: 0 };
  private expected: Effect[] = [];
  private inputLine = 1;

  private readonly admission: Admission;

  constructor(header: GateHeader) {
    this.admission = createAdmission(header.config);
  }

  take(number: number, line: GateLine): Difference | null {
    if ('out' in line) return this.compare(number, line.out);
    return 'in' in line ? this.apply(number, line) : null;
  }

  /** An effect of the last input that was not recorded. */
  end(): Difference | null {
    const missed = this.expected.shift();
    return missed === undefined ? null : difference(this.inputLine, null, missed);
  }

  private apply(number: number, line: Extract<GateLine, { in: unknown }>): Difference | null {
    const missed = this.end();
    if (missed !== null) return missed;
    this.counts.inputs++;
    this.inputLine = number;
    try {
      this.expected = [...this.admission.apply(line.in, line.t)];
      return null;
    } catch (error) {
      return { ...difference(number, null, null), error: String(error) };
    }
  }

  private compare(number: number, recorded: Effect): Difference | null {
    this.counts.effects++;
    const replayed = this.expected.shift() ?? null;
    return sameData(recorded, replayed) ? null : difference(number, recorded, replayed);
  }
}

function difference(line: number, recorded: Effect | null, replayed: Effect | null): Difference {
  return { line, recorded, replayed, error: null };
}

/** Equality of flat data with at most one level of nesting; the order of keys does not count. */
function sameData(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const left = definedIn(a);
  const right = definedIn(b);
  if (left.length !== right.length) return false;
  const values = new Map(right);
  return left.every(([key, value]) => values.has(key) && sameData(value, values.get(key)));
}

/** JSON has no `undefined`: a field with it and a field left out are the same. */
function definedIn(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, inner]) => inner !== undefined);
}
