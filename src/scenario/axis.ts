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
  /** Nobody wrote the step: values are its multiples, and both ends. */
  readonly isOwnStep?: boolean;
}

const MOST_VALUES = 10_000;
const NUMBER = String.raw`[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?`;
const RANGE = new RegExp(`^(${NUMBER})\\.\\.(${NUMBER})(?:/(${NUMBER}))?$`, 'i');

/** Fewer whole numbers than this show too little of a curve to step by one. */
const FEW_WHOLE = 8;
/** A step that nobody wrote gives at least this many steps. */
const LEAST_STEPS = 10;
/** What is counted has no halves: its short ranges step by one. */
const COUNTED = /(slots|capacity|cap|budget|max|preempts|tokens|ticks|blocks|limit|seed)$/i;

/**
 * `1..120` or `1..120/5`; undefined where the text is no range. Where no step is written it is 1
 * over enough whole numbers, and over those of a count, but not over more than can be tried; else
 * it is 1, 2 or 5 times a power of ten, for 10 to 26 values.
 * @param path what takes the values
 * @throws UserError when it runs backwards, does not step, has no end, or has more than 10 000 values
 */
export function parseRange(text: string, path = ''): Range | undefined {
  const match = RANGE.exec(text.trim());
  if (match === null) return undefined;
  const [from, to] = [Number(match[1]), Number(match[2])];
  const isOwnStep = match[3] === undefined && !stepsByOne(from, to, path);
  const step = isOwnStep ? ownStep(from, to) : Number(match[3] ?? 1);
  const range = { from, to, step, isOwnStep };
  refuseEndless(range, text);
  return range;
}

function refuseEndless({ from, to, step }: Range, text: string): void {
  const refuse = (expected: string, more = '') => {
    throw new UserError(`expected a range ${expected}, got ${text}${more}`);
  };
  if (!Number.isFinite(to - from)) refuse('between finite numbers');
  if (to < from) refuse('from..to with from <= to');
  if (!(step > 0)) refuse('from..to/step with a step above 0');
  const count = Math.floor((to - from) / step + 1e-9) + 1;
  if (count > MOST_VALUES) {
    refuse(
      `of at most ${MOST_VALUES} values`,
      `, which has ${count}: write a greater step, or none`,
    );
  }
}

function stepsByOne(from: number, to: number, path: string): boolean {
  if (!(to > from)) return true;
  if (!Number.isInteger(from) || !Number.isInteger(to) || to - from >= MOST_VALUES) return false;
  return to - from >= FEW_WHOLE - 1 || COUNTED.test(path);
}

/** Most of a range below 1 would be skipped in steps of 1, and its upper end with it. */
function ownStep(from: number, to: number): number {
  const most = (to - from) / LEAST_STEPS;
  const power = 10 ** Math.floor(Math.log10(most) + 1e-9);
  const times = [5, 2, 1].find((one) => one * power <= most * (1 + 1e-9)) ?? 1;
  return Number((times * power).toPrecision(6));
}

/** The values of a range. Each is computed from its index, so that errors do not add up. */
export function rangeValues({ from, to, step, isOwnStep = false }: Range): number[] {
  if (isOwnStep) {
    const first = Math.floor(from / step + 1e-9) + 1;
    const between = Math.max(0, Math.ceil(to / step - 1e-9) - first);
    const round = (_: unknown, i: number) => Number(((first + i) * step).toPrecision(15));
    return [from, ...Array.from({ length: between }, round), to];
  }
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
      `expected path=value,value,... or path=from..to/step, got ${JSON.stringify(text)}`,
    );
  }
  const path = text.slice(0, at).trim();
  const values = items.flatMap((item): unknown[] => {
    const range = parseRange(item, path);
    return range === undefined ? [parseValue(item.trim())] : rangeValues(range);
  });
  return { path, values };
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
