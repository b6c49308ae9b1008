/** Whether the best of a sweep stands at an end of what was tried: then it may not be the best there is. */
import { isChoice } from '../result/choices.ts';
import { isOff, valueWithUnit } from '../result/setting-value.ts';
import type { SweepDocument, SweepSetting } from '../tune/types.ts';
import { pathText } from './setting-text.ts';

/** An end with room beyond it. */
export interface OpenEnd {
  readonly path: string;
  /** `maxWaitS 20 s`. */
  readonly text: string;
  readonly side: 'smallest' | 'greatest';
}

/** The axes at whose end the best stands. None of a load, beside a rule that is off, or where no value lies beyond. */
export function openEnds({ axes }: SweepDocument, best: SweepSetting): OpenEnd[] {
  return axes.flatMap((axis) => {
    const side = isChoice(axis.path) ? sideOf(axis, best.setting[axis.path]) : undefined;
    if (side === undefined) return [];
    const { path } = axis;
    const value = valueWithUnit(path, best.setting[path], '\u00a0');
    return [{ path, text: `${pathText(path)}\u00a0${value}`, side }];
  });
}

function sideOf(
  { path, values }: SweepDocument['axes'][number],
  value: unknown,
): OpenEnd['side'] | undefined {
  if (values.length < 2 || isEndless(path, value)) return undefined;
  const numbers = values
    .filter((each): each is number => typeof each === 'number' && !isEndless(path, each))
    .sort((a, b) => a - b);
  if (value === numbers.at(-1) && !values.some((each) => isEndless(path, each))) {
    return value === mostOf(path) ? undefined : 'greatest';
  }
  return value === numbers[0] && value !== leastOf(path) ? 'smallest' : undefined;
}

/** A rule that is off stands beyond all its values, as a gap without checkpoints does, which is written as 0. */
function isEndless(path: string, value: unknown): boolean {
  return isOff(path, value) || (path === 'model.checkpointTokens' && value === 0);
}

function leastOf(path: string): number {
  return path.endsWith('.slots') ? 1 : 0;
}

function mostOf(path: string): number | undefined {
  return path.endsWith('Fraction') ? 1 : undefined;
}
