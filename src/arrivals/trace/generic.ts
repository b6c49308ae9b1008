import { UserError } from '../../errors.ts';
import { US_PER_MS, US_PER_S } from '../../units.ts';
import { cellBy, columnsOf } from './columns.ts';
import { instantUs } from './instant.ts';
import { cellsOf } from './lines.ts';
import { numberIn, type ReadRow, rowFrom } from './row.ts';

const TIMES = ['timestamp', 'time', 'at', 'arrived_at', 'arrival', 'arrival_time', 'start_time'];
const IN = [
  'intokens',
  'input_tokens',
  'in_tokens',
  'prompt_tokens',
  'input_length',
  'num_prefill_tokens',
];
const OUT = [
  'outtokens',
  'output_tokens',
  'out_tokens',
  'completion_tokens',
  'output_length',
  'num_decode_tokens',
];
const SERVICES = ['service', 'duration', 'latency'];
const STATUSES = ['status', 'status_code', 'http_status'];
const CALLERS = ['caller', 'client', 'client_id', 'user', 'user_id', 'tenant', 'session_id'];
/** The least number in the file is that of a first try. `x-stainless-retry-count` begins at 0. */
const ATTEMPTS = ['attempt', 'retry_count', 'retries'];
const UNITS: Readonly<Record<string, number>> = { us: 1, ms: US_PER_MS, s: US_PER_S };

interface Timed {
  readonly name: string;
  /** null: the name does not say. */
  readonly unitUs: number | null;
}

/**
 * Comma-separated values with a header. A unit in a column's name (`at_ms`, `durationS`) counts
 * before the one that is given; an instant of the calendar needs none.
 * @throws UserError where no column holds the arrivals
 */
export function genericReader(header: string, unitUs: number): ReadRow {
  const columns = columnsOf(header);
  const cell = cellBy(columns);
  const time = timed(columns, TIMES);
  if (time === null) {
    throw new UserError(
      `trace: expected a column timestamp, at_s or at_ms, got ${header.slice(0, 80)}`,
    );
  }
  const service = timed(columns, SERVICES);
  const names = [IN, OUT, STATUSES, CALLERS, ATTEMPTS].map((each) => firstOf(columns, each));
  const [inName = '', outName = '', statusName = '', callerName = '', attemptName = ''] = names;
  return (line) => {
    const cells = cellsOf(line);
    const serviceText = service === null ? null : numberIn(cell(cells, service.name));
    return rowFrom({
      atUs: atUsOf(cell(cells, time.name), time.unitUs ?? unitUs),
      inTokens: cell(cells, inName),
      outTokens: cell(cells, outName),
      serviceUs:
        serviceText === null ? null : Math.round(serviceText * (service?.unitUs ?? unitUs)),
      class: cell(cells, 'class'),
      status: cell(cells, statusName),
      caller: cell(cells, callerName),
      attempt: cell(cells, attemptName),
    });
  };
}

/** Whether a table says what was turned away. */
export function hasStatus(header: string): boolean {
  return firstOf(columnsOf(header), STATUSES) !== '';
}

/** Whether the name of the time column says its unit; null: it does not, or there is none. */
export function namedUnitUs(header: string): number | null {
  return timed(columnsOf(header), TIMES)?.unitUs ?? null;
}

/** A number in the column's unit, or an instant of the calendar. */
function atUsOf(text: string, unitUs: number): number | null {
  const value = numberIn(text);
  if (value === null) return null;
  return Number.isNaN(value) ? instantUs(text) : value * unitUs;
}

function firstOf(columns: ReadonlyMap<string, number>, names: readonly string[]): string {
  return names.find((name) => columns.has(name)) ?? '';
}

function timed(columns: ReadonlyMap<string, number>, names: readonly string[]): Timed | null {
  for (const name of columns.keys()) {
    if (names.includes(name)) return { name, unitUs: null };
    const [, stem = '', unit = ''] = /^(.*?)_?(us|ms|s)$/.exec(name) ?? [];
    if (names.includes(stem)) return { name, unitUs: UNITS[unit] ?? null };
  }
  return null;
}
