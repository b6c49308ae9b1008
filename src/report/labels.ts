import type { Result } from '../result/types.ts';
import { oneSetting } from './setting-text.ts';

/** Says nothing about how a run went. */
const ASIDE = /^(name|description|gate\.rationale|thresholds\b.*|classes\.[^.]+\.prompt)$/;
const MOST_PARTS = 3;

/** What tells the runs of a comparison apart: the values of their scenarios that differ, else engine and seed. */
export function labelsOf(results: readonly Result[]): string[] {
  const flat = results.map((result) => flatten(result.scenario.resolved));
  const paths = [...new Set(flat.flatMap((each) => [...each.keys()]))];
  const differing = paths.filter(
    (path) => !ASIDE.test(path) && new Set(flat.map((each) => each.get(path))).size > 1,
  );
  const labels = results.map((result, i) => labelOf(result, results, differing, flat[i]));
  return labels.map((label, i) => (labels.indexOf(label) === i ? label : `${label} (${i + 1})`));
}

function labelOf(
  result: Result,
  results: readonly Result[],
  differing: readonly string[],
  values: ReadonlyMap<string, unknown> | undefined,
): string {
  const differs = (of: (result: Result) => unknown) => new Set(results.map(of)).size > 1;
  const parts: string[] = [];
  if (differs((each) => each.scenario.name)) parts.push(result.scenario.name);
  const own = differing.filter((path) => path !== 'seed').slice(0, MOST_PARTS);
  parts.push(...own.map((path) => oneSetting(path, values?.get(path) ?? null)));
  if (differs((each) => sourceOf(each))) parts.push(sourceOf(result));
  if (differs((each) => each.seed) || parts.length === 0) parts.push(`seed ${result.seed}`);
  return parts.join(', ');
}

function sourceOf({ engine, environment }: Result): string {
  return environment.target === 'none' ? engine : `${engine}, ${environment.target}`;
}

function flatten(value: unknown, path = '', into = new Map<string, unknown>()) {
  if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      flatten(inner, path === '' ? name : `${path}.${name}`, into);
    }
  } else {
    into.set(path, value);
  }
  return into;
}
