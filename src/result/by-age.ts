import type { DecisionRow } from '../ledger/rows.ts';
import { sFromUs } from '../units.ts';
import { type Stretch, shareBefore, type TimeWatcher } from './gate-time.ts';
import type { AgeBin } from './types.ts';

interface Bin {
  timeUs: number;
  leasedUs: number;
  slotsUs: number;
  /** Since the last reading of compute. */
  pendingUs: number;
  pendingCapacityUs: number;
  computeUs: number;
  capacityUs: number;
  admitted: number;
  rejected: number;
  expired: number;
  sloBreached: number;
}

function emptyBin(): Bin {
  return {
    timeUs: 0,
    leasedUs: 0,
    slotsUs: 0,
    pendingUs: 0,
    pendingCapacityUs: 0,
    computeUs: 0,
    capacityUs: 0,
    admitted: 0,
    rejected: 0,
    expired: 0,
    sloBreached: 0,
  };
}

const MOST_BINS = 32;
/** 1/64 s. Widths double from here: then bins merge in pairs, within a run and over runs. */
const FIRST_WIDTH_US = 15_625;

/** Counts and time averages against queue age, over 0..durationS. */
export class ByAge implements TimeWatcher {
  private readonly none = emptyBin();
  private bins: Bin[] = [];
  private widthUs = FIRST_WIDTH_US;
  private pendingUs = 0;
  private touched: Bin[] = [];

  constructor(
    private readonly durationUs: number,
    private readonly modelSlots: number,
  ) {}

  /** A decision on an arrival that counts. */
  decision(decision: DecisionRow['decision'], doorAgeUs: number): void {
    this.binAt(doorAgeUs)[decision]++;
  }

  breach(doorAgeUs: number): void {
    this.binAt(doorAgeUs).sloBreached++;
  }

  stretch(stretch: Stretch): void {
    const { fromUs, toUs, oldestUs } = stretch;
    if (fromUs >= this.durationUs) return;
    if (oldestUs < 0) this.spend(this.none, toUs - fromUs, stretch);
    else this.climb(fromUs - oldestUs, toUs - oldestUs, stretch);
  }

  /** The age passes through one bin after another, and spends in each what its part is long. */
  private climb(fromUs: number, toUs: number, stretch: Stretch): void {
    this.cover(toUs - 1);
    for (let age = fromUs; age < toUs; ) {
      const index = Math.floor(age / this.widthUs);
      const edge = Math.min(toUs, (index + 1) * this.widthUs);
      this.spend(this.at(index), edge - age, stretch);
      age = edge;
    }
  }

  private spend(bin: Bin, us: number, { leased, slots }: Stretch): void {
    if (bin.pendingUs === 0) this.touched.push(bin);
    bin.timeUs += us;
    bin.leasedUs += leased * us;
    bin.slotsUs += slots * us;
    bin.pendingUs += us;
    bin.pendingCapacityUs += (this.modelSlots > 0 ? this.modelSlots : slots) * us;
    this.pendingUs += us;
  }

  /** Readings may be sparse: what was done since the last goes to the bins by the time in each. */
  compute(fromUs: number, toUs: number, computeUs: number): void {
    const amount = computeUs * shareBefore(fromUs, toUs, this.durationUs);
    for (const bin of this.touched) {
      bin.computeUs += (amount * bin.pendingUs) / this.pendingUs;
      bin.capacityUs += bin.pendingCapacityUs;
      bin.pendingUs = 0;
      bin.pendingCapacityUs = 0;
    }
    this.touched = [];
    this.pendingUs = 0;
  }

  private binAt(ageUs: number): Bin {
    if (ageUs <= 0) return this.none;
    this.cover(ageUs);
    return this.at(Math.floor(ageUs / this.widthUs));
  }

  private at(index: number): Bin {
    while (this.bins.length <= index) this.bins.push(emptyBin());
    return this.bins[index] ?? this.none;
  }

  private cover(ageUs: number): void {
    while (ageUs >= this.widthUs * MOST_BINS) {
      this.bins = mergePairs(this.bins);
      this.widthUs *= 2;
      this.touched = [this.none, ...this.bins].filter((bin) => bin.pendingUs > 0);
    }
  }

  rows(): AgeBin[] {
    const { widthUs } = this;
    const bins = this.bins.map((bin, i) => toAgeBin(bin, i * widthUs, (i + 1) * widthUs));
    return [toAgeBin(this.none, 0, 0), ...bins];
  }
}

function mergePairs(bins: readonly Bin[]): Bin[] {
  const merged: Bin[] = [];
  for (const [i, bin] of bins.entries()) {
    const into = merged[i >> 1];
    if (into === undefined) merged.push(bin);
    else for (const name of Object.keys(into) as (keyof Bin)[]) into[name] += bin[name];
  }
  return merged;
}

function toAgeBin(bin: Bin, fromUs: number, toUs: number): AgeBin {
  return {
    fromS: sFromUs(fromUs),
    toS: sFromUs(toUs),
    timeS: sFromUs(bin.timeUs),
    decisions: bin.admitted + bin.rejected + bin.expired,
    admitted: bin.admitted,
    rejected: bin.rejected,
    expired: bin.expired,
    sloBreached: bin.sloBreached,
    slots: bin.slotsUs > 0 ? bin.leasedUs / bin.slotsUs : null,
    busy: bin.capacityUs > 0 ? bin.computeUs / bin.capacityUs : null,
  };
}
