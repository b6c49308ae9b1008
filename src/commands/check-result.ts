/** Whether a run's result is the one that its evidence gives: nothing cut off, nothing edited. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fineGapNotes } from '../engine/live/fine-gaps.ts';
import { UserError } from '../errors.ts';
import { textDigest } from '../ledger/digest.ts';
import { fileDigest } from '../ledger/file-digest.ts';
import type { Joined } from '../ledger/join.ts';
import { checkDigest, type Violation, Violations } from '../ledger/laws.ts';
import type { RowSink } from '../ledger/rows.ts';
import { readScheduleCsv, type Scheduled, writeScheduleCsv } from '../ledger/schedule-csv.ts';
import { createFold, type Fold } from '../result/fold.ts';
import { asWritten, stableJson } from '../result/json.ts';
import type { Result } from '../result/types.ts';
import { canonicalJson } from '../scenario/canonical.ts';
import { checkDrawnAgain } from './check-drawn.ts';
import { brief, type Difference, differences, isObject } from './differences.ts';
import { version } from './version.ts';

/** What the ledgers do not say: who ran it and where, and what was made of the figures afterwards. */
const NOT_FOLDED = ['environment', 'verdicts', 'lossSplit', 'scenario', 'schedule'] as const;

const ENGINES: readonly string[] = ['sim', 'live', 'k6'] satisfies Result['engine'][];

/**
 * Law 5: a live run leaves its schedule and its ledgers behind, any other whatever it says that it
 * wrote; without them it shows nothing. An engine that is none hides what must be there.
 */
function missingFrom({ engine, environment }: Result, folder: string): Violation[] {
  const violations = new Violations();
  const sealed = Object.keys(environment.ledgers ?? {});
  if (!ENGINES.includes(engine)) {
    const got = JSON.stringify(engine) ?? 'none';
    violations.add(5, `result.json: expected the engine ${ENGINES.join(', ')}, got ${got}`);
  }
  if (engine === 'sim' && (sealed.length > 0 || environment.target !== 'none')) {
    violations.add(5, 'result.json says that it was simulated, its environment that it was not');
  }
  const live = ['schedule.csv', 'client.jsonl', ...(environment.direct ? [] : ['gate.jsonl'])];
  for (const name of new Set([...(engine === 'live' ? live : []), ...sealed])) {
    if (!existsSync(join(folder, name)))
      violations.add(5, `${name}: expected it, got no such file`);
  }
  return violations.found;
}

/** Laws 5 and 6: what the result says of its scenario and its schedule is what these give. */
function checkIdentity(result: Result, count: number): Violation[] {
  const { scenario, schedule, seed } = result;
  const violations = new Violations();
  const compare = (law: 5 | 6, path: string, says: unknown, gives: unknown) => {
    // As it is written: with 12 digits.
    if (stableJson(says ?? null) !== stableJson(gives))
      violations.add(law, `result.json says ${path} ${brief(says)}, expected ${brief(gives)}`);
  };
  compare(5, 'scenario.digest', scenario.digest, textDigest(canonicalJson(scenario.resolved)));
  compare(5, 'scenario.name', scenario.name, scenario.resolved.name);
  compare(6, 'seed', seed, scenario.resolved.seed);
  compare(6, 'schedule.count', schedule.count, count);
  compare(6, 'schedule.ratePerS', schedule.ratePerS, count / scenario.resolved.durationS);
  return violations.found;
}

/** Law 6: the text is the one that was written, to its last line end; a line that is no arrival is no error of the user. */
function checkScheduleText(text: string): {
  readonly arrivals: readonly Scheduled[];
  readonly violations: readonly Violation[];
} {
  const violations = new Violations();
  try {
    const arrivals = readScheduleCsv(text);
    if (writeScheduleCsv(arrivals) !== text) {
      violations.add(6, 'schedule.csv is not as a run writes it: its line ends differ');
    }
    return { arrivals, violations: violations.found };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    violations.add(6, error.message);
    return { arrivals: [], violations: violations.found };
  }
}

/**
 * Law 5: the ledgers are those that the run wrote, to the byte. It finds an edit of what no figure
 * is made of; who edits the seal too is found by the folds.
 */
