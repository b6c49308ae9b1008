/** A setting in three figures, as the first line after the headline tells them. */
import { pcPair } from './recommend-parts.ts';
import type { Weighed } from './types.ts';

export function stateText(figures: Weighed | undefined): string {
  return stateTexts(figures, figures)[0];
}

/** Of two states that are compared. */
export function stateTexts(
  a: Weighed | undefined,
  b: Weighed | undefined,
): readonly [string, string] {
  if (a === undefined || b === undefined) return ['', ''];
  const pairs = [
    pcPair(a.goodput, b.goodput),
    pcPair(a.rejection, b.rejection),
    pcPair(a.breach, b.breach),
  ];
  const told = (i: 0 | 1) => {
    const [goodput, rejection, breach] = pairs.map((pair) => pair[i]);
    return `goodput ${goodput} of offered, turned away ${rejection}, late ${breach} of the served`;
  };
  return [told(0), told(1)];
}
