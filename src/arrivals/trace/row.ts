import type { LoggedRow } from './retries.ts';

/** What was wrong with a line. */
export interface Fault {
  readonly fault: string;
}

/** A line read: a row whose instant has any origin; what was wrong; null where it holds no arrival. */
export type ReadRow = (line: string) => LoggedRow | Fault | null;

/** A number as written or as JSON holds it; null where there is nothing to read; NaN where it is none. */
export function numberIn(value: unknown): number | null {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/** Builds a row out of values that are not yet checked: an instant is needed, the rest may be missing. */
export function rowFrom(values: {
  readonly atUs: number | null;
  readonly inTokens?: unknown;
  readonly outTokens?: unknown;
  readonly serviceUs?: number | null;
  readonly class?: unknown;
  readonly status?: unknown;
  readonly caller?: unknown;
  readonly attempt?: unknown;
}): LoggedRow | Fault {
  const atUs = values.atUs;
  if (atUs === null || !Number.isFinite(atUs)) return { fault: 'expected an instant' };
  // As stamps in milliseconds since 1970 that are read in seconds.
  if (!Number.isSafeInteger(Math.round(atUs))) {
    return { fault: 'expected an instant within 285 years of 1970 (arrivals.unit: s or ms)' };
  }
  const inTokens = numberIn(values.inTokens);
  const outTokens = numberIn(values.outTokens);
  if (!isCount(inTokens)) return { fault: `expected prompt tokens, got ${values.inTokens}` };
  if (!isCount(outTokens)) return { fault: `expected output tokens, got ${values.outTokens}` };
  const serviceUs = values.serviceUs ?? null;
  if (!isCount(serviceUs)) return { fault: 'expected a service time of 0 or more' };
  const status = leadingNumber(values.status, /^\d{3}\b/);
  const attempt = leadingNumber(values.attempt, /^\d+$/);
  const logged = { status, attempt, caller: textIn(values.caller), class: textIn(values.class) };
  const isServed = status === null || status < 400;
  if (isServed) return { atUs: Math.round(atUs), inTokens, outTokens, serviceUs, ...logged };
  // How long a refusal took, and what it wrote, says nothing of the work.
  return { atUs: Math.round(atUs), inTokens, outTokens: null, serviceUs: null, ...logged };
}

/** `429` or `429 Too Many Requests`; null where it is something else: the arrival counts all the same. */
function leadingNumber(value: unknown, pattern: RegExp): number | null {
  const text = typeof value === 'string' ? pattern.exec(value.trim())?.[0] : undefined;
  return text === undefined ? null : Number(text);
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function isCount(value: number | null): boolean {
  return value === null || (Number.isInteger(value) && value >= 0);
}

/** The object on a line of JSON; undefined where there is none. */
export function objectOn(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
