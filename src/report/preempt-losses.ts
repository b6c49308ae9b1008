/** What preempts have to do with the loss of a sweep's best setting. */
import { numberOf } from '../result/figure.ts';
import type { Figure } from '../result/types.ts';
import type { SweepSetting } from '../tune/types.ts';
import { list, percent, roughPercent } from './format.ts';
import type { Said } from './sweep-asides.ts';

type Figures = SweepSetting['figures'];

/** By the code with which a restart is refused: whose limit it was. */
const RULES: Readonly<Record<string, string>> = {
  preempt_budget: 'maxPreempts',
  restart_tokens: 'taskBudgetTokens and restartFraction',
  task_age: 'queueAgeFraction',
  slack_zero: 'their deadline',
};
/** Preempts of a task from which on they may be what makes others late. */
const MANY = 0.1;
/** From here on nobody asks for the rest. */
const NEARLY_ALL = 0.9;
/** Less of offered is not worth a word. */
const TOLD = 0.005;

/**
 * Where half of the loss was preempted and then failed: that, and by which rule; it is no want of
 * slots then, whatever they compute.
 * @param lost share of offered that is not served in time
 */
export function lostToPreempts(figures: Figures, lost: number): Said | undefined {
  const share = ofOffered(figures, figures.lostToPreempts);
  if (share < lost / 2) return undefined;
  const rest = `The other ${roughPercent(lost)}`;
  const given = Object.entries(figures.failedBy)
    .map(([code, count]) => ({ rule: RULES[code], share: ofOffered(figures, count) }))
    .filter((each) => each.rule !== undefined && each.share >= TOLD)
    .sort((a, b) => b.share - a.share);
  const by = given.map((each) => `${roughPercent(each.share)} by ${each.rule}`);
  const isMost = given.reduce((sum, each) => sum + each.share, 0) >= share / 2;
  const takes = isMost ? 'fewer preempts or looser restart rules' : 'fewer preempts';
  return {
    short:
      share >= NEARLY_ALL * lost
        ? `${rest} are lost to preempts.`
        : `Of the other ${roughPercent(lost)}, ${roughPercent(share)} are lost to preempts.`,
    why: `No setting here serves them: ${roughPercent(share)} of offered fail after a preempt${by.length === 0 ? '' : `, given up ${list(by)}`}. It takes ${takes}, not slots or a threshold.`,
  };
}

/** What preempts take beside a loss that they do not explain by themselves; undefined: next to nothing. */
export function takenByPreempts({ preemptsPerTask, tokens }: Figures): string | undefined {
  const perTask = numberOf(preemptsPerTask.mean) ?? 0;
  if (perTask < MANY) return undefined;
  return `${perTask.toFixed(2)} preempts a task, ${percent(numberOf(tokens.redoneShare))} of the tokens made again`;
}

function ofOffered({ outcomes }: Figures, count: Figure): number {
  return (numberOf(count) ?? 0) / Math.max(1, numberOf(outcomes.offered) ?? 0);
}
