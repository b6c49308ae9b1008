/** Whether a simulated run is what its scenario gives: played again, it must give every figure again. */
import { UserError } from '../errors.ts';
import { type Violation, Violations } from '../ledger/laws.ts';
import type { Result } from '../result/types.ts';
import { parseScenario } from '../scenario/schema.ts';
import type { Scenario } from '../scenario/types.ts';
import { isOurs, resultDifferences } from './check-result.ts';
import { differences } from './differences.ts';
import { costOf } from './loss-split.ts';
import { simulateResult } from './simulate.ts';
import { version } from './version.ts';

/** Attempts over all replications that are played again: some ten seconds of one processor. */
const MOST_ATTEMPTS = 3_000_000;
/** Of a number in a result. One that has as many may have had more, and its run then had other draws. */
const DIGITS_KEPT = 12;

/** What a second simulation found, or why there was none. */
export type SimulatedAgain =
  | { readonly violations: readonly Violation[] }
  | { readonly notAgain: string };

/** Laws 5 and 6: the scenario of a simulated run, played again, gives its schedule and its figures. */
export function checkSimulated(result: Result): SimulatedAgain {
  const notAgain = whyNotAgain(result);
  if (notAgain !== undefined) return { notAgain };
  const violations = new Violations();
  const scenario = readBack(result, violations);
  if (scenario === undefined) return { violations: violations.found };
  const { replications, environment, schedule } = result;
  const again = simulateResult(scenario, { replications, direct: environment.direct });
  if (again.schedule.digest !== schedule.digest) {
    violations.add(6, differs('schedule.digest', schedule.digest, again.schedule.digest));
  }
  for (const [path, says, gives] of resultDifferences(result, again)) {
    violations.add(5, differs(path, says, gives));
  }
  const [own, other] = [whereOf(result), whereOf(again)];
  for (const [path, says, gives] of differences(own, other, 'environment')) {
    violations.add(5, differs(path, says, gives));
  }
  if (violations.found.length > 0 && mayHaveLostDigits(scenario)) {
    return { notAgain: `its scenario has a number that was cut to ${DIGITS_KEPT} digits` };
  }
  return { violations: violations.found };
}

/** Another loadline may rightly simulate another run, and one that did not end would not end again. */
function whyNotAgain(result: Result): string | undefined {
  const { environment, health, replications, schedule } = result;
  if (!isOurs(result)) {
    return `made by loadline ${environment.loadline}, this is ${version}`;
  }
  if (health.status === 'interrupted') return 'it was cut off';
  if (!(replications * costOf(result) <= MOST_ATTEMPTS)) {
    return `${replications} runs of ${schedule.count} arrivals take too long`;
  }
  return undefined;
}

/** Of a simulation the same everywhere; not what was said of it, nor how it was asked for. */
function whereOf({ environment }: Result): unknown {
  const { notes: _notes, asked: _asked, ...where } = environment;
  return where;
}

function readBack({ scenario }: Result, violations: Violations): Scenario | undefined {
  try {
    return parseScenario(scenario.resolved);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    violations.add(5, `result.json has a scenario that none can be run of: ${error.message}`);
    return undefined;
  }
}

function differs(path: string, says: string, gives: string): string {
  return `result.json says ${path} ${says}, simulated again it is ${gives}`;
}

function mayHaveLostDigits(value: unknown): boolean {
  if (typeof value === 'number') {
    return !Number.isSafeInteger(value) && Number(value.toPrecision(DIGITS_KEPT - 1)) !== value;
  }
  return (
    typeof value === 'object' && value !== null && Object.values(value).some(mayHaveLostDigits)
  );
}
