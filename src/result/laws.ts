import { type Violation, Violations } from '../ledger/laws.ts';
import { numberOf } from './figure.ts';
import type { Distribution, Figure, Outcomes, Result } from './types.ts';

/** Means over replications add up only to the last digits. */
const SLACK = 1e-6;

/** Laws 1, 7, 8 and 9 on a result: what a reader of the JSON alone can check. */
export function checkResult(result: Result): Violation[] {
  const violations = new Violations();
  checkBuckets(violations, 'all', result.outcomes);
  for (const [name, of] of Object.entries(result.byClass)) {
    checkBuckets(violations, name, of.outcomes);
  }
  checkRefusals(violations, result);
  checkLatencies(violations, result);
  checkEnd(violations, result);
  return violations.found;
}

function checkBuckets(violations: Violations, of: string, outcomes: Outcomes): void {
  const n = (name: keyof Outcomes) => numberOf(outcomes[name]) ?? 0;
  const decided = n('unsent') + n('undecided') + n('rejected') + n('admitted');
  if (differ(n('offered'), decided)) {
    violations.add(1, `${of}: offered ${n('offered')}, but the buckets hold ${decided}`);
  }
  const served = n('completed') + n('failed') + n('expired');
  const admitted = served + n('abandoned') + n('killed') + n('censored');
  if (differ(n('admitted'), admitted)) {
    violations.add(1, `${of}: admitted ${n('admitted')}, but the buckets hold ${admitted}`);
  }
}

function checkRefusals(violations: Violations, { outcomes, rejectedBy }: Result): void {
  const turnedAway = (numberOf(outcomes.rejected) ?? 0) + (numberOf(outcomes.expired) ?? 0);
  const byCode = Object.values(rejectedBy).reduce<number>((sum, n) => sum + (numberOf(n) ?? 0), 0);
  if (differ(turnedAway, byCode)) {
    violations.add(7, `${turnedAway} turned away, ${byCode} counted by code`);
  }
}

function checkLatencies(violations: Violations, result: Result): void {
  const completed = numberOf(result.outcomes.completed) ?? 0;
  if (differ(numberOf(result.responseS.n) ?? 0, completed)) {
    violations.add(8, `${completed} completed, ${numberOf(result.responseS.n)} response times`);
  }
  const figures = [
    ...['responseS', 'serviceS', 'firstByteS', 'ttftS', 'firstContentS'],
    ...['waitS', 'refusalS'],
  ] as const;
  for (const name of figures) checkRising(violations, name, result[name]);
}

function checkRising(violations: Violations, name: string, of: Distribution | undefined): void {
  if (of === undefined) return;
  const figures: Figure[] = [of.p50, of.p95, of.p99, of.max];
  const values = figures.map(numberOf).filter((value) => value !== null);
  const falls = values.some((value, i) => value < (values[i - 1] ?? 0) - SLACK);
  if (falls) violations.add(8, `${name}: percentiles do not rise: ${values.join(', ')}`);
}

function checkEnd(violations: Violations, { engine, scenario, outcomes }: Result): void {
  const censored = numberOf(outcomes.censored) ?? 0;
  if (engine === 'sim' && scenario.resolved.drainS === null && censored > 0) {
    violations.add(9, `${censored} requests were still open at an end that nothing limits`);
  }
}

function differ(a: number, b: number): boolean {
  return Math.abs(a - b) > SLACK * Math.max(1, Math.abs(a));
}
