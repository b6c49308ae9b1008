import { SLACK_US } from './token-work.ts';
import type { Slowdown } from './types.ts';

/**
 * Work that each running request has been given. All share one speed, so one clock serves them
 * all: a request that needs W more is done when the clock has gone on by W, however often the
 * load changes until then, and no finish time need be moved.
 */
export class WorkClock {
  nowUs = 0;
  /** The reading of the clock at `nowUs`. */
  work = 0;
  private speed = 1;

  constructor(private slowdown: Slowdown) {}

  /** Whether speed can fall at all. */
  get slows(): boolean {
    return this.slowdown.perRequest > 0;
  }

  workAt(us: number): number {
    return this.work + (us - this.nowUs) * this.speed;
  }

  advance(us: number): void {
    this.work = this.workAt(us);
    this.nowUs = us;
  }

  /** The load from now on. An idle clock goes back to 0, which keeps its precision. */
  setLoad(inService: number): void {
    if (inService === 0) this.work = 0;
    if (this.slowdown.perRequest > 0) this.setSpeed(inService);
  }

  private setSpeed(inService: number): void {
    const over = inService - this.slowdown.from;
    this.speed = over > 0 ? 1 / (1 + this.slowdown.perRequest * over) : 1;
  }

  setSlowdown(slowdown: Slowdown, inService: number): void {
    this.slowdown = slowdown;
    this.speed = 1;
    this.setLoad(inService);
  }

  /** The first whole microsecond, not before now, at which the clock has reached `work`. */
  dueUs(work: number): number {
    const ahead = (work - this.work) / this.speed - SLACK_US;
    return ahead > 0 ? this.nowUs + Math.ceil(ahead) : this.nowUs;
  }

  /** Whether `work` is reached now. */
  isDue(work: number): boolean {
    return work <= this.work + 2 * SLACK_US;
  }
}
