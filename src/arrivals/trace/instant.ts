import { US_PER_S } from '../../units.ts';

const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/i;

/**
 * Microseconds since 1970 of an instant such as `2023-11-16 18:17:03.9799600` or
 * `2024-05-10T00:00:01+00:00`: none to nine digits of a second (rounded to microseconds), UTC where
 * no zone is given. NaN for what is not one. By hand, because `Date` reads such text in local time
 * and keeps milliseconds, which makes one instant of many.
 */
export function instantUs(text: string): number {
  const found = INSTANT.exec(text.trim());
  if (found === null) return Number.NaN;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map(Number);
  const inRange = month >= 1 && month <= 12 && day >= 1 && day <= 31;
  if (!inRange || hour > 23 || minute > 59 || second > 60) return Number.NaN;
  const seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
  const fractionUs = Math.round(Number(`0.${found[7] ?? '0'}`) * US_PER_S);
  return (seconds - zoneS(found[8])) * US_PER_S + fractionUs;
}

function zoneS(zone: string | undefined): number {
  const found = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '');
  if (found === null) return 0;
  const seconds = Number(found[2]) * 3600 + Number(found[3]) * 60;
  return found[1] === '-' ? -seconds : seconds;
}

/** Days of the Gregorian calendar, counted in years that begin in March so that a leap day is last. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return y * 365 + leapDays + dayOfYear - 719_468;
}
