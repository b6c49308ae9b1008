/** `path=value`: changes to a scenario as it was written, before it is parsed. */
import { parse } from 'yaml';
import { UserError } from '../errors.ts';
import { suggestion } from './nearest.ts';
import { DEFAULT_CLASS, scenarioSchema } from './schema.ts';
import { childOf, isList, isOneKeyed, isRecord, keysOf, type Place } from './shape.ts';

/** A value for a place in a scenario. */
export interface Override {
  /** `gate.slots`, `arrivals.bursts[0].factor`, `classes.small.share`, `thresholds.rates.breach`. */
  readonly path: string;
  readonly value: unknown;
}

type Plain = Record<string, unknown>;

/**
 * The parts of a path: `arrivals.bursts[0].toS` and `arrivals.bursts.0.toS` are the same.
 * @throws UserError when a part is empty
 */
export function parsePath(path: string): string[] {
  const parts = path.replace(/\[(\d+)\]/g, '.$1').split('.');
  if (parts.some((part) => part === '')) {
    throw new UserError(`expected a path such as gate.slots, got ${JSON.stringify(path)}`);
  }
  return parts;
}

/**
 * A value as it is typed on a command line: a number (`1e9`, `.8`), true, false, null (or `off`),
 * `{uniform: [5, 30]}`, or else text.
 */
export function parseValue(text: string): unknown {
  const word = text.trim();
  if (word in WORDS) return WORDS[word];
  if (word !== '' && Number.isFinite(Number(word))) return Number(word);
  return /^[[{"']/.test(word) ? parseStructure(word) : text;
}

const WORDS: Plain = Object.assign(Object.create(null), {
  true: true,
  false: false,
  null: null,
  off: null,
});

function parseStructure(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch {
    return text;
  }
}

/**
 * `gate.slots=8` as an override.
 * @throws UserError without an equals sign
 */
export function parseSet(text: string): Override {
  const at = text.indexOf('=');
  if (at < 1) throw new UserError(`expected path=value, got ${JSON.stringify(text)}`);
  return { path: text.slice(0, at).trim(), value: parseValue(text.slice(at + 1)) };
}

/**
 * A copy of a scenario's input with one value changed; what is on the way is made where missing.
 * @throws UserError when the scenario has no such path, naming the nearest
 */
export function setPath(input: unknown, path: string, value: unknown): unknown {
  return placed(input, parsePath(path), value, [scenarioSchema], '');
}

/** All overrides, in order; a later one wins. */
export function setAll(input: unknown, overrides: readonly Override[]): unknown {
  return overrides.reduce<unknown>((state, each) => setPath(state, each.path, each.value), input);
}

function placed(
  node: unknown,
  parts: readonly string[],
  value: unknown,
  place: Place,
  done: string,
): unknown {
  const [key, ...rest] = parts;
  if (key === undefined) return value;
  if (isRecord(place) && keysOf(childOf(place, key)).length === 0) {
    // The keys of thresholds are paths themselves.
    return { ...asPlain(node), [parts.join('.')]: value };
  }
  const below = childOf(place, key);
  const here = done === '' ? key : `${done}.${key}`;
  refuseUnknown(node, key, place, here);
  if (isList(place)) return withItem(node, Number(key), rest, value, below, here);
  const kept = isOneKeyed(place) && !Object.hasOwn(asPlain(node), key) ? {} : asPlain(node);
  return { ...kept, [key]: placed(kept[key], rest, value, below, here) };
}

function withItem(
  node: unknown,
  index: number,
  rest: readonly string[],
  value: unknown,
  place: Place,
  here: string,
): unknown[] {
  const items: unknown[] = Array.isArray(node) ? [...node] : [];
  if (index > items.length) {
    throw new UserError(`${here}: expected an index of 0 to ${items.length}, got ${index}`);
  }
  items[index] = placed(items[index], rest, value, place, here);
  return items;
}

function refuseUnknown(node: unknown, key: string, place: Place, here: string): void {
  const known = isRecord(place) ? classNames(node) : keysOf(place);
  const fits = isRecord(place) ? known.includes(key) : childOf(place, key).length > 0;
  if (fits) return;
  const what = isRecord(place) ? 'no such class' : 'unknown path';
  const meant = here === key ? placesOf(key, place) : [];
  const hint = meant.length > 0 ? `; did you mean ${meant.join(' or ')}?` : suggestion(key, known);
  throw new UserError(`${here}: ${what}${hint}`);
}

/** Where a field stands whose path was left out: `gate.slots` and `model.slots` for `slots`. */
function placesOf(key: string, place: Place): string[] {
  return keysOf(place)
    .filter((part) => !isRecord(childOf(place, part)) && keysOf(childOf(place, part)).includes(key))
    .map((part) => `${part}.${key}`);
}

/** The classes of a scenario as written; one that names none has the default class. */
function classNames(classes: unknown): string[] {
  return classes === undefined ? [DEFAULT_CLASS] : Object.keys(asPlain(classes));
}

function asPlain(node: unknown): Plain {
  return typeof node === 'object' && node !== null && !Array.isArray(node)
    ? Object.fromEntries(Object.entries(node))
    : {};
}
