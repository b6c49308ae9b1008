import { DueHeap, type HeapEntry } from '../src/model/due-heap.ts';
import { createModel } from '../src/model/model.ts';
import type { Effect, Input, Model, ModelConfig } from '../src/model/types.ts';
import type { ScenarioClock } from './scenario-clock.ts';

type StartInput = Extract<Input, { type: 'start' }>;

/** Who is told what happens to one request. */
export interface Listener {
  onEffect(effect: Effect): void;
  /** The instant given to `askAt` has come. */
  onAsked(): void;
}

/** A request whose listener wants to be asked at the instant `key`. */
interface Registered extends HeapEntry {
  readonly id: number;
  readonly listener: Listener;
}

/** Node takes a longer delay for 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Plays a model in real time. One timer stands on the earliest thing due and is checked against
 * the clock when it fires, because Node's timers may fire up to a millisecond early.
 */
export class Driver {
  private model: Model;
  private readonly registered = new Map<number, Registered>();
  private readonly asks = new DueHeap<Registered>();
  private reachedUs = 0;
  private timer: NodeJS.Timeout | undefined;
  private timerDueUs = Number.POSITIVE_INFINITY;
  private readonly freeIds: number[] = [];
  private nextId = 0;

  constructor(
    private config: ModelConfig,
    private readonly clock: ScenarioClock,
  ) {
    this.model = createModel(config);
  }

  get inService(): number {
    return this.model.inService;
  }

  get waiting(): number {
    return this.model.waiting;
  }

  /** Runs what is due by now; gives that instant. */
  catchUp(): number {
    return this.apply({ type: 'tick' });
  }

  /** Compute done so far, in slot-microseconds of scenario time. */
  computeUs(): number {
    return this.model.computeUs(this.catchUp());
  }

  memoryShare(): number {
    this.catchUp();
    return this.model.memoryShare();
  }

  /**
   * Tokens made by the instant that the model has reached; 0 where the request has left. Never
   * asked beyond it: a preempt that is due but not yet told would be read past.
   */
  tokens(id: number): number {
    return this.model.tokens(id, this.reachedUs) ?? 0;
  }

  nextTokenUs(id: number): number | undefined {
    return this.model.nextTokenUs(id, this.reachedUs);
  }

  /** A number for one request; give it back with `forget`. */
  register(listener: Listener): number {
    const id = this.freeIds.pop() ?? this.nextId++;
    this.registered.set(id, { id, listener, key: Number.POSITIVE_INFINITY, tie: id, place: -1 });
    return id;
  }

  /** The request is over for its caller too: nothing more is said about it. */
  forget(id: number): void {
    const registered = this.registered.get(id);
    if (registered === undefined) return;
    this.registered.delete(id);
    this.asks.remove(registered);
    this.freeIds.push(id);
  }

  start(input: Omit<StartInput, 'type'>): void {
    this.apply({ type: 'start', ...input });
  }

  cancel(id: number): void {
    this.apply({ type: 'cancel', id });
  }

  /** Takes the slot of one request, or of all. */
  preempt(id: number | undefined): void {
    this.apply(id === undefined ? { type: 'preempt' } : { type: 'preempt', id });
  }

  configure(config: ModelConfig): void {
    this.config = config;
    this.apply({ type: 'configure', config });
  }

  /** A fresh model at instant 0; only while nothing is here. */
  restart(): void {
    this.clock.restart();
    this.reachedUs = 0;
    this.model = createModel(this.config);
    this.arm();
  }

  /** Calls `onAsked` once when `us` has come. */
  askAt(id: number, us: number): void {
    const registered = this.registered.get(id);
    if (registered === undefined) return;
    this.asks.remove(registered);
    registered.key = us;
    this.asks.push(registered);
    if (us < this.timerDueUs) this.arm();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timerDueUs = Number.NEGATIVE_INFINITY;
  }

  private apply(input: Input): number {
    const nowUs = this.clock.nowUs();
    this.reachedUs = nowUs;
    const effects = this.model.apply(input, nowUs);
    for (const effect of effects) this.registered.get(effect.id)?.listener.onEffect(effect);
    this.arm();
    return nowUs;
  }

  private dueUs(): number {
    return Math.min(this.asks.topKey, this.model.nextWakeUs());
  }

  private arm(): void {
    const due = this.dueUs();
    if (due === this.timerDueUs || this.timerDueUs === Number.NEGATIVE_INFINITY) return;
    clearTimeout(this.timer);
    this.timerDueUs = due;
    if (due === Number.POSITIVE_INFINITY) return;
    const ms = this.clock.wallMs(due - this.clock.nowUs());
    const delay = Math.min(Math.max(Math.ceil(ms), 0), LONGEST_TIMER_MS);
    this.timer = setTimeout(() => this.onTimer(), delay);
  }

  private onTimer(): void {
    this.timerDueUs = Number.POSITIVE_INFINITY;
    const nowUs = this.catchUp();
    while (this.asks.topKey <= nowUs) {
      const { top } = this.asks;
      this.asks.remove(top);
      top.listener.onAsked();
    }
    this.arm();
  }
}
