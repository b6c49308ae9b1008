import type { core } from 'zod';
import { suggestion } from './nearest.ts';

/** One thing that is wrong with a scenario. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  /** What follows the path and a colon. */
  readonly text: string;
}

type Issue = core.$ZodIssue;
type UnionIssue = Extract<Issue, { code: 'invalid_union' }>;

/** `gate.slots`; the whole is `scenario`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'scenario' : path.map(String).join('.');
}

/** A value as it is quoted back to whoever wrote it: `1.4 (number)`. One line, bounded. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return shownList(value);
  if (typeof value === 'object')
    return `an object with ${Object.keys(value).join(', ') || 'no keys'}`;
  if (typeof value === 'string') return `${JSON.stringify(value.slice(0, 60))} (string)`;
  return `${String(value).slice(0, 60)} (${typeof value})`;
}

function shownList(value: readonly unknown[]): string {
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `a list of ${value.length}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** How sure it is that a branch of a union is not the one that was meant. */
function mismatch(issue: Issue): number {
  if (issue.path.length === 1 && issue.code === 'invalid_value') return 10;
  if (issue.path.length === 0) return 1;
  return issue.path.length === 1 && issue.code === 'invalid_type' ? 0.5 : 0;
}

function closestBranch(issue: UnionIssue): readonly Issue[] {
  const scored = issue.errors.map((issues) => ({
    issues,
    score: issues.reduce((sum, each) => sum + mismatch(each), 0),
  }));
  const best = scored.reduce((a, b) => (b.score < a.score ? b : a));
  const tied = scored.filter((each) => each.score === best.score);
  return tied.length === 1 ? best.issues : [];
}

function unionProblems(input: unknown, issue: UnionIssue, path: readonly PropertyKey[]): Problem[] {
  const value = valueAt(input, path);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const branch = isObject ? closestBranch(issue) : [];
  if (branch.length > 0) return branch.flatMap((each) => issueProblems(input, each, path));
  const discriminators = literalChoices(issue);
  if (isObject && discriminators !== undefined) {
    const at = [...path, discriminators.key];
    const expected = `one of ${discriminators.values.join(', ')}`;
    return [{ path: at, text: `expected ${expected}, got ${shown(valueAt(input, at))}` }];
  }
  return [{ path, text: `expected ${issue.message}, got ${shown(value)}` }];
}

/** Where every branch disliked the same literal (`process`), its values. */
function literalChoices(issue: UnionIssue): { key: PropertyKey; values: unknown[] } | undefined {
  const values: unknown[] = [];
  let key: PropertyKey | undefined;
  for (const branch of issue.errors) {
    const literal = branch.find((each) => each.code === 'invalid_value' && each.path.length === 1);
    if (literal?.code !== 'invalid_value') return undefined;
    key = literal.path[0];
    values.push(...literal.values);
  }
  return key === undefined ? undefined : { key, values };
}

function issueProblems(
  input: unknown,
  issue: Issue,
  under: readonly PropertyKey[] = [],
): Problem[] {
  const path = [...under, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const known = issue.message.split(' ');
    return issue.keys.map((key) => ({
      path: [...path, key],
      text: `unknown key${suggestion(key, known)}`,
    }));
  }
  if (issue.code === 'invalid_union') return unionProblems(input, issue, path);
  if (issue.code === 'invalid_key') {
    return [{ path, text: `expected ${issue.issues[0]?.message}, got ${shown(path.at(-1))}` }];
  }
  return [{ path, text: `expected ${issue.message}, got ${shown(valueAt(input, path))}` }];
}

/** Every issue that zod found, as problems against the input as it was written. */
export function problemsOf(input: unknown, issues: readonly Issue[]): Problem[] {
  return issues.flatMap((issue) => issueProblems(input, issue));
}

/** One line for each problem. */
export function problemText(problems: readonly Problem[]): string {
  return problems.map((each) => `${pathText(each.path)}: ${each.text}`).join('\n');
}
