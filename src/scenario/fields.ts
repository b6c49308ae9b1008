/**
 * The kinds of field that scenarios are made of. Every message is what was *expected*; `problems.ts`
 * puts the path before it and what was got behind it.
 */
import * as z from 'zod';

/** Thirty years; also keeps microseconds well inside 2^53. */
const LONGEST_S = 1e9;

export function number(expected: string, fits: (value: number) => boolean) {
  const error = ({ input }: { readonly input?: unknown }) => withLimit(expected, input);
  return z.number({ error: expected }).refine(fits, { error });
}

/** 1e16 is whole and yet no whole number that is told from its neighbour: its limit is named. */
function withLimit(expected: string, input: unknown): string {
  const isHuge = typeof input === 'number' && input > Number.MAX_SAFE_INTEGER;
  const isWholeKind = expected.startsWith('a whole number') && expected.includes('or more');
  if (!isHuge || !isWholeKind) return expected;
  return expected.replace('or more', `to ${Number.MAX_SAFE_INTEGER}`);
}

/** A rule that is off by default, and with `null`. */
export function ruleOff(expected: string, fits: (value: number) => boolean) {
  return number(`${expected}, or null`, fits).nullable().default(null);
}

export const isPositiveS = (value: number) => value > 0 && value <= LONGEST_S;
export const isDurationS = (value: number) => value >= 0 && value <= LONGEST_S;
export const isShare = (value: number) => value >= 0 && value <= 1;
export const isPositive = (value: number) => value > 0;
export const isWhole = (from: number) => (value: number) =>
  Number.isSafeInteger(value) && value >= from;

export const POSITIVE_S = 'seconds as a number, more than 0 and at most 1e9';
export const DURATION_S = 'seconds as a number, 0 to 1e9';
export const SHARE = '0 to 1';

export const positiveS = () => number(POSITIVE_S, isPositiveS);
export const durationS = () => number(DURATION_S, isDurationS);
export const share = () => number(SHARE, isShare);
export const positive = () => number('a number, more than 0', isPositive);
export const whole = (from: number) => number(`a whole number, ${from} or more`, isWhole(from));
export const flag = () => z.boolean({ error: 'true or false' });
export const text = () => z.string({ error: 'text' });

export function choice<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, { error: `one of ${values.join(', ')}` });
}

/** An object that refuses unknown keys; for those the message is the list of the known ones. */
export function object<S extends z.ZodRawShape>(shape: S) {
  const known = Object.keys(shape).join(' ');
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? known : 'an object'),
  });
}

export function list<T extends z.ZodType>(item: T, expected: string) {
  return z.array(item, { error: expected });
}
