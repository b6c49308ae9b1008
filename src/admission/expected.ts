/** How many completed services are remembered; a power of two. */
const WINDOW = 64;

/** Below this many the configured value is believed: a tail of fewer is chance. */
const EVIDENCE = 8;

/**
 * How long work of one class takes, from its last 64 completed services: "from traces, never from
 * hope" (runbook 000). Two readings, because they answer two questions:
 *
 * - `slowUs`, the 90th percentile, goes into deadline slack. There an optimist misses deadlines,
 *   and half of all work is slower than the median.
 * - `typicalUs`, the median, goes into the predicted wait. There the services of many requests are
 *   added up, and a sum of 90th percentiles would refuse work that had time enough.
 *
 * Recording is cheap and sorting is put off until somebody asks; who asks all the time has the new
 * one put in its place among the others.
 */
export class Expected {
  private readonly recent = new Float64Array(WINDOW);
  private readonly sorted = new Float64Array(WINDOW);
  private recorded = 0;
  private stale = false;

  /** @param believedUs what the scenario says, until there is evidence */
  constructor(private readonly believedUs: number) {}

  /** A service was completed, in microseconds. */
  record(serviceUs: number): void {
    const { recent } = this;
    const place = this.recorded++ & (WINDOW - 1);
    const oldUs = recent[place] as number;
    recent[place] = serviceUs;
    if (this.stale || this.recorded <= WINDOW) this.stale = true;
    else this.replace(oldUs, serviceUs);
  }

  /** One of a full window for another: what lies between the two moves up or down by a place. */
  private replace(oldUs: number, newUs: number): void {
    const { sorted } = this;
    let at = this.firstLonger(oldUs, WINDOW) - 1;
    for (; at > 0 && this.at(at - 1) > newUs; at--) sorted[at] = this.at(at - 1);
    for (; at < WINDOW - 1 && this.at(at + 1) < newUs; at++) sorted[at] = this.at(at + 1);
    sorted[at] = newUs;
  }

  /** 90th percentile, in microseconds. */
  slowUs(): number {
    return this.quantileUs(0.9);
  }

  /** Median, in microseconds. */
  typicalUs(): number {
    return this.quantileUs(0.5);
  }

  /**
   * What is left of a service that has run for `elapsedUs`: by the median of those that lasted
   * longer. One that has outlasted them all is expected to go on for as long again, so that a
   * leaked slot is never predicted to come free at once.
   */
  remainingUs(elapsedUs: number): number {
    const n = this.refresh();
    if (n === 0) return this.believedUs > elapsedUs ? this.believedUs - elapsedUs : elapsedUs;
    const longer = this.firstLonger(elapsedUs, n);
    if (longer === n) return elapsedUs;
    return this.at((longer + n - 1) >> 1) - elapsedUs;
  }

  private quantileUs(share: number): number {
    const n = this.refresh();
    return n === 0 ? this.believedUs : this.at(Math.ceil(share * n) - 1);
  }

  /** How many services count as evidence, with `sorted` up to date; 0 while they are too few. */
  private refresh(): number {
    const n = Math.min(this.recorded, WINDOW);
    if (n < EVIDENCE) return 0;
    if (this.stale) {
      this.sorted.set(this.recent);
      this.sorted.subarray(0, n).sort();
      this.stale = false;
    }
    return n;
  }

  private firstLonger(elapsedUs: number, n: number): number {
    let low = 0;
    let high = n;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(middle) > elapsedUs) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private at(index: number): number {
    return this.sorted[index] ?? this.believedUs;
  }
}
