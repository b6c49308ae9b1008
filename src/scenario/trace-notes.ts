import type { Scenario } from './types.ts';

/** What a reader of the figures should know of the traces of a scenario; empty where it has none. */
export function traceNotes({ arrivals, classes }: Scenario): string[] {
  const all = [arrivals, ...Object.values(classes).map((spec) => spec.arrivals)];
  const notes = all.flatMap((each) =>
    each?.process === 'trace' ? (each.notes ?? []).map((note) => `${each.file}: ${note}`) : [],
  );
  return [...new Set(notes)];
}
