import type { Arrival } from './schedule.ts';

/** What a generated caller is called, in every engine: `dbg-2` is the second of its class's process. */
export function callerName({ class: name, keySeq }: Pick<Arrival, 'class' | 'keySeq'>): string {
  return `${name}-${keySeq + 1}`;
}