async function checkSeals({ environment }: Result, folder: string): Promise<Violation[]> {
  const violations = new Violations();
  for (const [name, digest] of Object.entries(environment.ledgers ?? {})) {
    const file = join(folder, name);
    if (existsSync(file) && (await fileDigest(file)) !== digest) {
      violations.add(5, `${name} is not the file that the run wrote: its SHA-256 differs`);
    }
  }
  return violations.found;
}

/** A folder of a run beside its result, before anything of it is folded. */
export interface Written {
  /** Empty where the schedule cannot be read, or is not there and need not be. */
  readonly arrivals: readonly Scheduled[];
  readonly hasSchedule: boolean;
  /** What is not as the run wrote it. */
  readonly violations: readonly Violation[];
}

/** Laws 5 and 6: the files are there, are of one run, and are those that it wrote. */
export async function checkWritten(result: Result, folder: string): Promise<Written> {
  const missing = missingFrom(result, folder);
  const file = join(folder, 'schedule.csv');
  if (missing.length > 0 || !existsSync(file)) {
    return { arrivals: [], hasSchedule: false, violations: missing };
  }
  const { arrivals, violations } = checkScheduleText(readFileSync(file, 'utf8'));
  // Of arrivals that cannot be read nothing else is known.
  if (arrivals.length === 0 && violations.length > 0) {
    return { arrivals, hasSchedule: true, violations };
  }
  return {
    arrivals,
    hasSchedule: true,
    violations: [
      ...violations,
      ...checkDigest(arrivals, result.schedule.digest),
      ...checkDrawnAgain(result, arrivals),
      ...checkIdentity(result, arrivals.length),
      ...checkScenario(result, join(folder, 'scenario.json')),
      ...(await checkSeals(result, folder)),
    ],
  };
}

/** Law 5: the scenario that lies there is the one of the result. */
function checkScenario(result: Result, file: string): Violation[] {
  const violations = new Violations();
  const own = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (own !== stableJson(result.scenario.resolved)) {
    violations.add(5, 'scenario.json is not the scenario in result.json');
  }
  return violations.found;
}

/** A fold over the same scenario, to be told the rows of the ledgers once more. */
export function foldAgain(result: Result): Fold {
  return createFold(result.scenario.resolved, { detail: 'full' });
}

/**
 * Law 5: the ledgers, folded again, give every figure of the result, and where this loadline made it
 * its notes on health too: another one may say them in other words.
 */
export function checkResult(
  result: Result,
  arrivals: readonly Scheduled[],
  fold: Fold,
  joined: Joined,
): Violation[] {
  const { engine, scenario, seed, timeScale, schedule, environment } = result;
  const { pace, interrupted } = joined;
  const again = fold.finish({
    ...{ engine, seed, timeScale, schedule, environment, pace, interrupted },
    scenarioDigest: scenario.digest,
    notes: fineGapNotes({ seed, arrivals }, timeScale),
  });
  const violations = new Violations();
  if (joined.torn > 0) violations.add(5, 'the last line of a ledger was cut off');
  for (const [path, says, gives] of resultDifferences(result, again)) {
    violations.add(5, `result.json says ${path} ${says}, its ledgers give ${gives}`);
  }
  return violations.found;
}

/** Whether its words are this loadline's: those of another may rightly be others. */
export function isOurs({ environment }: Result): boolean {
  return environment.loadline === version;
}

/** Each figure and fact in which two results of one run differ. */
export function resultDifferences(result: Result, again: Result): Iterable<Difference> {
  const withNotes = isOurs(result);
  return differences(folded(result, withNotes), folded(again, withNotes));
}

/** As it is written, so that both have the same digits; without what was never folded. */
function folded(result: Result, withNotes: boolean): unknown {
  const plain: Record<string, unknown> = { ...asWritten(result) };
  for (const key of NOT_FOLDED) delete plain[key];
  const { health } = plain;
  if (!withNotes && isObject(health)) delete health['notes'];
  return plain;
}

/** One sink that tells two. */
export function tee(one: RowSink, other: RowSink): RowSink {
  return {
    request(row) {
      one.request(row);
      other.request(row);
    },
    state(row) {
      one.state(row);
      other.state(row);
    },
    busy(row) {
      one.busy(row);
      other.busy(row);
    },
    decision(row) {
      one.decision(row);
      other.decision(row);
    },
    preempt(row) {
      one.preempt(row);
      other.preempt(row);
    },
    lease(row) {
      one.lease?.(row);
      other.lease?.(row);
    },
  };
}
