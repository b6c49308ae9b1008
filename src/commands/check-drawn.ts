/** The columns of a schedule that its digest leaves out, held against the schedule drawn again. */
import { buildSchedule } from '../arrivals/build.ts';
import type { Schedule } from '../arrivals/schedule.ts';
import { UserError } from '../errors.ts';
import { scheduleDigest } from '../ledger/digest.ts';
import { type Violation, Violations } from '../ledger/laws.ts';
import type { Scheduled } from '../ledger/schedule-csv.ts';
import type { Result } from '../result/types.ts';
import { parseScenario } from '../scenario/schema.ts';

/**
 * Law 6: the place of the draws of each arrival, and whether its demand was drawn, are those that the
 * scenario gives. Says nothing where the scenario gives another schedule: whether it should is for
 * another law, and another loadline, or a number that was cut to its digits, may rightly give one.
 */
export function checkDrawnAgain(result: Result, arrivals: readonly Scheduled[]): Violation[] {
  const violations = new Violations();
  const again = drawnAgain(result);
  if (again === undefined || scheduleDigest(again) !== result.schedule.digest) return [];
  for (const [i, { keySeq, drawn = false }] of again.arrivals.entries()) {
    const got = arrivals[i];
    if (got === undefined) break;
    const wrong = (column: string, gives: number, says: number) =>
      violations.add(
        6,
        `schedule.csv line ${i + 2} says ${column} ${says}, its scenario gives ${gives}`,
      );
    if (got.keySeq !== keySeq) wrong('keySeq', keySeq, got.keySeq);
    if ((got.drawn ?? false) !== drawn) wrong('drawn', Number(drawn), Number(!drawn));
  }
  return violations.found;
}

/** The schedule that the scenario gives; undefined where none can be drawn of it. */
export function drawnAgain({ scenario }: Result): Schedule | undefined {
  try {
    return buildSchedule(parseScenario(scenario.resolved));
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
