import { ComputeMeter } from './compute-meter.ts';
import { Memory } from './memory.ts';
import { PreemptPlan } from './preempt-plan.ts';
import type { Milestone } from './requests.ts';
import { MILESTONE, Requests } from './requests.ts';
import { SpotHost } from './spot-host.ts';
import {
  checkpointOf,
  firstTokenWorkUs,
  SLACK_US,
  tokenGapUs,
  tokensAfter,
  usableResume,
  workOfToken,
} from './token-work.ts';
import type { Effect, Input, Model, ModelConfig, Preempts } from './types.ts';
import { WorkClock } from './work-clock.ts';
import { WorkHeap } from './work-heap.ts';

type StartInput = Extract<Input, { type: 'start' }>;
type PreemptedEffect = Extract<Effect, { type: 'preempted' }>;

/** Shared by all calls that have nothing to say; frozen, so that nobody can add to it. */
const NOTHING = Object.freeze([] as Effect[]) as Effect[];

const NEVER = Number.POSITIVE_INFINITY;
/** A due instant that is yet to be found. */
const UNKNOWN = -1;

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
  private readonly milestones = new WorkHeap();
  /** Preempts that come at an instant, whatever the speed. */
  private readonly clockPreempts = new WorkHeap();
  private readonly clock: WorkClock;
  private readonly meter: ComputeMeter;
  private readonly plan: PreemptPlan;
  private memory: Memory | undefined;
  private host: SpotHost | undefined;
  private starts = 0;
  /** When memory runs out as things stand; `UNKNOWN`: to be found. */
  private memoryDueUs = NEVER;
  /** What `dueUs` found; `UNKNOWN`: to be found. Asked for three times for each request. */
  private knownDueUs = NEVER;
  /** False: nothing but milestones can come due. */
  private isPlain = true;
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
    if (!(nowUs >= this.clock.nowUs)) {
      throw new Error(`time went back from ${this.clock.nowUs} to ${nowUs} us`);
    }
    this.out = NOTHING;
    for (let due = this.dueUs(); due <= nowUs; due = this.dueUs()) this.runInstant(due);
    this.clock.advance(nowUs);
    if (input.type !== 'tick') {
      this.accept(input);
      this.memoryDueUs = UNKNOWN;
      this.knownDueUs = UNKNOWN;
    }
    const effects = this.out;
    this.out = NOTHING;
    return effects;
  }

  nextWakeUs(): number | undefined {
    const due = this.dueUs();
    return due === NEVER ? undefined : due;
  }

  computeUs(nowUs: number): number {
    return this.meter.totalUs(this.notBefore(nowUs));
  }

  tokens(id: number, nowUs: number): number | undefined {
    const slot = this.requests.find(id);
    if (slot < 0) return undefined;
    return this.tokensAt(slot, this.clock.workAt(this.notBefore(nowUs)));
  }

  nextTokenUs(id: number, nowUs: number): number | undefined {
    const slot = this.requests.find(id);
    const { requests, clock } = this;
    if (slot < 0 || requests.isRunning[slot] === 0) return undefined;
    const made = this.tokensAt(slot, clock.workAt(this.notBefore(nowUs)));
    if (made >= (requests.outTokens[slot] as number)) return undefined;
    const due = clock.dueUs(this.workWhenMade(slot, made + 1));
    return due === NEVER ? undefined : Math.max(due, nowUs);
  }

  memoryShare(): number {
    return this.memory ? this.memory.share(this.clock.work) : 0;
  }

  private notBefore(nowUs: number): number {
    if (nowUs >= this.clock.nowUs) return nowUs;
    throw new Error(`asked about ${nowUs} us, which is before ${this.clock.nowUs} us`);
  }

  private accept(input: Input): void {
    if (input.type === 'start') this.arrive(input);
    else if (input.type === 'cancel') this.cancel(input.id);
    else if (input.type === 'preempt') this.preemptOnRequest(input.id);
    else if (input.type === 'configure') this.configure(input.config);
  }

  private arrive(input: StartInput): void {
    const { requests } = this;
    const { demand } = input;
    const slot = requests.add(input.id);
    requests.keySeq[slot] = input.keySeq;
    requests.attempt[slot] = input.attempt;
    requests.serviceUs[slot] = demand.serviceUs;
    requests.holdUs[slot] = demand.holdUs;
    requests.inTokens[slot] = demand.inTokens;
    requests.outTokens[slot] = demand.outTokens;
    requests.resumed[slot] = usableResume(input.resumeTokens, demand.outTokens);
    requests.classIndex[slot] = this.meter.classIndex(input.class);
    requests.isRunning[slot] = 0;
    if (this.memory?.isTooLarge(slot)) {
      requests.drop(slot);
      this.say({ type: 'failed', atUs: this.clock.nowUs, id: input.id, why: 'too_large' });
    } else if (requests.waiting.length === 0 && this.mayStart(slot)) this.begin(slot);
    else requests.append(requests.waiting, slot);
  }

  private cancel(id: number): void {
    const { requests } = this;
    const slot = requests.find(id);
    if (slot < 0) return;
    if (requests.isRunning[slot] === 0) {
      requests.unlink(requests.waiting, slot);
      requests.drop(slot);
    } else {
      this.leave(slot);
      this.memory?.freed();
    }
    this.startWaiting();
  }

  /** Work at the model's own door keeps its place: it has no slot to take. */
  private preemptOnRequest(id: number | undefined): void {
    if (id === undefined) this.preemptAll('operator');
    else {
      const slot = this.requests.find(id);
      if (slot >= 0 && this.requests.isRunning[slot] === 1) this.preempt(slot, 'operator');
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
    this.isPlain = byWork && this.clockPreempts.size === 0;
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
    for (let s = requests.running.head; s >= 0; s = requests.after(s)) {
      const firstUs = this.firstTokenIfUnslowed(s);
      if (firstUs <= clock.nowUs) requests.firstTokenUs[s] = firstUs;
      this.milestones.remove(s);
      this.aim(s);
    }
  }

  /** The next instant at which something is due; Infinity: nothing is. */
  private dueUs(): number {
    const known = this.knownDueUs;
    if (known >= 0) return known;
    const { milestones } = this;
    const due = milestones.size > 0 ? this.clock.dueUs(milestones.topKey()) : NEVER;
    this.knownDueUs = this.isPlain ? due : this.dueBesidesUs(due);
    return this.knownDueUs;
  }

  private dueBesidesUs(milestoneUs: number): number {
    let due = milestoneUs;
    if (this.clockPreempts.size > 0) due = Math.min(due, this.clockPreempts.topKey());
    if (this.host) due = Math.min(due, Math.max(this.host.nextUs(), this.clock.nowUs));
    return this.memory ? Math.min(due, this.memoryUs(this.memory, due)) : due;
  }

  private memoryUs(memory: Memory, untilUs: number): number {
    if (this.memoryDueUs < 0) {
      const { clock } = this;
      this.memoryDueUs = memory.exhaustedUs(clock.nowUs, untilUs, (us) => clock.workAt(us));
    }
    return this.memoryDueUs;
  }

  private runInstant(nowUs: number): void {
    this.clock.advance(nowUs);
    this.memoryDueUs = UNKNOWN;
    this.knownDueUs = UNKNOWN;
    const ticked = this.passMilestones();
    if (ticked !== undefined) for (const slot of ticked) this.preempt(slot, 'ticks');
    if (!this.isPlain) this.preemptByInstant(nowUs);
    if (this.requests.waiting.length > 0) this.startWaiting();
  }

  /** Passes what is due by the work clock; the runs to preempt come back, for completions go first. */
  private passMilestones(): number[] | undefined {
    const { milestones, requests, clock } = this;
    let ticked: number[] | undefined;
    while (milestones.size > 0 && clock.isDue(milestones.topKey())) {
      const slot = milestones.topSlot();
      milestones.remove(slot);
      const milestone = requests.milestone[slot] as Milestone;
      if (milestone === MILESTONE.finish) this.finish(slot);
      else if (milestone === MILESTONE.tick) {
        ticked ??= [];
        ticked.push(slot);
      } else {
        requests.firstTokenUs[slot] = clock.nowUs;
        this.aim(slot);
      }
    }
    return ticked;
  }

  private preemptByInstant(nowUs: number): void {
    const { clockPreempts, memory, requests } = this;
    while (clockPreempts.size > 0 && clockPreempts.topKey() <= nowUs) {
      this.preempt(clockPreempts.topSlot(), 'rate');
    }
    if (this.host?.pass(nowUs)) this.preemptAll('spot');
    while (memory?.mustEvict(this.clock.workAt(nowUs))) {
      this.preempt(requests.running.tail, 'memory');
      memory.evicted();
    }
  }

  private startWaiting(): void {
    const { waiting } = this.requests;
    while (waiting.head >= 0 && this.mayStart(waiting.head)) {
      const slot = waiting.head;
      this.requests.unlink(waiting, slot);
      this.begin(slot);
    }
  }

  private mayStart(slot: number): boolean {
    const { config, clock } = this;
    if (config.slots > 0 && this.requests.running.length >= config.slots) return false;
    if (this.isPlain) return true;
    if (this.host && !this.host.isOpen(clock.nowUs)) return false;
    return this.memory?.mayStart(slot, clock.work) ?? true;
  }

  private begin(slot: number): void {
    const { requests, clock } = this;
    const nowUs = clock.nowUs;
    requests.isRunning[slot] = 1;
    requests.append(requests.running, slot);
    requests.order[slot] = this.starts++;
    requests.startedUs[slot] = nowUs;
    requests.startWork[slot] = clock.work;
    requests.firstTokenUs[slot] = -1;
    this.meter.change(requests.classIndex[slot] as number, 1, nowUs);
    clock.setLoad(requests.running.length);
    this.planRun(slot);
    if (this.config.preempts.type !== 'none') this.planPreempt(slot);
    else requests.tickTokens[slot] = 0;
    this.aim(slot);
    this.say({ type: 'started', atUs: nowUs, id: requests.id[slot] as number });
  }

  /** Lays the tokens of this run into its work. A hold makes its tokens at its share of compute. */
  private planRun(slot: number): void {
    const { requests } = this;
    const serviceUs = requests.serviceUs[slot] as number;
    const outTokens = requests.outTokens[slot] as number;
    const resumed = requests.resumed[slot] as number;
    const firstWork = firstTokenWorkUs(this.config.firstTokenUs, serviceUs, outTokens);
    const gapWork = tokenGapUs(firstWork, serviceUs, outTokens);
    const isHold = (requests.holdUs[slot] as number) > 0;
    requests.firstWork[slot] = firstWork;
    requests.gapWork[slot] = isHold
      ? gapWork / this.meter.share(requests.classIndex[slot] as number)
      : gapWork;
    if (isHold) requests.totalWork[slot] = NEVER;
    else requests.totalWork[slot] = resumed > 0 ? serviceUs - resumed * gapWork : serviceUs;
  }

  private planPreempt(slot: number): void {
    const { requests, plan } = this;
    const { type } = this.config.preempts;
    requests.tickTokens[slot] = 0;
    if (type !== 'ticks' && type !== 'rate') return;
    const name = this.meter.className(requests.classIndex[slot] as number);
    const keySeq = requests.keySeq[slot] as number;
    if (type === 'ticks') {
      const left = (requests.outTokens[slot] as number) - (requests.resumed[slot] as number);
      requests.tickTokens[slot] = plan.tickTokens(name, keySeq, left);
      return;
    }
    const afterUs = plan.afterUs(name, keySeq, requests.attempt[slot] as number);
    if (afterUs === NEVER) return;
    this.clockPreempts.push(slot, this.clock.nowUs + afterUs, requests.order[slot] as number);
  }

  /** Puts the next milestone of a running request into the heap; a hold may have none. */
  private aim(slot: number): void {
    const { requests } = this;
    const first = requests.firstWork[slot] as number;
    const ticks = requests.tickTokens[slot] as number;
    let work = requests.totalWork[slot] as number;
    let milestone: Milestone = MILESTONE.finish;
    if (this.clock.slows && (requests.firstTokenUs[slot] as number) < 0) {
      milestone = MILESTONE.first;
      work = first;
    } else if (ticks > 0) {
      milestone = MILESTONE.tick;
      work = workOfToken(ticks, first, requests.gapWork[slot] as number);
    }
    requests.milestone[slot] = milestone;
    if (work === NEVER) return;
    const key = (requests.startWork[slot] as number) + work;
    this.milestones.push(slot, key, requests.order[slot] as number);
  }

  private finish(slot: number): void {
    const { requests, plan } = this;
    const recorded = requests.firstTokenUs[slot] as number;
    this.say({
      type: 'finished',
      atUs: this.clock.nowUs,
      id: requests.id[slot] as number,
      firstTokenUs: recorded >= 0 ? recorded : this.firstTokenIfUnslowed(slot),
      outTokens: requests.outTokens[slot] as number,
    });
    if (plan.remembers) plan.finished(this.classOf(slot), requests.keySeq[slot] as number);
    this.leave(slot);
    this.memory?.freed();
  }

  private firstTokenIfUnslowed(slot: number): number {
    const { startedUs, firstWork } = this.requests;
    return (startedUs[slot] as number) + Math.ceil((firstWork[slot] as number) - SLACK_US);
  }

  private preemptAll(why: PreemptedEffect['why']): void {
    const { running } = this.requests;
    while (running.head >= 0) this.preempt(running.head, why);
  }

  private preempt(slot: number, why: PreemptedEffect['why']): void {
    const { requests, clock } = this;
    const outTokens = this.tokensAt(slot, clock.work);
    const resumed = requests.resumed[slot] as number;
    this.say({
      type: 'preempted',
      atUs: clock.nowUs,
      id: requests.id[slot] as number,
      outTokens,
      checkpointTokens: checkpointOf(outTokens, this.config.checkpointTokens, resumed),
      why,
    });
    this.plan.preempted(this.classOf(slot), requests.keySeq[slot] as number);
    this.leave(slot);
  }

  private leave(slot: number): void {
    const { requests } = this;
    this.meter.change(requests.classIndex[slot] as number, -1, this.clock.nowUs);
    requests.unlink(requests.running, slot);
    this.milestones.remove(slot);
    if (!this.isPlain) this.clockPreempts.remove(slot);
    this.clock.setLoad(requests.running.length);
    requests.drop(slot);
  }

  private tokensAt(slot: number, work: number): number {
    const { requests } = this;
    const resumed = requests.resumed[slot] as number;
    if (requests.isRunning[slot] === 0) return resumed;
    const made = tokensAfter(
      work - (requests.startWork[slot] as number),
      requests.firstWork[slot] as number,
      requests.gapWork[slot] as number,
      (requests.outTokens[slot] as number) - resumed,
    );
    return resumed + made;
  }

  /** The work clock when a running request has made `n` tokens in all. */
  private workWhenMade(slot: number, n: number): number {
    const { requests } = this;
    const ofRun = n - (requests.resumed[slot] as number);
    const first = requests.firstWork[slot] as number;
    const work = workOfToken(ofRun, first, requests.gapWork[slot] as number);
    return (requests.startWork[slot] as number) + work;
  }

  private classOf(slot: number): string {
    return this.meter.className(this.requests.classIndex[slot] as number);
  }

  private say(effect: Effect): void {
    if (this.out === NOTHING) this.out = [effect];
    else this.out.push(effect);
  }
}
