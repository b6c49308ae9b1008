import { UserError } from '../../errors.ts';
import type { TraceRow } from '../../scenario/types.ts';
import { US_PER_MS, US_PER_S } from '../../units.ts';
import { azureReader } from './azure.ts';
import { burstgptReader } from './burstgpt.ts';
import { type Format, formatOf } from './detect.ts';
import { figuresOf, type TraceFigures } from './figures.ts';
import { genericReader, hasStatus, namedUnitUs } from './generic.ts';
import { type Line, linesOf } from './lines.ts';
import { ledgerReader, scheduleReader } from './loadline.ts';
import { notesOf } from './notes.ts';
import { inferRetries, type LoggedRow } from './retries.ts';
import { numberIn, objectOn, type ReadRow } from './row.ts';
import { type Strays, straysOf } from './strays.ts';
import { tokenLinesReader } from './token-lines.ts';

export interface TraceOptions {
  readonly format: Format | 'auto';
  readonly unit: 's' | 'ms' | 'auto';
}

/** A line that holds no arrival that can be read, and why. */
export interface RejectedLine {
  readonly line: number;
  readonly reason: string;
}

export interface ParsedTrace {
  readonly format: Format;
  /** Of the time stamps. */
  readonly unit: 'instant' | 's' | 'ms' | 'us';
  /** In rising order; the first at 0, save in a run of our own, which has its own start. */
  readonly rows: readonly TraceRow[];
  readonly rejected: readonly RejectedLine[];
  /** Rows far from all others, with the line of one of them; null where there are none. */
  readonly strays: (Strays & { readonly line: number }) | null;
  /** Rows that stood before an earlier one. */
  readonly outOfOrder: number;
  /** Rows that were turned away; null where the log does not say. */
  readonly refused: number | null;
  /** Rows that are taken for another try of one that was turned away. */
  readonly retries: number;
  /** Refused rows that nothing could link to a later try. */
  readonly unlinked: number;
  readonly figures: TraceFigures;
  /** What a reader should know, one sentence each: units, rate, ties, rejected lines. */
  readonly notes: readonly string[];
}

/** Enough to see whether time stamps have fractions. */
const LINES_TO_JUDGE_BY = 100;

/**
 * Reads recorded arrivals. What was not recorded is null; requests that failed are arrivals too.
 * @throws UserError where no line can be read as an arrival
 */
export function parseTrace(text: string, options: TraceOptions): ParsedTrace {
  const lines = linesOf(text);
  const first = lines[0];
  if (first === undefined)
    throw new UserError('trace: expected recorded arrivals, got an empty file');
  const format = options.format === 'auto' ? formatOf(first.text) : options.format;
  const unit = unitOf(format, options.unit, lines);
  const hasHeader = objectOn(first.text) === undefined;
  const read = readerOf(format, hasHeader ? first.text : null, unit);
  const { rows, numbers, rejected } = readAll(hasHeader ? lines.slice(1) : lines, read);
  if (rows.length === 0) throw new UserError(nothingRead(format, rejected));
  const outOfOrder = rows.filter((row, i) => row.atUs < (rows[i - 1]?.atUs ?? row.atUs)).length;
  const { rows: sorted, ...inferred } = inferRetries(rebased(rows, format));
  const far = straysOf(rows.map(({ atUs }) => atUs));
  const strays = far === null ? null : { ...far, line: numbers[far.place] ?? 0 };
  const says = format === 'csv' && hasHeader && hasStatus(first.text);
  const logged = { ...inferred, refused: says ? inferred.refused : null };
  const parsed = { format, unit, rows: sorted, rejected, strays, outOfOrder, ...logged };
  const figures = figuresOf(sorted.map((row) => row.atUs));
  return { ...parsed, figures, notes: notesOf({ ...parsed, figures }) };
}

function readAll(lines: readonly Line[], read: ReadRow) {
  const rows: LoggedRow[] = [];
  const numbers: number[] = [];
  const rejected: RejectedLine[] = [];
  for (const line of lines) {
    const row = read(line.text);
    if (row === null) continue;
    if ('fault' in row) {
      rejected.push({ line: line.number, reason: row.fault });
      continue;
    }
    rows.push(row);
    numbers.push(line.number);
  }
  return { rows, numbers, rejected };
}

/** Sorting is stable: rows of one instant keep the order of the file. */
function rebased(rows: readonly LoggedRow[], format: Format): LoggedRow[] {
  const sorted = rows.toSorted((a, b) => a.atUs - b.atUs);
  const startUs = format === 'loadline' ? 0 : (sorted[0]?.atUs ?? 0);
  return sorted.map((row) => ({ ...row, atUs: row.atUs - startUs }));
}

function readerOf(format: Format, header: string | null, unit: ParsedTrace['unit']): ReadRow {
  const unitUs = unit === 'ms' ? US_PER_MS : US_PER_S;
  if (format === 'mooncake' || format === 'qwen') return tokenLinesReader(unitUs);
  if (header === null) {
    if (format === 'loadline') return ledgerReader;
    throw new UserError(`trace: expected a header line of format ${format}, got JSON`);
  }
  if (format === 'azure') return azureReader(header);
  if (format === 'burstgpt') return burstgptReader(header, unitUs);
  return format === 'loadline' ? scheduleReader(header) : genericReader(header, unitUs);
}

/**
 * The unit that is asked for, else the format's own. Mooncake's is milliseconds, but some tools
 * write its keys with seconds, which then have fractions.
 */
function unitOf(
  format: Format,
  asked: TraceOptions['unit'],
  lines: readonly Line[],
): ParsedTrace['unit'] {
  if (format === 'azure') return 'instant';
  if (format === 'loadline') return 'us';
  const named = format === 'csv' ? namedUnitUs(lines[0]?.text ?? '') : null;
  if (named !== null) return named === 1 ? 'us' : named === US_PER_MS ? 'ms' : 's';
  if (asked !== 'auto') return asked;
  return format === 'mooncake' && !lines.slice(0, LINES_TO_JUDGE_BY).some(hasFraction) ? 'ms' : 's';
}

function hasFraction(line: Line): boolean {
  const at = numberIn(objectOn(line.text)?.['timestamp']);
  return at !== null && Number.isFinite(at) && !Number.isInteger(at);
}

function nothingRead(format: Format, rejected: readonly RejectedLine[]): string {
  const why = rejected[0] ? `line ${rejected[0].line}: ${rejected[0].reason}` : 'no rows';
  return `trace: expected arrivals in format ${format}, got none (${why})`;
}
