/** Where two plain values that should be the same differ, in words short enough for one line. */

/** A place, and what each of the two has there. */
export type Difference = readonly [path: string, says: string, gives: string];

/** Of a text, and of any value with its quotes and what it escapes. */
const MOST_SHOWN = 60;
const MOST_QUOTED = 80;
/** Of what long texts have in common before they differ. */
const SHARED_SHOWN = 15;

/** Each number, text or length that differs: where, and both values. */
export function* differences(a: unknown, b: unknown, path = ''): Generator<Difference> {
  if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      yield* differences(a[key], b[key], path === '' ? key : `${path}.${key}`);
    }
  } else if (a !== b) {
    yield [path, ...briefly(a, b)];
  }
}

/** Two values in so many signs that one sees what is different: of long texts, where they part. */
export function briefly(a: unknown, b: unknown): [string, string] {
  if (typeof a !== 'string' || typeof b !== 'string') return [brief(a), brief(b)];
  if (Math.max(a.length, b.length) <= MOST_SHOWN) return [brief(a), brief(b)];
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const from = Math.max(0, same - SHARED_SHOWN);
  const shown = (text: string) => {
    const to = from + MOST_SHOWN;
    return brief(`${from > 0 ? '…' : ''}${text.slice(from, to)}${text.length > to ? '…' : ''}`);
  };
  return [shown(a), shown(b)];
}

/** A value in one line. */
export function brief(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, MOST_QUOTED);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
