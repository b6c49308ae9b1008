/** What windows say of the pool. */
import type { Window } from './facts.ts';

/** Of an average over a window: a slot that was free for a twentieth of it was out. */
const SLACK = 0.05;

/** Windows in which every slot was out. */
export function allOut(windows: readonly Window[], slots: number): Window[] {
  return windows.filter(({ leased }) => leased >= slots - SLACK);
}

/** Mean compute of some windows; null of none, and where any is unknown. */
export function busyOf(windows: readonly Window[]): number | null {
  let sum = 0;
  for (const { busy } of windows) {
    if (busy === null) return null;
    sum += busy;
  }
  return windows.length === 0 ? null : sum / windows.length;
}
