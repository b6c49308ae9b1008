import { ComputeMeter } from './compute-meter.ts';
import type { ModelDriver } from './driver.ts';
import { DueHeap } from './due-heap.ts';
import { Memory } from './memory.ts';
import { PreemptPlan } from './preempt-plan.ts';
import { FINISH, FIRST, type PreemptEntry, Requests, type Run, TICK } from './requests.ts';
import {
  firstTokenUnslowedUs,
  planTokens,
  tokensMade,
  workOfTick,
  workWhenMade,
} from './run-plan.ts';
import { SpotHost } from './spot-host.ts';
import { checkpointOf, usableResume } from './token-work.ts';
import type { ModelConfig, PreemptCause, Preempts, Work } from './types.ts';
import { WorkClock } from './work-clock.ts';

/**
 * An endpoint that works on requests. What is due by `nowUs` happens first in every call that is
 * given it; a call throws when time goes back. At one instant: completions, then preempts, then the
 * start of what waits.
 *
 * The simulator drives it as it is; everyone else by its door of plain data (`model.ts`).
 */
export class ModelMachine {
  private readonly requests = new Requests();
  /** The next milestone of each running request, by the work clock. */
  private readonly milestones = new DueHeap<Run>();
  /** Preempts that come at an instant, whatever the speed. */
  private readonly clockPreempts = new DueHeap<PreemptEntry>();
  private readonly clock: WorkClock;
  private readonly meter: ComputeMeter;
  private readonly plan: PreemptPlan;
  private memory: Memory | undefined;
  private host: SpotHost | undefined;
  private starts = 0;
  /** When something is due next, as things stood after the last input; Infinity: nothing is. */
  private dueUs = Infinity;
  /** More than milestones can come due: preempts at an instant, a host that goes, memory that runs out. */
  private hasSurprises = false;

  constructor(
    private config: ModelConfig,
    private readonly driver: ModelDriver,
  ) {
    this.clock = new WorkClock(config.slowdown);
    this.meter = new ComputeMeter(config.compute);
    this.plan = new PreemptPlan(config);
    this.setPreempts(config.preempts);
    this.lookAhead();
  }

  get inService(): number {
    return this.requests.running.length;
  }

  get waiting(): number {
    return this.requests.waiting.length;
  }

  /** Runs what is due by `nowUs`. */
  tick(nowUs: number): void {
    if (!(nowUs >= this.clock.nowUs)) throw backwards(this.clock.nowUs, nowUs);
    if (this.dueUs <= nowUs) this.runDue(nowUs);
    if (nowUs > this.clock.nowUs) this.clock.advance(nowUs);
  }

  nextWakeUs(): number {
    return this.dueUs;
  }

  computeUs(nowUs: number): number {
    return this.meter.totalUs(this.notBefore(nowUs));
  }

  /** Output tokens that a request has made by now. */
  tokens(run: Run, nowUs: number): number {
    return tokensMade(run, this.clock.workAt(this.notBefore(nowUs)));
  }

  /** When it will have made one more token if the load stays as it is; undefined when it has made all. */
  nextTokenUs(run: Run, nowUs: number): number | undefined {
    const { clock } = this;
    if (!run.isRunning) return undefined;
    const made = tokensMade(run, clock.workAt(this.notBefore(nowUs)));
    if (made >= run.work.demand.outTokens) return undefined;
    const due = clock.dueUs(workWhenMade(run, made + 1));
    return due === Infinity ? undefined : Math.max(due, nowUs);
  }

  memoryShare(): number {
    return this.memory ? this.memory.share(this.clock.work) : 0;
  }

  private notBefore(nowUs: number): number {
    if (nowUs >= this.clock.nowUs) return nowUs;
    throw new Error(`asked about ${nowUs} us, which is before ${this.clock.nowUs} us`);
  }

  /**
   * A request has come; it starts at once or waits.
   * @param resumeTokens output tokens that need not be made again (the prompt always is)
   * @returns undefined where it can never be served: its memory does not fit
   */
  start(work: Work, resumeTokens: number, nowUs: number): Run | undefined {
    this.tick(nowUs);
    const { requests } = this;
    const run = requests.add(work, this.meter.of(work.class));
    run.resumed = resumeTokens > 0 ? usableResume(resumeTokens, work.demand.outTokens) : 0;
    if (this.memory?.isTooLarge(run)) {
      requests.drop(run);
      return undefined;
    }
    if (requests.waiting.length === 0 && this.mayStart(run)) this.begin(run);
    else requests.waiting.append(run);
    this.lookAhead();
    return run;
  }

