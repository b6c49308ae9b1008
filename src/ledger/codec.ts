import { createReadStream } from 'node:fs';
import { UserError } from '../errors.ts';
import { LEDGER_VERSION, type LedgerKind, type Ledgers } from './lines.ts';

/** One line of a ledger, as it stands in the file. */
export function encodeLine<K extends LedgerKind>(
  value: Ledgers[K]['header'] | Ledgers[K]['line'],
): string {
  return `${JSON.stringify(value)}\n`;
}

export interface Numbered<L> {
  /** From 1, the header's. */
  readonly number: number;
  readonly line: L;
}

/** A ledger that is being read. */
export interface OpenLedger<K extends LedgerKind> {
  readonly header: Ledgers[K]['header'];
  /** The rest, in order. To be read once. */
  readonly lines: AsyncIterable<Numbered<Ledgers[K]['line']>>;
  /** Last lines that were cut off while they were written: 0 or 1, known when all is read. */
  torn(): number;
}

/** Opens a ledger's file. UserError where it cannot be read, or is not that ledger. */
export async function openLedger<K extends LedgerKind>(
  kind: K,
  path: string,
): Promise<OpenLedger<K>> {
  return readLedger(kind, createReadStream(path, { encoding: 'utf8' }), path);
}

/**
 * Reads a ledger from chunks of text, cut anywhere.
 * A last line without its end that is no JSON was torn by a sudden death: it is skipped and
 * counted. Any other broken line is an error with its number.
 */
export async function readLedger<K extends LedgerKind>(
  kind: K,
  chunks: AsyncIterable<string>,
  name: string,
): Promise<OpenLedger<K>> {
  const read = { torn: 0 };
  const values = numbered(readable(chunks, name), name, read);
  const first = await values.next();
  if (first.done === true) throw new UserError(`${name}: expected a ${kind} ledger, got no line`);
  const header = checkedHeader(kind, first.value.value, name);
  return { header, lines: linesOf<K>(kind, values, name), torn: () => read.torn };
}

function checkedHeader<K extends LedgerKind>(kind: K, value: unknown, name: string) {
  const header = isRecord(value) ? value : {};
  if (header['ledger'] !== kind) {
    const got = typeof header['ledger'] === 'string' ? header['ledger'] : 'none';
    throw new UserError(`${name}:1: expected the header of a ${kind} ledger, got ${got}`);
  }
  if (header['schemaVersion'] !== LEDGER_VERSION) {
    const got = JSON.stringify(header['schemaVersion']);
    throw new UserError(
      `${name}:1: expected schemaVersion ${LEDGER_VERSION}, got ${got} (written by another loadline?)`,
    );
  }
  return value as Ledgers[K]['header'];
}

/** What may stand beside `t`. */
const BODIES: Record<LedgerKind, readonly string[]> = {
  gate: ['in', 'out', 'busy'],
  client: ['in', 'out', 'wire', 'end'],
};

async function* linesOf<K extends LedgerKind>(
  kind: K,
  values: AsyncIterable<{ number: number; value: unknown }>,
  name: string,
): AsyncGenerator<Numbered<Ledgers[K]['line']>> {
  for await (const { number, value } of values) {
    if (!isLine(kind, value)) {
      const expected = `{t, ${BODIES[kind].join(' | ')}}`;
      throw new UserError(`${name}:${number}: expected ${expected}, got ${brief(value)}`);
    }
    yield { number, line: value as Ledgers[K]['line'] };
  }
}

function isLine(kind: LedgerKind, value: unknown): boolean {
  if (!isRecord(value) || !Number.isFinite(value['t'])) return false;
  return BODIES[kind].some((body) => body in value);
}

async function* numbered(
  chunks: AsyncIterable<string>,
  name: string,
  read: { torn: number },
): AsyncGenerator<{ number: number; value: unknown }> {
  let number = 0;
  for await (const { text, whole } of textLines(chunks)) {
    number++;
    const value = parsed(text);
    if (value !== undefined) yield { number, value };
    else if (whole) throw new UserError(`${name}:${number}: expected JSON, got ${brief(text)}`);
    else read.torn++;
  }
}

/** `whole`: ended by a line feed. */
async function* textLines(
  chunks: AsyncIterable<string>,
): AsyncGenerator<{ text: string; whole: boolean }> {
  let rest = '';
  for await (const chunk of chunks) {
    const texts = (rest + chunk).split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) yield { text, whole: true };
  }
  if (rest !== '') yield { text: rest, whole: false };
}

async function* readable(chunks: AsyncIterable<string>, name: string): AsyncGenerator<string> {
  try {
    yield* chunks;
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UserError(`${name}: expected a ledger that can be read, got ${why}`);
  }
}

/** A line of JSON; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
