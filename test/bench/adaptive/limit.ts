/**
 * A concurrency limit that adapts: the number alone, without the slots (as in Netflix
 * concurrency-limits). Pure; plain values go in. It multiplies down where work takes longer than it
 * should and adds one where it does not and the limit is in use (AIMD, Chiu and Jain 1989).
 *
 * There is no probe: what work takes on an idle endpoint is given, from `calibrate`, because a
 * probe at low concurrency refuses traffic (envoy#46532). The floor is a number of slots, so the
 * way back up is never closed (envoy#38338). A window of services is averaged before anything is
 * believed, because single services say little where their SCV is 1 and more (envoy#9038).
 */
export interface LimitOptions {
  /** Least and greatest limit, in slots; 1 <= floor <= ceiling. */
  readonly floor: number;
  readonly ceiling: number;
  /** Mean time that an idle endpoint takes, in microseconds. */
  readonly expectedUs: number;
  /** Times the expected mean above which the limit shrinks; above 1. */
  readonly shrinkAt: number;
  /** Times the expected mean below which it may grow; between the two it rests, so that it does not swing. */
  readonly growBelow: number;
  /** Held times that are averaged. */
  readonly window: number;
  /** Held times between two looks. */
  readonly every: number;
  /** What is left of the limit after one that is too long; 0 to 1. */
  readonly decrease: number;
}

export class AimdLimit {
  private readonly held: number[] = [];
  private sum = 0;
  private since = 0;
  private exact: number;

  constructor(private readonly options: LimitOptions) {
    this.exact = options.ceiling;
  }

  /** In whole slots. */
  get slots(): number {
    return Math.round(this.exact);
  }

  /**
   * A slot was given back.
   * @param heldUs how long the work took
   * @param inUse whether somebody waits: only then is a greater limit of use
   */
  completed(heldUs: number, inUse: boolean): void {
    this.remember(heldUs);
    this.since++;
    if (this.since < this.options.every) return;
    this.since = 0;
    const { floor, ceiling, expectedUs, shrinkAt, growBelow, decrease } = this.options;
    const times = this.sum / this.held.length / expectedUs;
    const isSlow = times > shrinkAt;
    if (isSlow) this.exact *= decrease;
    else if (inUse && times < growBelow) this.exact += 1;
    this.exact = Math.min(ceiling, Math.max(floor, this.exact));
    // What was measured under the old limit says nothing of the new one.
    if (isSlow) this.forget();
  }

  private remember(heldUs: number): void {
    this.held.push(heldUs);
    this.sum += heldUs;
    if (this.held.length > this.options.window) this.sum -= this.held.shift() ?? 0;
  }

  private forget(): void {
    this.held.length = 0;
    this.sum = 0;
  }
}
