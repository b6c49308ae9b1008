import { buildSchedule } from '../arrivals/build.ts';
import type { Schedule } from '../arrivals/schedule.ts';
import { withVerdicts } from '../commands/run-facts.ts';
import { openRunFolder } from '../commands/run-folder.ts';
import { simulateResult } from '../commands/simulate.ts';
import type { Result } from '../result/types.ts';
import type { Scenario } from '../scenario/types.ts';
import type { DrillOptions } from './drill.ts';

export interface SimulatedRun {
  readonly result: Result;
  readonly schedule: Schedule;
  /** Where it is, where `--out` says where. */
  readonly page?: string;
}

/**
 * The night of a drill in virtual time, with its verdicts, and in a folder where that is asked for.
 * @throws UserError where the folder cannot be written
 */
export async function simulatedRun(
  scenario: Scenario,
  { out, force }: Pick<DrillOptions, 'out' | 'force'>,
): Promise<SimulatedRun> {
  const schedule = buildSchedule(scenario);
  const result = withVerdicts(simulateResult(scenario), schedule);
  if (out === undefined) return { result, schedule };
  const folder = openRunFolder(out, force);
  try {
    return { result, schedule, page: await folder.finish(result, schedule) };
  } finally {
    folder.abandon();
  }
}
