import type { Figure, Replicated } from '../result/types.ts';

/** Stands where there is no data. */
export const NO_DATA = '–';

const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 0, useGrouping: true });

/** 12 345.6 with thin spaces between the thousands and at most `digits` decimals. */
export function decimal(value: number, digits: number): string {
  const rounded = Number(value.toFixed(digits));
  const [, fraction] = Math.abs(rounded).toFixed(digits).split('.');
  const whole = GROUPED.format(Math.trunc(Math.abs(rounded))).replaceAll(',', '\u202f');
  const sign = rounded < 0 ? '\u2212' : '';
  return `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}`;
}

/** A count; a mean of counts keeps one decimal. */
export function count(value: number | null): string {
  if (value === null) return NO_DATA;
  return decimal(value, Number.isInteger(value) || Math.abs(value) >= 10_000 ? 0 : 1);
}

/** About three significant digits, without a unit. */
export function short(value: number | null): string {
  if (value === null) return NO_DATA;
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 0.001) return value.toExponential(1).replace('-', '\u2212');
  if (size < 1) return decimal(value, 3);
  if (size < 10) return decimal(value, 2);
  return decimal(value, size < 100 ? 1 : 0);
}

/** Seconds with their unit. */
export function seconds(value: number | null): string {
  return value === null ? NO_DATA : `${short(value)}\u00a0s`;
}

/** Seconds in a sentence: no zeros at the end of the decimals. */
export function plainSeconds(value: number): string {
  return `${short(value)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '')}\u00a0s`;
}

/** A configured number of seconds, as it was written: no padding zeros. */
export function setSeconds(value: number): string {
  return `${setNumber(value)}\u00a0s`;
}

/** A configured number, as it was written. */
export function setNumber(value: number): string {
  return value >= 1e6 ? value.toExponential().replace('e+', 'e') : String(value);
}

/** A share with one decimal, for tables. */
export function percent(value: number | null): string {
  if (value === null) return NO_DATA;
  if (value > 0 && value < 0.0005) return '<0.1\u00a0%';
  if (value < 1 && value > 0.9995) return '>99.9\u00a0%';
  return `${decimal(100 * value, 1)}\u00a0%`;
}

/** A share for a sentence: whole percents, one decimal within a point of none and all. */
export function roughPercent(value: number): string {
  const near = (value > 0 && value < 0.01) || (value > 0.99 && value < 1);
  return near ? percent(value) : `${decimal(100 * value, 0)}\u00a0%`;
}

/** How one number of some kind is written. */
export type Write = (value: number | null) => string;

export function isReplicated(figure: Figure): figure is Replicated {
  return typeof figure === 'object' && figure !== null;
}

/** `1 request`, `2 requests`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)}\u00a0${n === 1 ? one : many}`;
}

/** A, B and C. */
export function list(words: readonly string[], last = 'and'): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
