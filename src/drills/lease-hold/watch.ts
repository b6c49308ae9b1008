import type { DecisionRow, RequestRow, RowSink } from '../../ledger/rows.ts';
import { sFromUs } from '../../units.ts';

/** Requests that a drill makes by hand are numbered from here on: no schedule comes so far. */
export const HAND_SEQ = 1_000_000_000;

/** One batch job of the drill. */
export interface Job {
  /** As the runbook calls it: by the second in which it arrived. */
  readonly job: string;
  readonly arrivedS: number;
  /** 0: it met a free slot. */
  readonly waitedS: number;
  readonly doneS: number;
  readonly completed: boolean;
}

/** What the drill looks at in a run. */
export interface Watched {
  readonly jobs: readonly Job[];
  /** Ages at which batch jobs left the queue, in the order in which they did. */
  readonly dequeueAgesS: readonly number[];
  readonly doneS: number;
  /** Interactive requests that were turned away, for whatever reason. */
  readonly rejects: number;
  /** When the deadline-slack rule first spoke; null: never. */
  readonly firstByRuleS: number | null;
  /** The same as an arrival: when the one that it refused had been intended. */
  readonly firstByRuleIntendedS: number | null;
}

/** Collects from the rows of a run, simulated or live. */
export class LeaseHoldWatch implements RowSink {
  private readonly jobs: Job[] = [];
  private rejects = 0;
  private firstByRuleUs: number | null = null;
  private firstSeq = -1;
  private firstIntendedUs: number | null = null;

  constructor(private readonly batchClass: string) {}

  request(row: RequestRow): void {
    if (row.seq === this.firstSeq) this.firstIntendedUs = row.intendedUs;
    if (row.class !== this.batchClass) return;
    this.jobs.push({
      job: `b-${Math.round(sFromUs(row.intendedUs))}`,
      arrivedS: sFromUs(row.intendedUs),
      waitedS: sFromUs(row.waitUs ?? 0),
      doneS: sFromUs(row.endUs),
      completed: row.outcome === 'completed',
    });
  }

  decision({ class: name, decision, code, atUs, seq }: DecisionRow): void {
    if (name === this.batchClass || decision !== 'rejected' || seq >= HAND_SEQ) return;
    this.rejects++;
    if (code !== 'deadline_slack' || this.firstByRuleUs !== null) return;
    this.firstByRuleUs = atUs;
    this.firstSeq = seq;
  }

  state(): void {}
  busy(): void {}
  preempt(): void {}

  seen(): Watched {
    const waited = this.jobs
      .filter(({ waitedS }) => waitedS >= LEAST_WAIT_S)
      .sort((a, b) => a.arrivedS + a.waitedS - (b.arrivedS + b.waitedS) || a.arrivedS - b.arrivedS);
    const orNull = (us: number | null) => (us === null ? null : sFromUs(us));
    return {
      jobs: [...this.jobs].sort((a, b) => a.arrivedS - b.arrivedS),
      dequeueAgesS: waited.map(({ waitedS }) => waitedS),
      doneS: Math.max(0, ...this.jobs.map(({ doneS }) => doneS)),
      rejects: this.rejects,
      firstByRuleS: orNull(this.firstByRuleUs),
      firstByRuleIntendedS: orNull(this.firstIntendedUs ?? this.firstByRuleUs),
    };
  }
}

/** On a wire even a job that meets a free slot takes a moment to get it. */
const LEAST_WAIT_S = 0.5;

/** `dequeued 5 max_age 90.0 rejects 0`, as the runbook's own script sums a log up. */
export function summaryLine(dequeued: number, maxAgeS: number, rejects: number): string {
  return `dequeued ${dequeued} max_age ${maxAgeS.toFixed(1)} rejects ${rejects}`;
}
