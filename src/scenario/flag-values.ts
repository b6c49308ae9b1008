/** How the values of flags and environment variables are read. Each throws a UserError that says what it expected. */
import { UserError } from '../errors.ts';

function expected(what: string, text: string): UserError {
  return new UserError(`expected ${what}, got ${JSON.stringify(text.slice(0, 60))}`);
}

/** A number, in any of the usual notations. */
export function numberOf(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw expected('a number', text);
  return value;
}

/** A number, or null for a rule that is to be off. */
export function numberOrOff(text: string): number | null {
  const word = text.trim().toLowerCase();
  if (word === 'off' || word === 'none' || word === 'null') return null;
  const value = word === '' ? Number.NaN : Number(word);
  if (!Number.isFinite(value)) throw expected('a number, or off', text);
  return value;
}

/** True for 1, true, yes and on; false for 0, false, no and off. */
export function switchOf(text: string): boolean {
  const word = text.trim().toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  if (['0', 'false', 'no', 'off'].includes(word)) return false;
  throw expected('1 or 0', text);
}

/** `120..240x2`, several with commas between: windows in seconds and their factors. */
export function burstsOf(text: string): { fromS: number; toS: number; factor: number }[] {
  if (['off', 'none'].includes(text.trim())) return [];
  return text.split(',').map((window) => {
    const match = /^\s*([^.x]*(?:\.\d+)?)\.\.([^x]+)x(.+)$/.exec(window);
    const parts = match?.slice(1).map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
    const [fromS, toS, factor] = parts ?? [];
    if (!isNumber(fromS) || !isNumber(toS) || !isNumber(factor)) {
      throw expected('a burst such as 120..240x2 (from..to in seconds, x factor)', window);
    }
    return { fromS, toS, factor };
  });
}

function isNumber(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value);
}

const SERVICE =
  'uniform:5..30, exponential:4, fixed:5, lognormal:10~1.4 or gamma:10~1.4 (mean~scv)';

/** A service time in short: `uniform:5..30`, `exponential:4`, `fixed:5`, `lognormal:10~1.4`, `gamma:10~1.4`. */
export function serviceOf(text: string): Record<string, unknown> {
  const [name = '', rest = ''] = splitOnce(text.trim(), ':');
  const separator = name === 'uniform' ? '..' : '~';
  const parts = splitOnce(rest, separator).map((part) =>
    part.trim() === '' ? Number.NaN : Number(part),
  );
  const [first, second] = parts;
  if (!parts.every(Number.isFinite)) throw expected(SERVICE, text);
  if ((name === 'exponential' || name === 'fixed') && parts.length === 1) return { [name]: first };
  if (parts.length !== 2) throw expected(SERVICE, text);
  if (name === 'uniform') return { uniform: [first, second] };
  if (name === 'lognormal' || name === 'gamma') return { [name]: { mean: first, scv: second } };
  throw expected(SERVICE, text);
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** The text itself. */
export function textOf(text: string): string {
  return text;
}
