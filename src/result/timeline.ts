import type { DecisionRow, RequestRow } from '../ledger/rows.ts';
import { sFromUs, usFromS } from '../units.ts';
import type { Stretch, TimeWatcher } from './gate-time.ts';
import { niceWidth } from './statistics.ts';
import type { TimePoint } from './types.ts';

interface Interval {
  timeUs: number;
  ageUs2: number;
  queuedUs: number;
  leasedUs: number;
  slotsUs: number;
  computeUs: number;
  coveredUs: number;
  admitted: number;
  rejected: number;
  expired: number;
  sloBreached: number;
  completed: number;
  retries: number;
  tokens: number;
  /** Kept apart from the sums: the least of the interval. */
  slackUs: number;
}

function emptyInterval(): Interval {
  return {
    timeUs: 0,
    ageUs2: 0,
    queuedUs: 0,
    leasedUs: 0,
    slotsUs: 0,
    computeUs: 0,
    coveredUs: 0,
    admitted: 0,
    rejected: 0,
    expired: 0,
    sloBreached: 0,
    completed: 0,
    retries: 0,
    tokens: 0,
    slackUs: Number.POSITIVE_INFINITY,
  };
}

const INTERVALS_IN_DURATION = 150;
/** The end may take far longer than the run: then intervals merge in pairs. */
const MOST_INTERVALS = 600;

/** The run over time, from its start to its end, in intervals of one width. */
export class Timeline implements TimeWatcher {
  private intervals: Interval[] = [];
  private widthUs: number;

  constructor(
    durationS: number,
    private readonly modelSlots: number,
  ) {
    this.widthUs = Math.max(1, usFromS(niceWidth(durationS, INTERVALS_IN_DURATION)));
  }

  decision(row: DecisionRow): void {
    const interval = this.at(row.atUs);
    interval[row.decision]++;
    if (row.attempt > 0) interval.retries++;
  }

  request(row: RequestRow, breached: boolean): void {
    const interval = this.at(row.endUs);
    if (breached) interval.sloBreached++;
    if (row.outcome === 'completed') interval.completed++;
    interval.tokens += row.outTokens;
  }

  stretch(stretch: Stretch): void {
    this.cover(stretch.toUs - 1);
    this.eachPart(stretch.fromUs, stretch.toUs, (interval, fromUs, toUs) => {
      const dt = toUs - fromUs;
      interval.timeUs += dt;
      interval.queuedUs += stretch.queued * dt;
      interval.leasedUs += stretch.leased * dt;
      interval.slotsUs += stretch.slots * dt;
      if (stretch.oldestUs >= 0) interval.ageUs2 += ((fromUs + toUs) / 2 - stretch.oldestUs) * dt;
      const slackUs = slackAt(stretch, toUs);
      if (slackUs < interval.slackUs) interval.slackUs = slackUs;
    });
  }

  compute(fromUs: number, toUs: number, computeUs: number): void {
    this.cover(toUs - 1);
    this.eachPart(fromUs, toUs, (interval, partFromUs, partToUs) => {
      interval.computeUs += (computeUs * (partToUs - partFromUs)) / (toUs - fromUs);
      interval.coveredUs += partToUs - partFromUs;
    });
  }

  private eachPart(
    fromUs: number,
    toUs: number,
    visit: (interval: Interval, fromUs: number, toUs: number) => void,
  ): void {
    for (let us = fromUs; us < toUs; ) {
      const index = Math.floor(us / this.widthUs);
      const edge = Math.min(toUs, (index + 1) * this.widthUs);
      visit(this.interval(index), us, edge);
      us = edge;
    }
  }

  private at(us: number): Interval {
    this.cover(us);
    return this.interval(Math.floor(us / this.widthUs));
  }

  private interval(index: number): Interval {
    while (this.intervals.length <= index) this.intervals.push(emptyInterval());
    return this.intervals[index] as Interval;
  }

  private cover(us: number): void {
    while (us >= this.widthUs * MOST_INTERVALS) {
      this.intervals = mergePairs(this.intervals);
      this.widthUs *= 2;
    }
  }

  rows(): TimePoint[] {
    return this.intervals.map((interval, i) => this.toPoint(interval, i * this.widthUs));
  }

  private toPoint(interval: Interval, fromUs: number): TimePoint {
    const { timeUs, slotsUs, slackUs } = interval;
    const mean = (sum: number) => (timeUs > 0 ? sum / timeUs : 0);
    const capacity = this.modelSlots > 0 ? this.modelSlots : mean(slotsUs);
    const capacityUs = capacity * interval.coveredUs;
    return {
      tS: sFromUs(fromUs),
      queueAgeS: sFromUs(mean(interval.ageUs2)),
      queueDepth: mean(interval.queuedUs),
      leases: mean(interval.leasedUs),
      slots: slotsUs > 0 ? interval.leasedUs / slotsUs : null,
      busy: capacityUs > 0 ? interval.computeUs / capacityUs : null,
      slackS: slackUs < Number.POSITIVE_INFINITY ? sFromUs(slackUs) : null,
      admitted: interval.admitted,
      rejected: interval.rejected,
      expired: interval.expired,
      sloBreached: interval.sloBreached,
      completed: interval.completed,
      retries: interval.retries,
      tokens: interval.tokens,
    };
  }
}

function slackAt(stretch: Stretch, us: number): number {
  if (stretch.slackUs === null) return Number.POSITIVE_INFINITY;
  return stretch.oldestBatchUs < 0 ? stretch.slackUs : stretch.slackUs - (us - stretch.fromUs);
}

function mergePairs(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const [i, interval] of intervals.entries()) {
    const into = merged[i >> 1];
    if (into === undefined) merged.push(interval);
    else addInterval(into, interval);
  }
  return merged;
}

function addInterval(into: Interval, from: Interval): void {
  const slackUs = Math.min(into.slackUs, from.slackUs);
  for (const name of Object.keys(into) as (keyof Interval)[]) into[name] += from[name];
  into.slackUs = slackUs;
}
