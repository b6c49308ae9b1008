/**
 * How long a refusal asks its client to wait. Read without the platform's date parser, which takes
 * `-1` and `abc 120` for dates. Forms: RFC 9110 §10.2.3 (delay in seconds, or an HTTP date in one
 * of its three forms, §5.6.7), and the `retry-after-ms` that OpenAI's clients read first.
 */
import { US_PER_MS, US_PER_S } from '../units.ts';

/** A server that asks for more than a day is believed for a day. */
export const MAX_RETRY_AFTER_US = 86_400 * US_PER_S;

const NUMBER = /^\d+(?:\.\d+)?$/;
const IMF_FIXDATE = /^[a-z]{3}, (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt$/;
const RFC_850 = /^[a-z]{6,9}, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) gmt$/;
const ASCTIME = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MS_PER_DAY = 86_400_000;
const MS_PER_YEAR = 365.2425 * MS_PER_DAY;

/** The two headers as they came; undefined where one did not. */
export interface RetryAfterHeaders {
  readonly retryAfterMs?: string | undefined;
  readonly retryAfter?: string | undefined;
}

/**
 * The wait that the headers ask for, in microseconds, 0 to a day; undefined where they ask for
 * none that can be understood (the client then follows its own backoff). A moment in the past is 0.
 * Seconds with a fraction are not in the RFC; they are rounded up to whole ones. Never throws.
 * @param nowEpochMs the wall clock, which only the date forms need
 */
export function retryAfterUs(headers: RetryAfterHeaders, nowEpochMs: number): number | undefined {
  return (
    fromNumber(headers.retryAfterMs, US_PER_MS) ??
    fromNumber(headers.retryAfter, US_PER_S) ??
    fromDate(headers.retryAfter, nowEpochMs)
  );
}

function fromNumber(text: string | undefined, unitUs: number): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (!NUMBER.test(trimmed)) return undefined;
  return Math.min(Math.ceil(Number(trimmed)) * unitUs, MAX_RETRY_AFTER_US);
}

function fromDate(text: string | undefined, nowEpochMs: number): number | undefined {
  const epochMs = httpDateMs(text ?? '', nowEpochMs);
  if (epochMs === undefined) return undefined;
  const waitUs = Math.ceil((epochMs - nowEpochMs) * US_PER_MS);
  return Math.min(Math.max(0, waitUs), MAX_RETRY_AFTER_US);
}

/** Milliseconds since 1970 of an HTTP date; undefined for anything else. */
function httpDateMs(text: string, nowEpochMs: number): number | undefined {
  const lower = text.trim().toLowerCase();
  const [, day, month, year, ...clock] = IMF_FIXDATE.exec(lower) ?? [];
  if (year !== undefined) return epochMs(Number(year), month, Number(day), clock);
  const [, day850, month850, year850, ...clock850] = RFC_850.exec(lower) ?? [];
  if (year850 !== undefined) {
    return epochMs(fullYear(Number(year850), nowEpochMs), month850, Number(day850), clock850);
  }
  const [, monthC, dayC, hourC, minuteC, secondC, yearC] = ASCTIME.exec(lower) ?? [];
  if (yearC === undefined) return undefined;
  return epochMs(Number(yearC), monthC, Number(dayC), [hourC, minuteC, secondC]);
}

/** RFC 9110: two digits that would be more than 50 years ahead are of the century before. */
function fullYear(twoDigits: number, nowEpochMs: number): number {
  const now = 1970 + Math.floor(nowEpochMs / MS_PER_YEAR);
  const year = Math.floor(now / 100) * 100 + twoDigits;
  return year > now + 50 ? year - 100 : year;
}

function epochMs(
  year: number,
  monthName: string | undefined,
  day: number,
  clock: readonly (string | undefined)[],
): number | undefined {
  const month = MONTHS.indexOf(monthName ?? '') + 1;
  const [hour = 24, minute = 60, second = 61] = clock.map(Number);
  if (month === 0 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const seconds = (hour * 60 + minute) * 60 + second;
  return daysSince1970(year, month, day) * MS_PER_DAY + seconds * 1000;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

/** Gregorian day number; the year is made to begin in March, so that the leap day is its last. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const monthFromMarch = (month + 9) % 12;
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5) + day - 1;
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return 365 * y + leapDays + dayOfYear - 719_468;
}