  /** Its caller has gone. What is due goes first: where that was the end of this very run, it is nothing. */
  cancel(run: Run, nowUs: number): void {
    this.tick(nowUs);
    if (run.hasGone) return;
    const { requests } = this;
    if (run.isRunning) {
      this.leave(run);
      this.memory?.freed();
    } else {
      requests.waiting.unlink(run);
      requests.drop(run);
    }
    this.startWaiting();
    this.lookAhead();
  }

  /** The operator takes its slot. Work at the model's own door keeps its place: it has none to take. */
  preempt(run: Run, nowUs: number): void {
    this.tick(nowUs);
    if (run.hasGone) return;
    if (run.isRunning) this.takeBack(run, 'operator');
    this.startWaiting();
    this.lookAhead();
  }

  /** The operator takes the whole host. */
  preemptAll(nowUs: number): void {
    this.tick(nowUs);
    this.takeAllBack('operator');
    this.startWaiting();
    this.lookAhead();
  }

  configure(change: Partial<ModelConfig>, nowUs: number): void {
    this.tick(nowUs);
    this.config = { ...this.config, ...change };
    if (change.compute) this.meter.setShares(change.compute, nowUs);
    if (change.slowdown) this.setSlowdown(change.slowdown);
    this.plan.configure(this.config);
    if (change.preempts) this.setPreempts(change.preempts);
    this.startWaiting();
    this.lookAhead();
  }

  private setPreempts(preempts: Preempts): void {
    const { nowUs } = this.clock;
    this.memory = preempts.type === 'memory' ? new Memory(preempts, this.requests) : undefined;
    this.host = preempts.type === 'spot' ? new SpotHost(preempts, nowUs) : undefined;
    const byWork = preempts.type === 'none' || preempts.type === 'ticks';
    this.hasSurprises = !byWork || this.clockPreempts.size > 0;
  }

  /**
   * Where speed can fall, the first token of a run is a milestone of its own; where it cannot,
   * its instant follows from the start. A run that meets the change goes from one to the other.
   */
  private setSlowdown(slowdown: ModelConfig['slowdown']): void {
    const { requests, clock } = this;
    const didSlow = clock.slows;
    clock.setSlowdown(slowdown, requests.running.length);
    if (didSlow || !clock.slows) return;
    for (let run = requests.running.head; run !== undefined; run = run.after) {
      const firstUs = firstTokenUnslowedUs(run);
      if (firstUs <= clock.nowUs) run.firstTokenUs = firstUs;
      this.milestones.remove(run);
      this.aim(run);
    }
  }

  /** Finds the next instant at which something is due. */
  private lookAhead(): void {
    const { milestones } = this;
    const due = milestones.size > 0 ? this.clock.dueUs(milestones.top.key) : Infinity;
    this.dueUs = this.hasSurprises ? this.dueBesidesUs(due) : due;
  }

  private dueBesidesUs(milestoneUs: number): number {
    const { clock, memory, host } = this;
    let due = Math.min(milestoneUs, this.clockPreempts.topKey);
    if (host) due = Math.min(due, Math.max(host.nextUs(), clock.nowUs));
    if (!memory) return due;
    return Math.min(
      due,
      memory.exhaustedUs(clock.nowUs, due, (us) => clock.workAt(us)),
    );
  }

  /** One instant after the other, up to this one. */
  private runDue(untilUs: number): void {
    do {
      this.clock.advance(this.dueUs);
      const ticked = this.passMilestones();
      if (ticked !== undefined) for (const run of ticked) this.takeBack(run, 'ticks');
      if (this.hasSurprises) this.preemptByInstant(this.clock.nowUs);
      if (this.requests.waiting.length > 0) this.startWaiting();
      this.lookAhead();
    } while (this.dueUs <= untilUs);
  }

  /** Passes what is due by the work clock; the runs to preempt come back, for completions go first. */
  private passMilestones(): Run[] | undefined {
    const { milestones, clock } = this;
    let ticked: Run[] | undefined;
    while (milestones.size > 0 && clock.isDue(milestones.top.key)) {
      const run = milestones.pop();
      if (run.milestone === FINISH) this.finish(run);
      else if (run.milestone === TICK) {
        ticked ??= [];
        ticked.push(run);
      } else {
        run.firstTokenUs = clock.nowUs;
        this.aim(run);
      }
    }
    return ticked;
  }

