import { setNumber } from './format.ts';

/** A value of a setting as it was written; a rule that is off is null. */
export function valueText(value: unknown): string {
  if (value === null) return 'off';
  if (typeof value === 'number') return setNumber(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `maxWaitS 30 s`: a number never stands without the name of its rule and its unit. */
export function settingText(setting: Readonly<Record<string, unknown>>): string {
  return Object.entries(setting)
    .map(([path, value]) => oneSetting(path, valueText(value)))
    .join(', ');
}

/** One value, as written, behind the name of its path. */
export function oneSetting(path: string, value: string): string {
  const isNumber = /^[\d.e+-]+$/.test(value);
  return `${pathText(path)}\u00a0${value}${isNumber && isDuration(path) ? '\u00a0s' : ''}`;
}

export function pathText(path: string): string {
  return path.replace(/^gate\./, '');
}

/** With its unit, where the path ends with one. */
export function axisTitle(path: string): string {
  return isDuration(path) ? `${pathText(path)} (s)` : pathText(path);
}

/** `maxWaitS` is in seconds, `perS` is a rate. */
function isDuration(path: string): boolean {
  return /[a-z]S$/.test(path) && !/perS$/i.test(path);
}
