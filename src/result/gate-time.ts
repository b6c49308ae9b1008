import type { BusyRow, StateRow } from '../ledger/rows.ts';
import { Samples } from './samples.ts';
import { exceededFor } from './statistics.ts';

/** A stretch of time in which the gate's state did not change. */
export interface Stretch {
  fromUs: number;
  toUs: number;
  /** Arrival of the oldest queued request; -1: none. */
  oldestUs: number;
  oldestBatchUs: number;
  /** Slack at the start; it falls with time while batch work waits. */
  slackUs: number | null;
  queued: number;
  leased: number;
  slots: number;
}

/** Who else wants to see time pass. */
export interface TimeWatcher {
  /** A stretch, cut at the end of the run's duration. */
  stretch(stretch: Stretch): void;
  /** Compute done between two readings; the stretches up to `toUs` have been told. */
  compute(fromUs: number, toUs: number, computeUs: number): void;
}

/**
 * Integrals over 0..durationS of what the gate's state rows say, and the clock that cuts time
 * into stretches for the charts. Queue age grows with slope 1 between two rows.
 */
export class GateTime {
  private readonly at: Stretch;
  private busyAtUs = 0;
  private busyComputeUs = 0;
  private leasedUs = 0;
  private slotsUs = 0;
  private ageUs2 = 0;
  private computeUs = 0;
  private capacityUs = 0;
  private coveredSlotsUs = 0;
  private readonly rampFrom = new Samples();
  private readonly rampTo = new Samples();
  private rampOldestUs = -1;
  private rampFromUs = 0;
  private rampToUs = 0;
  private maxAgeUs = 0;
  private seen = false;
  /** No lease since the last reading of compute: then nothing was computed either. */
  private idle = true;
  private busyRows = 0;

  constructor(
    private readonly durationUs: number,
    slots: number,
    /** Capacity for compute; 0: as many as the gate has slots. */
    private readonly modelSlots: number,
    private readonly watchers: readonly TimeWatcher[],
  ) {
    this.at = {
      fromUs: 0,
      toUs: 0,
      oldestUs: -1,
      oldestBatchUs: -1,
      slackUs: null,
      queued: 0,
      leased: 0,
      slots,
    };
  }

  state(row: StateRow): void {
    this.advance(row.atUs);
    const { at } = this;
    at.oldestUs = row.oldestUs;
    at.oldestBatchUs = row.oldestBatchUs;
    at.slackUs = row.slackUs;
    at.queued = row.queued;
    at.leased = row.leased;
    if (row.leased > 0) this.idle = false;
    at.slots = row.slots;
    this.seen = true;
  }

  busy(row: BusyRow): void {
    this.advance(row.atUs);
    const fromUs = this.busyAtUs;
    const gained = row.computeUs - this.busyComputeUs;
    this.busyAtUs = row.atUs;
    this.busyRows++;
    this.idle = this.at.leased === 0;
    this.busyComputeUs = row.computeUs;
    if (row.atUs <= fromUs) return;
    for (const watcher of this.watchers) watcher.compute(fromUs, row.atUs, gained);
    this.computeUs += gained * shareBefore(fromUs, row.atUs, this.durationUs);
    this.capacityUs = this.modelSlots * Math.min(row.atUs, this.durationUs);
    this.coveredSlotsUs = this.slotsUs;
  }

  /** The run is over. An idle end has no more readings, and needs none: nothing was computed. */
  end(atUs: number): void {
    this.advance(Math.max(atUs, this.at.fromUs));
    if (this.busyRows === 0 || !this.seen || !this.idle) return;
    this.busy({ kind: 'busy', atUs: this.at.fromUs, computeUs: this.busyComputeUs });
  }

  /** Lets the present state hold until `toUs`. */
  advance(toUs: number): void {
    const { at } = this;
    if (toUs < at.fromUs) {
      throw new Error(`rows out of order: ${toUs} us after ${at.fromUs} us`);
    }
    if (toUs === at.fromUs) return;
    if (at.fromUs < this.durationUs) {
      this.tell(Math.min(toUs, this.durationUs));
      this.integrate();
      this.moveTo(at.toUs);
    }
    if (toUs > at.fromUs) {
      this.tell(toUs);
      this.moveTo(toUs);
    }
  }

  private tell(toUs: number): void {
    this.at.toUs = toUs;
    for (const watcher of this.watchers) watcher.stretch(this.at);
  }

  private moveTo(us: number): void {
    const { at } = this;
    if (at.slackUs !== null && at.oldestBatchUs >= 0) at.slackUs -= us - at.fromUs;
    at.fromUs = us;
  }

  private integrate(): void {
    const { at } = this;
    const dt = at.toUs - at.fromUs;
    this.leasedUs += at.leased * dt;
    this.slotsUs += at.slots * dt;
    if (at.oldestUs < 0) return;
    const from = at.fromUs - at.oldestUs;
    this.ageUs2 += (from + dt / 2) * dt;
    this.ramp(from, from + dt);
  }

  /** One ramp for as long as the oldest stays the same: far fewer than there are rows. */
  private ramp(from: number, to: number): void {
    if (to > this.maxAgeUs) this.maxAgeUs = to;
    if (this.at.oldestUs === this.rampOldestUs && from === this.rampToUs) {
      this.rampToUs = to;
      return;
    }
    this.closeRamp();
    this.rampOldestUs = this.at.oldestUs;
    this.rampFromUs = from;
    this.rampToUs = to;
  }

  private closeRamp(): void {
    if (this.rampToUs === this.rampFromUs) return;
    this.rampFrom.push(this.rampFromUs);
    this.rampTo.push(this.rampToUs);
    this.rampFromUs = this.rampToUs;
  }

  /** The queue age that was exceeded for so long in all. */
  private exceededUs(timeUs: number): number {
    return exceededFor(this.rampFrom.toArray(), this.rampTo.toArray(), timeUs);
  }

  /** Time averages in 0..durationS; null where no state, or no compute, was ever told. */
  figures(): {
    slots: number | null;
    busy: number | null;
    meanAgeS: number | null;
    p99AgeS: number | null;
    maxAgeS: number | null;
  } {
    this.closeRamp();
    const capacityUs = this.modelSlots > 0 ? this.capacityUs : this.coveredSlotsUs;
    const age = (us: number) => (this.seen ? us / 1e6 : null);
    return {
      slots: this.seen && this.slotsUs > 0 ? this.leasedUs / this.slotsUs : null,
      busy: capacityUs > 0 ? this.computeUs / capacityUs : null,
      meanAgeS: age(this.ageUs2 / this.durationUs),
      p99AgeS: age(this.exceededUs(0.01 * this.durationUs)),
      maxAgeS: age(this.maxAgeUs),
    };
  }
}

/** The share of an interval that lies before `endUs`. */
export function shareBefore(fromUs: number, toUs: number, endUs: number): number {
  if (toUs <= endUs) return 1;
  return fromUs >= endUs ? 0 : (endUs - fromUs) / (toUs - fromUs);
}
