import { ComputeMeter } from './compute-meter.ts';
import { DueHeap } from './due-heap.ts';
import { Memory } from './memory.ts';
import { PreemptPlan } from './preempt-plan.ts';
import { MILESTONE, type Milestone, type PreemptEntry, Requests, type Run } from './requests.ts';
import {
  firstTokenUnslowedUs,
  planTokens,
  tokensMade,
  workOfTick,
  workWhenMade,
} from './run-plan.ts';
import { SpotHost } from './spot-host.ts';
import { checkpointOf, usableResume } from './token-work.ts';
import type { Effect, Input, Model, ModelConfig, Preempts } from './types.ts';
import { WorkClock } from './work-clock.ts';

type StartInput = Extract<Input, { type: 'start' }>;
type PreemptedEffect = Extract<Effect, { type: 'preempted' }>;

/** Shared by all calls that have nothing to say; frozen, so that nobody can add to it. */
const NOTHING = Object.freeze([] as Effect[]) as Effect[];

/**
 * An endpoint that works on requests. Everything due by `nowUs` happens first, then the input.
 * At one instant: completions, then preempts, then the start of what waits. An id that is unknown
 * to `cancel` or `preempt` is no error: the request may have ended in the same instant.
 * Throws on time that goes back and on a second `start` of an id that is here.
 */
export function createModel(config: ModelConfig): Model {
  return new ModelMachine(config);
}

class ModelMachine implements Model {
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
  private out: Effect[] = NOTHING;

  constructor(private config: ModelConfig) {
    this.clock = new WorkClock(config.slowdown);
    this.meter = new ComputeMeter(config.compute);
    this.plan = new PreemptPlan(config);
    this.setPreempts(config.preempts);
  }

  get inService(): number {
    return this.requests.running.length;
  }

  get waiting(): number {
    return this.requests.waiting.length;
  }

  apply(input: Input, nowUs: number): Effect[] {
    if (!(nowUs >= this.clock.nowUs)) throw backwards(this.clock.nowUs, nowUs);
    this.out = NOTHING;
    if (this.dueUs <= nowUs) this.runDue(nowUs);
    this.clock.advance(nowUs);
    if (input.type === 'tick') return this.out;
    if (input.type === 'start') this.arrive(input);
    else this.acceptRare(input);
    this.lookAhead();
    return this.out;
  }

  nextWakeUs(): number {
    return this.dueUs;
  }

  computeUs(nowUs: number): number {
    return this.meter.totalUs(this.notBefore(nowUs));
  }

  tokens(id: number, nowUs: number): number | undefined {
    const run = this.requests.find(id);
    return run && tokensMade(run, this.clock.workAt(this.notBefore(nowUs)));
  }

