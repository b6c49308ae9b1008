import type { Expiry } from './types.ts';

/** Traffic, prompts and endpoints drift: nobody knows how fast, so a month is a convention and no result. */
const DAYS = 30;
const MS_PER_DAY = 86_400_000;

/**
 * How long advice may be acted on.
 * @param advisedOn day of the advice, `2026-11-29`
 * @param measuredOn day of the oldest run that it rests on; null: nothing was measured
 */
export function expiryOf(advisedOn: string, measuredOn: string | null): Expiry {
  return { advisedOn, measuredOn, remeasureBy: daysAfter(measuredOn ?? advisedOn, DAYS) };
}

function daysAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * MS_PER_DAY).toISOString().slice(0, 10);
}
