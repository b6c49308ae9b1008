import { unitOf, valueWithUnit } from '../result/setting-value.ts';

/** `maxWaitS 30 s`: a number never stands without the name of its rule and its unit. */
export function settingText(setting: Readonly<Record<string, unknown>>): string {
  return Object.entries(setting)
    .map(([path, value]) => oneSetting(path, value))
    .join(', ');
}

/** One value, with its unit, behind the name of its path; a rule that is off says so. */
export function oneSetting(path: string, value: unknown): string {
  return `${pathText(path)}\u00a0${valueWithUnit(path, value, '\u00a0')}`;
}

export function pathText(path: string): string {
  return path.replace(/^gate\./, '');
}

/** With its unit, where the path ends with one. */
export function axisTitle(path: string): string {
  const unit = unitOf(path);
  return unit === '' ? pathText(path) : `${pathText(path)} (${unit})`;
}
