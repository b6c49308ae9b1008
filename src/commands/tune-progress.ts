/** What a long tuning is doing, on stderr while it does it. */
import type { OutputOptions } from './options.ts';
import { note } from './output.ts';

/** Below this nobody wonders; then as often again. */
const EVERY_MS = 4_000;

export interface TuneProgress {
  /** So many runs more were played. */
  readonly played: (runs: number) => void;
  /** What they are played for from now on. */
  readonly doing: (what: string) => void;
  readonly stop: () => void;
}

/** `tune: 12 s, 3400 runs played: searching 60 values of gate.maxWaitS`, every few seconds until it is stopped. */
export function tuneProgress(options: Pick<OutputOptions, 'quiet'>): TuneProgress {
  const started = performance.now();
  let runs = 0;
  let what = 'starting';
  const timer = setInterval(() => {
    const s = Math.round((performance.now() - started) / 1000);
    note(`tune: ${s} s, ${runs} runs played: ${what}`, options);
  }, EVERY_MS);
  timer.unref();
  return {
    played: (more) => {
      runs += more;
    },
    doing: (text) => {
      what = text;
    },
    stop: () => clearInterval(timer),
  };
}