  private preemptByInstant(nowUs: number): void {
    const { clockPreempts, memory, requests } = this;
    while (clockPreempts.topKey <= nowUs) this.takeBack(clockPreempts.top.run, 'rate');
    if (this.host?.pass(nowUs)) this.takeAllBack('spot');
    while (requests.running.tail && memory?.mustEvict(this.clock.workAt(nowUs))) {
      this.takeBack(requests.running.tail, 'memory');
      memory.evicted();
    }
  }

  private startWaiting(): void {
    const { waiting } = this.requests;
    for (let run = waiting.head; run && this.mayStart(run); run = waiting.head) {
      waiting.unlink(run);
      this.begin(run);
    }
  }

  private mayStart(run: Run): boolean {
    const { slots } = this.config;
    if (slots > 0 && this.requests.running.length >= slots) return false;
    return this.hasSurprises ? this.hasRoomFor(run) : true;
  }

  private hasRoomFor(run: Run): boolean {
    const { clock } = this;
    if (this.host && !this.host.isOpen(clock.nowUs)) return false;
    return this.memory?.mayStart(run, clock.work) ?? true;
  }

  private begin(run: Run): void {
    const { requests, clock } = this;
    const nowUs = clock.nowUs;
    run.isRunning = true;
    requests.running.append(run);
    run.tie = this.starts++;
    run.startedUs = nowUs;
    run.startWork = clock.work;
    run.firstTokenUs = -1;
    run.tickTokens = 0;
    run.meter.change(1, nowUs);
    clock.setLoad(requests.running.length);
    planTokens(run, this.config, run.meter.share);
    if (this.config.preempts.type !== 'none') this.planPreempt(run);
    this.aim(run);
    this.driver.started(run, nowUs);
  }

  private planPreempt(run: Run): void {
    const { type } = this.config.preempts;
    if (type !== 'ticks' && type !== 'rate') return;
    const { name } = run.meter;
    const { keySeq, attempt, demand } = run.work;
    if (type === 'ticks') {
      run.tickTokens = this.plan.tickTokens(name, keySeq, demand.outTokens - run.resumed);
      return;
    }
    const afterUs = this.plan.afterUs(name, keySeq, attempt);
    if (afterUs === Infinity) return;
    run.preempt.key = this.clock.nowUs + afterUs;
    run.preempt.tie = run.tie;
    this.clockPreempts.push(run.preempt);
  }

  /** Puts the next milestone of a running request into the heap; a hold may have none. */
  private aim(run: Run): void {
    if (this.clock.slows && run.firstTokenUs < 0) {
      run.milestone = FIRST;
      run.key = run.startWork + run.firstWork;
    } else if (run.tickTokens > 0) {
      run.milestone = TICK;
      run.key = run.startWork + workOfTick(run);
    } else {
      run.milestone = FINISH;
      run.key = run.startWork + run.totalWork;
    }
    if (run.key < Infinity) this.milestones.push(run);
  }

  private finish(run: Run): void {
    const { plan, driver } = this;
    if (plan.remembers) plan.finished(run.meter.name, run.work.keySeq);
    driver.finished(run, this.clock.nowUs);
    this.leave(run);
    this.memory?.freed();
  }

  private takeAllBack(why: PreemptCause): void {
    const { running } = this.requests;
    while (running.head) this.takeBack(running.head, why);
  }

  private takeBack(run: Run, why: PreemptCause): void {
    const { clock } = this;
    const outTokens = tokensMade(run, clock.work);
    const checkpoint = checkpointOf(outTokens, this.config.checkpointTokens, run.resumed);
    this.plan.preempted(run.meter.name, run.work.keySeq);
    this.driver.preempted(run, outTokens, checkpoint, why, clock.nowUs);
    this.leave(run);
  }

  private leave(run: Run): void {
    const { requests } = this;
    run.meter.change(-1, this.clock.nowUs);
    requests.running.unlink(run);
    if (run.place >= 0) this.milestones.remove(run);
    if (this.hasSurprises) this.clockPreempts.remove(run.preempt);
    this.clock.setLoad(requests.running.length);
    requests.drop(run);
  }
}

function backwards(lastUs: number, gotUs: number): Error {
  return new Error(`time went back from ${lastUs} to ${gotUs} us`);
}