  nextTokenUs(id: number, nowUs: number): number | undefined {
    const { requests, clock } = this;
    const run = requests.find(id);
    if (!run?.isRunning) return undefined;
    const made = tokensMade(run, clock.workAt(this.notBefore(nowUs)));
    if (made >= run.outTokens) return undefined;
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

  /** Apart from the rest: the engine builds small functions into their callers. */
  private acceptRare(input: Exclude<Input, { type: 'start' | 'tick' }>): void {
    if (input.type === 'cancel') this.cancel(input.id);
    else if (input.type === 'preempt') this.preemptOnRequest(input.id);
    else this.configure(input.config);
  }

  private arrive(input: StartInput): void {
    const { requests } = this;
    const { demand } = input;
    const run = requests.add(input.id, this.meter.of(input.class));
    run.keySeq = input.keySeq;
    run.attempt = input.attempt;
    run.serviceUs = demand.serviceUs;
    run.holdUs = demand.holdUs;
    run.inTokens = demand.inTokens;
    run.outTokens = demand.outTokens;
    run.resumed = input.resumeTokens > 0 ? usableResume(input.resumeTokens, demand.outTokens) : 0;
    if (this.memory?.isTooLarge(run)) this.refuse(run);
    else if (requests.waiting.length === 0 && this.mayStart(run)) this.begin(run);
    else requests.waiting.append(run);
  }

  private refuse(run: Run): void {
    this.requests.drop(run);
    this.say({ type: 'failed', atUs: this.clock.nowUs, id: run.id, why: 'too_large' });
  }

  private cancel(id: number): void {
    const { requests } = this;
    const run = requests.find(id);
    if (run === undefined) return;
    if (run.isRunning) {
      this.leave(run);
      this.memory?.freed();
    } else {
      requests.waiting.unlink(run);
      requests.drop(run);
    }
    this.startWaiting();
  }

  /** Work at the model's own door keeps its place: it has no slot to take. */
  private preemptOnRequest(id: number | undefined): void {
    if (id === undefined) this.preemptAll('operator');
    else {
      const run = this.requests.find(id);
      if (run?.isRunning) this.preempt(run, 'operator');
    }
    this.startWaiting();
  }

  private configure(change: Partial<ModelConfig>): void {
    this.config = { ...this.config, ...change };
    if (change.compute) this.meter.setShares(change.compute, this.clock.nowUs);
    if (change.slowdown) this.setSlowdown(change.slowdown);
    this.plan.configure(this.config);
    if (change.preempts) this.setPreempts(change.preempts);
    this.startWaiting();
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
      if (ticked !== undefined) for (const run of ticked) this.preempt(run, 'ticks');
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
      const run = milestones.top;
      milestones.remove(run);
      if (run.milestone === MILESTONE.finish) this.finish(run);
      else if (run.milestone === MILESTONE.tick) {
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
    while (clockPreempts.topKey <= nowUs) this.preempt(clockPreempts.top.run, 'rate');
    if (this.host?.pass(nowUs)) this.preemptAll('spot');
    while (requests.running.tail && memory?.mustEvict(this.clock.workAt(nowUs))) {
      this.preempt(requests.running.tail, 'memory');
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
    this.say({ type: 'started', atUs: nowUs, id: run.id });
  }

  private planPreempt(run: Run): void {
    const { type } = this.config.preempts;
    if (type !== 'ticks' && type !== 'rate') return;
    const { name } = run.meter;
    if (type === 'ticks') {
      run.tickTokens = this.plan.tickTokens(name, run.keySeq, run.outTokens - run.resumed);
      return;
    }
    const afterUs = this.plan.afterUs(name, run.keySeq, run.attempt);
    if (afterUs === Infinity) return;
    run.preempt.key = this.clock.nowUs + afterUs;
    run.preempt.tie = run.tie;
    this.clockPreempts.push(run.preempt);
  }

  /** Puts the next milestone of a running request into the heap; a hold may have none. */
  private aim(run: Run): void {
    if (this.clock.slows && run.firstTokenUs < 0) this.aimAt(run, MILESTONE.first, run.firstWork);
    else if (run.tickTokens > 0) this.aimAt(run, MILESTONE.tick, workOfTick(run));
    else this.aimAt(run, MILESTONE.finish, run.totalWork);
  }

  private aimAt(run: Run, milestone: Milestone, work: number): void {
    run.milestone = milestone;
    if (work === Infinity) return;
    run.key = run.startWork + work;
    this.milestones.push(run);
  }

  private finish(run: Run): void {
    const { plan } = this;
    this.say({
      type: 'finished',
      atUs: this.clock.nowUs,
      id: run.id,
      firstTokenUs: run.firstTokenUs >= 0 ? run.firstTokenUs : firstTokenUnslowedUs(run),
      outTokens: run.outTokens,
    });
    if (plan.remembers) plan.finished(run.meter.name, run.keySeq);
    this.leave(run);
    this.memory?.freed();
  }

  private preemptAll(why: PreemptedEffect['why']): void {
    const { running } = this.requests;
    while (running.head) this.preempt(running.head, why);
  }

  private preempt(run: Run, why: PreemptedEffect['why']): void {
    const { clock } = this;
    const outTokens = tokensMade(run, clock.work);
    this.say({
      type: 'preempted',
      atUs: clock.nowUs,
      id: run.id,
      outTokens,
      checkpointTokens: checkpointOf(outTokens, this.config.checkpointTokens, run.resumed),
      why,
    });
    this.plan.preempted(run.meter.name, run.keySeq);
    this.leave(run);
  }

  private leave(run: Run): void {
    const { requests } = this;
    run.meter.change(-1, this.clock.nowUs);
    requests.running.unlink(run);
    this.milestones.remove(run);
    if (this.hasSurprises) this.clockPreempts.remove(run.preempt);
    this.clock.setLoad(requests.running.length);
    requests.drop(run);
  }

  private say(effect: Effect): void {
    if (this.out === NOTHING) this.out = [effect];
    else this.out.push(effect);
  }
}

function backwards(lastUs: number, gotUs: number): Error {
  return new Error(`time went back from ${lastUs} to ${gotUs} us`);
}
