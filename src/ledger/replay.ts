import { createAdmission } from '../admission/admission.ts';
import type { Effect } from '../admission/types.ts';
import { createClient } from '../client/client.ts';
import type { ClientConfig } from '../client/types.ts';
import type { Numbered } from './codec.ts';
import type { ClientLine, GateHeader, GateLine } from './lines.ts';

/** Where a fold of the recorded inputs first said something else than was recorded. */
export interface Difference<E = unknown> {
  /** The line of the recorded effect, or of the input that should have had it. */
  readonly line: number;
  readonly recorded: E | null;
  readonly replayed: E | null;
  /** What the machine threw on that input, where it did. */
  readonly error: string | null;
}

export interface Replayed {
  readonly inputs: number;
  readonly effects: number;
  /** null: the machine said everything again. */
  readonly difference: Difference<Effect> | null;
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
  const replay = gateReplay(header);
  for await (const { number, line } of lines) {
    const difference = replay.take(number, line);
    if (difference !== null) return { ...replay.counts, difference };
  }
  return { ...replay.counts, difference: null };
}

/** The fold of a gate's lines, for who reads them for another reason too. */
export function gateReplay(header: GateHeader): Replay<GateLine> {
  return new Replay(createAdmission(header.config));
}

/** The fold of a client's lines through the client machine; what the wire did is no part of it. */
export function clientReplay(config: ClientConfig): Replay<ClientLine> {
  return new Replay(createClient(config));
}

type InputOf<L> = Extract<L, { in: unknown }>['in'];
type EffectOf<L> = Extract<L, { out: unknown }>['out'];

interface Machine<L> {
  apply(input: InputOf<L>, nowUs: number): readonly EffectOf<L>[];
}

/** A fold of the recorded inputs of a machine, each of its effects held beside the recorded one. */
export class Replay<L extends { readonly t: number }> {
  readonly counts = { inputs: 0, effects: 0 };
  private expected: EffectOf<L>[] = [];
  private inputLine = 1;

  constructor(private readonly machine: Machine<L>) {}

  take(number: number, line: L): Difference<EffectOf<L>> | null {
    if ('out' in line) return this.compare(number, line.out as EffectOf<L>);
    return 'in' in line ? this.apply(number, line.in as InputOf<L>, line.t) : null;
  }

  /** An effect of the last input that was not recorded. */
  end(): Difference<EffectOf<L>> | null {
    const missed = this.expected.shift();
    return missed === undefined ? null : difference(this.inputLine, null, missed);
  }

  private apply(number: number, input: InputOf<L>, t: number): Difference<EffectOf<L>> | null {
    const missed = this.end();
    if (missed !== null) return missed;
    this.counts.inputs++;
    this.inputLine = number;
    try {
      this.expected = [...this.machine.apply(input, t)];
      return null;
    } catch (error) {
      return { ...difference<EffectOf<L>>(number, null, null), error: String(error) };
    }
  }

  private compare(number: number, recorded: EffectOf<L>): Difference<EffectOf<L>> | null {
    this.counts.effects++;
    const replayed = this.expected.shift() ?? null;
    return sameData(recorded, replayed) ? null : difference(number, recorded, replayed);
  }
}

function difference<E>(line: number, recorded: E | null, replayed: E | null): Difference<E> {
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
