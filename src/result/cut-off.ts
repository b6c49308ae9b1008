/** Why a simulation would not have ended by itself, from the figures of what it did play. */
import type { Figures } from './figures.ts';

export type CutOffBy = 'preempts' | 'retries';

/** In words, of which `times` tells how often. */
export const CUT_OFF_TEXTS: Readonly<Record<CutOffBy, (times?: string) => string>> = {
  preempts: (times = '') =>
    `preempts took slots back without end${times} (model.preempts; gate.maxPreempts bounds the restarts)`,
  retries: (times = '') => `requests were tried again without end${times}`,
};

/** What of a simulation that was cut off went on without end, and how often it had come. */
export function cutOffBy(figures: Figures): { readonly by: CutOffBy; readonly times: number } {
  const preempts = figures['preempts'] ?? 0;
  const retries = figures['attempts.retries'] ?? 0;
  return preempts > retries
    ? { by: 'preempts', times: preempts }
    : { by: 'retries', times: retries };
}
