/** What all drills have in common: what they are asked for, and what they hand back. */
import type { Schedule } from '../arrivals/schedule.ts';
import { counted } from '../commands/counted.ts';
import type { Result } from '../result/types.ts';

export interface DrillOptions {
  /** One of the drill's own ways; undefined: its first. */
  readonly as: string | undefined;
  /** DRILL_MODE; undefined: the drill's own default. */
  readonly mode: string | undefined;
  /** Over HTTP, rather than in virtual time. */
  readonly live: boolean;
  /** Wall seconds per scenario second of a live drill; undefined: the drill's own. */
  readonly timeScale: number | undefined;
  readonly seed: number | undefined;
  /** Where a live drill writes its run, and a simulated one where asked; undefined: the default. */
  readonly out: string | undefined;
  readonly force: boolean;
  /** Notes for the user while it runs. */
  readonly say: (text: string) => void;
  readonly signal?: AbortSignal;
}

/** What a runbook says, beside what was measured. */
export interface Claim {
  readonly claim: string;
  readonly measured: string;
  readonly verdict: 'holds' | 'does not hold' | 'in part';
}

/** Something that was done and looked at. */
export interface Step {
  readonly step: string;
  readonly ok: boolean;
  /** What was seen. */
  readonly seen: string;
}

export interface DrillReport {
  /**
   * What to do, in words, and what it rests on: before all else, save under a script as it was
   * published, whose own output comes first and unchanged. Empty: nothing but the script's output.
   */
  readonly head: readonly string[];
  readonly isScript?: boolean;
  /** The drill's own summary. */
  readonly lines: readonly string[];
  readonly steps: readonly Step[];
  readonly claims: readonly Claim[];
  /** Who should not use what the runbook describes. */
  readonly notFor: readonly string[];
  /** What `--json` prints. */
  readonly json: unknown;
  /** Of the run, where there was one worth a page. */
  readonly run?: { readonly result: Result; readonly schedule: Schedule };
  /** Where its page is, once written. */
  readonly page?: string;
}

export interface Drill {
  /** As it is called. */
  readonly name: string;
  readonly summary: string;
  /** What `--as` takes, the default first. */
  readonly ways: readonly string[];
  /** What `--mode` takes, the default first; empty: it has no modes. */
  readonly modes: readonly string[];
  run(options: DrillOptions): Promise<DrillReport>;
}

/** What the ways of `--as` mean, for a reader who has not seen the runbook. */
export const WAYS: Readonly<Record<string, string>> = {
  published: 'the runbook’s script as it was printed, faults included',
  corrected: 'the same with the faults of the script mended',
  crossing: 'the sessions hold on until the rule has to speak',
};

/** How many of the runbook's claims the measurements bear out. */
export function claimsLine(claims: readonly Claim[]): string {
  const count = (of: Claim['verdict']) => claims.filter(({ verdict }) => verdict === of).length;
  const [whole, part, none] = [count('holds'), count('in part'), count('does not hold')];
  const hold = (n: number) => counted(n, 'holds', 'hold');
  return `Of ${counted(claims.length, 'claim')} of the runbook ${hold(whole)}, ${hold(part)} in part, ${counted(none, 'does', 'do')} not.`;
}

/** One step of a drill: `ok` says whether what was seen is what must be. */
export function step(text: string, ok: boolean, seen: string): Step {
  return { step: text, ok, seen };
}
