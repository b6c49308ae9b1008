/** Whether what was made of a run's figures afterwards is what they give: loss split, notes, verdicts. */
import type { Schedule } from '../arrivals/schedule.ts';
import { type Violation, Violations } from '../ledger/laws.ts';
import { asWritten } from '../result/json.ts';
import type { Result } from '../result/types.ts';
import { isOurs } from './check-result.ts';
import { differences } from './differences.ts';
import { costOf, withLossSplit } from './loss-split.ts';
import { runVerdicts, withRunNotes } from './run-facts.ts';
import { version } from './version.ts';

/** Of the run, which a verdict simulates again a dozen times and more: some seconds of one processor. */
const MOST_ATTEMPTS = 50_000;

/** What was made again and is the same, what was not made again and why, and what differs. */
export interface Concluded {
  readonly checked: readonly ('lossSplit' | 'verdicts')[];
  readonly notes: readonly string[];
  readonly violations: readonly Violation[];
}

/**
 * Law 5: the loss split, the notes and the verdicts of a result whose figures hold are those that
 * they give. Where another loadline made them nothing is compared: it may rightly say otherwise.
 * @param schedule of the run; undefined where it is not there
 */
export async function checkConclusions(
  result: Result,
  schedule: Schedule | undefined,
): Promise<Concluded> {
  if (!isOurs(result)) {
    const why = `made by loadline ${result.environment.loadline}, this is ${version}`;
    return {
      checked: [],
      notes: [`lossSplit and verdicts not made again: ${why}`],
      violations: [],
    };
  }
  const violations = new Violations();
  const split = await withLossSplit(bare(result));
  // A drill and the settings of a sweep work none out.
  const hasSplit = result.lossSplit !== null;
  if (hasSplit) compare(violations, 'lossSplit', result.lossSplit, split.lossSplit);
  checkNotes(violations, result, split);
  const checked = hasSplit || split.lossSplit === null ? (['lossSplit'] as const) : [];
  // A verdict is also made of the loss split.
  if (violations.found.length > 0) return { checked, notes: [], violations: violations.found };
  const why = whyNoVerdicts(result);
  if (why !== undefined) return { checked, notes: [why], violations: [] };
  if (schedule === undefined || result.verdicts.length === 0) {
    return { checked, notes: [], violations: [] };
  }
  compare(violations, 'verdicts', result.verdicts, runVerdicts(result, schedule));
  return { checked: [...checked, 'verdicts'], notes: [], violations: violations.found };
}

/** Before anything was made of it. */
function bare(result: Result): Result {
  return { ...result, lossSplit: null, environment: { ...result.environment, notes: [] } };
}

function compare(violations: Violations, path: string, says: unknown, gives: unknown): void {
  for (const [at, a, b] of differences(asWritten(says), asWritten(gives), path)) {
    violations.add(5, `result.json says ${at} ${a}, made again it is ${b}`);
  }
}

/**
 * What only the run itself knew stands among the notes of a real one, and cannot be told from what
 * was added; what its scenario and its loss split say must be there.
 */
function checkNotes(violations: Violations, result: Result, split: Result): void {
  const { environment, verdicts, lossSplit } = result;
  const said = withRunNotes(bare(result)).environment.notes;
  const ofSplit = split.environment.notes;
  const must = [...(verdicts.length > 0 ? said : []), ...(lossSplit === null ? [] : ofSplit)];
  for (const note of must) {
    if (environment.notes.includes(note)) continue;
    violations.add(5, `result.json lacks the note ${JSON.stringify(note)}`);
  }
  if (environment.endpoint !== null || result.engine === 'k6') return;
  for (const note of environment.notes) {
    if (said.includes(note) || ofSplit.includes(note)) continue;
    violations.add(5, `result.json has a note that nothing gives: ${JSON.stringify(note)}`);
  }
}

function whyNoVerdicts(result: Result): string | undefined {
  if (costOf(result) <= MOST_ATTEMPTS) return undefined;
  return `verdicts not made again: ${result.schedule.count} arrivals are too many to simulate again`;
}
