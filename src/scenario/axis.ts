/** Lists and ranges of values for one path: the axes of a sweep. */
import { UserError } from '../errors.ts';
import { parseValue } from './set.ts';

/** One axis: a path of the scenario and the values that it takes in turn. */
export interface Axis {
  readonly path: string;
  readonly values: readonly unknown[];
}

/** Numbers from one to another, both included. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

const MOST_VALUES = 10_000;
const NUMBER = String.raw`[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?`;
const RANGE = new RegExp(`^(${NUMBER})\\.\\.(${NUMBER})(?:/(${NUMBER}))?$`, 'i');

/**
 * `1..120` or `1..120/5`; undefined where the text is no range.
 * @throws UserError when it runs backwards, does not step, or has more than 10 000 values
 */
export function parseRange(text: string): Range | undefined {
  const match = RANGE.exec(text.trim());
  if (match === null) return undefined;
  const [from, to, step] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 1)];
  if (!(step > 0) || to < from || (to - from) / step >= MOST_VALUES) {
    throw new UserError(
      `expected a range from..to/step with from <= to and at most ${MOST_VALUES} values, got ${text}`,
    );
  }
  return { from, to, step };
}

/** The values of a range. Each is computed from its index, so that errors do not add up. */
export function rangeValues({ from, to, step }: Range): number[] {
  const count = Math.floor((to - from) / step + 1e-9) + 1;
  return Array.from({ length: count }, (_, i) => Number((from + i * step).toPrecision(15)));
}

/**
 * `gate.ageRejectS=5,10,1e9` or `gate.maxWaitS=1..120/1`: the path and its values.
 * @throws UserError without a path or without values
 */
export function splitSweepAxis(text: string): Axis {
  const at = text.indexOf('=');
  const items = at < 1 ? [] : splitAtCommas(text.slice(at + 1));
  if (items.length === 0 || items.some((item) => item.trim() === '')) {
    throw new UserError(
      `expected path=value,value,... or path=from..to, got ${JSON.stringify(text)}`,
    );
  }
  const values = items.flatMap((item): unknown[] => {
    const range = parseRange(item);
    return range === undefined ? [parseValue(item.trim())] : rangeValues(range);
  });
  return { path: text.slice(0, at).trim(), values };
}

/** Commas inside brackets belong to the value. */
function splitAtCommas(text: string): string[] {
  const items = [''];
  let depth = 0;
  for (const character of text) {
    if ('[{('.includes(character)) depth++;
    if (']})'.includes(character)) depth--;
    if (character === ',' && depth === 0) items.push('');
    else items[items.length - 1] += character;
  }
  return items;
}
