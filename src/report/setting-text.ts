import { setNumber } from './format.ts';

/** A value of a setting as it was written; a rule that is off is null. */
export function valueText(value: unknown): string {
  if (value === null) return 'off';
  if (typeof value === 'number') return setNumber(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `maxWaitS 30`: a number never stands without the name of its rule. */
export function settingText(setting: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(setting).map(
    ([path, value]) => `${pathText(path)} ${valueText(value)}`,
  );
  return parts.join(', ');
}

export function pathText(path: string): string {
  return path.replace(/^gate\./, '');
}

/** Seconds are the unit of every path that ends so. */
export function axisTitle(path: string): string {
  return /[a-z]S$/.test(path) ? `${pathText(path)} (s)` : pathText(path);
}
