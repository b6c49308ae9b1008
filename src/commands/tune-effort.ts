/** How often a setting is played, and whether threads are worth their start. */
import { buildSchedule } from '../arrivals/build.ts';
import type { Scenario } from '../scenario/types.ts';
import { runsOfASetting } from '../tune/effort.ts';
import { isRecorded } from '../tune/recorded.ts';

/** Arrivals played below which a thread costs more than it saves. */
const WORTH_A_THREAD = 60_000;

/** @param asked runs of each setting; undefined: as many as the length of a run allows */
export function tuneEffort(scenarios: readonly Scenario[], asked: number | undefined) {
  const arrivals = scenarios.map((scenario) => buildSchedule(scenario).arrivals.length);
  const most = Math.max(...arrivals);
  const replications = asked ?? runsOfASetting(most, scenarios.every(isRecorded));
  const isFewer = asked === undefined && replications < runsOfASetting(0, false);
  const notes = isFewer
    ? [`${replications} runs of each setting: one has ${most} arrivals (-n for more)`]
    : [];
  return { replications, worthAThread: Math.ceil(WORTH_A_THREAD / Math.max(1, most)), notes };
}
