/** Digits kept of a number: far more than any figure means, few enough to hide the order of a sum. */
const DIGITS = 12;

/**
 * Text of a result, or of a document that holds results: the same value gives the same bytes.
 * Fields stand in the order in which the code puts them, numbers have 12 significant digits.
 * A number that JSON cannot say is a fault of ours and throws.
 */
export function stableJson(value: unknown, indent: 0 | 2 = 2): string {
  return `${JSON.stringify(value, rounded, indent)}\n`;
}

/** A result as who reads its file sees it: with as many digits as are written. */
export function asWritten<T>(value: T): T {
  return JSON.parse(stableJson(value, 0)) as T;
}

function rounded(key: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  if (!Number.isFinite(value))
    throw new RangeError(`${key}: expected a finite number, got ${value}`);
  return Number(value.toPrecision(DIGITS));
}
