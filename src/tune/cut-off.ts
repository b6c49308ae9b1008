/** Which of the settings that were tried have figures of simulations that were cut off. */
import { CUT_OFF_TEXTS, type CutOffBy } from '../result/cut-off.ts';
import type { Figures } from '../result/figures.ts';
import { settingText } from './setting.ts';
import type { Trial } from './weigh.ts';

/** A setting, or a rule, and its runs. */
export interface Cell {
  readonly name: string;
  readonly runs: readonly Figures[];
}

/** Names that fit into a line. */
const MOST_NAMED = 8;

/** The figure of a run that was cut off: 1, and absent in any other. */
export function cutOffPath(by: CutOffBy): string {
  return `cutOff.${by}`;
}

/** One line for each reason, with the cells that it met; empty where every simulation ended. */
export function cutOffNotes(cells: readonly Cell[]): string[] {
  return (Object.keys(CUT_OFF_TEXTS) as CutOffBy[]).flatMap((by) => {
    const met = cells.flatMap(({ name, runs }) => {
      const cut = runs.filter((run) => run[cutOffPath(by)] === 1).length;
      if (cut === 0) return [];
      return [cut === runs.length ? name : `${name} (${cut} of ${runs.length} runs)`];
    });
    const names = [...new Set(met)];
    if (names.length === 0) return [];
    const more = names.length - MOST_NAMED;
    const shown = names.slice(0, MOST_NAMED).join('; ');
    const rest = more > 0 ? `; and ${more} more` : '';
    return [
      `cut off, whoever had not arrived counted as never sent: ${shown}${rest}: ${CUT_OFF_TEXTS[by]()}`,
    ];
  });
}

/** The cells of trials in several scenarios, which are named where there are several. */
export function cellsOf(
  trials: readonly { readonly name?: string; readonly trial: Trial }[],
  scenarios: readonly string[],
): Cell[] {
  return trials.flatMap(({ name, trial }) =>
    trial.runs.map((runs, s) => {
      const own = name ?? settingText(trial.setting);
      return { name: scenarios.length > 1 ? `${own} in ${scenarios[s]}` : own, runs };
    }),
  );
}
