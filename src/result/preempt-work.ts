import type { PreemptRow } from '../ledger/rows.ts';

/** Tokens of some preempts. */
export interface PreemptTokens {
  /** Output tokens made for nothing. */
  wasted: number;
  /** Prompt and output tokens that restarts made a second time. */
  redone: number;
  /** Output tokens that were made before preempts after which nothing was restarted. */
  lost: number;
}

/**
 * Adds up what preempts cost. Where a run has a warm-up they are kept by request until its end: a
 * preempt is told before or after the request that it ended, and only that tells when it arrived.
 */
export class PreemptWork {
  private readonly sum: PreemptTokens = { wasted: 0, redone: 0, lost: 0 };
  private readonly bySeq = new Map<number, PreemptTokens>();
  private lastOfWarmup = -1;

  constructor(private readonly hasWarmup: boolean) {}

  preempt(row: PreemptRow): void {
    const { wastedTokens, restartTokens, replayed } = row;
    const into = this.hasWarmup ? this.of(row.seq) : this.sum;
    into.wasted += wastedTokens;
    if (replayed) into.redone += restartTokens;
    else into.lost += wastedTokens;
  }

  private of(seq: number): PreemptTokens {
    const known = this.bySeq.get(seq);
    if (known !== undefined) return known;
    const none = { wasted: 0, redone: 0, lost: 0 };
    this.bySeq.set(seq, none);
    return none;
  }

  /** A request that arrived in the warm-up. Numbers rise with arrival, so that none after the last counts as one. */
  warmup(seq: number): void {
    this.lastOfWarmup = Math.max(this.lastOfWarmup, seq);
  }

  /** Once every request has been told. */
  total(): PreemptTokens {
    const total = { ...this.sum };
    for (const [seq, { wasted, redone, lost }] of this.bySeq) {
      if (seq <= this.lastOfWarmup) continue;
      total.wasted += wasted;
      total.redone += redone;
      total.lost += lost;
    }
    return total;
  }
}
