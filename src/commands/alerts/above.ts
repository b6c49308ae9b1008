import type { Sink } from '../../engine/sim/sink.ts';
import type { StateRow } from '../../ledger/rows.ts';
import { sFromUs, usFromS } from '../../units.ts';

/**
 * The longest stretch in which queue age stays above a limit, as a rule with a `for` sees it. Queue
 * age grows with slope 1 between two states of the gate.
 */
export class AgeAbove implements Sink {
  private longestUs = 0;
  private readonly limitUs: number;
  /** Of the stretch that is open; undefined: it is not above. */
  private fromUs: number | undefined;
  /** Arrival of the oldest queued request; -1: none. */
  private oldestUs = -1;

  constructor(limitS: number) {
    this.limitUs = usFromS(limitS);
  }

  state({ atUs, oldestUs }: StateRow): void {
    this.pass(atUs);
    this.oldestUs = oldestUs;
    if (oldestUs < 0 || atUs - oldestUs <= this.limitUs) this.fromUs = undefined;
  }

  /** The oldest may have come to be above since the last state. */
  private pass(atUs: number): void {
    if (this.oldestUs < 0) return;
    const aboveUs = this.oldestUs + this.limitUs;
    if (aboveUs >= atUs) return;
    this.fromUs ??= aboveUs;
    this.longestUs = Math.max(this.longestUs, atUs - this.fromUs);
  }

  get longestS(): number {
    return sFromUs(this.longestUs);
  }
}
