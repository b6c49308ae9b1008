/**
 * The client machine: a crowd of callers, each of whom wants one answer. Pure; the driver says
 * what came over the wire and what time it is.
 *
 *   arrive ─► in flight ─ answered ─► answered ─ completed, or the hold ends ─► settled
 *              ▲    │ refused, failed     │
 *         retry│    ▼                     │ failed
 *             waiting ◄───────────────────┘       out of tries: settled, as the last attempt ended
 */
import { drawsAt, streamKey } from '../random.ts';
import { retryDelayUs } from './backoff.ts';
import type { ClientDriver } from './driver.ts';
import {
  type ClassState,
  type Failure,
  isLive,
  isUnderWay,
  mayTryAgain,
  type Request,
} from './request.ts';
import { type Timer, Timers } from './timers.ts';
import type { ClientClass, ClientConfig, HangUp, Outcome, Patience, Wish } from './types.ts';

/**
 * Every call throws when time goes back; it may stand still. A sequence number may arrive only once,
 * and its class must be in the configuration. What is said about a request that waits to be tried
 * again, or has been settled, is ignored: on a wire, an answer can cross a hang-up.
 *
 * The simulator drives it as it is; everyone else by its door of plain data (`client.ts`).
 */
export class ClientMachine {
  /** Requests not yet settled. */
  open = 0;
  private clockUs = 0;
  private lastName = '';
  private lastOf: ClassState | undefined = undefined;
  private readonly classes: ReadonlyMap<string, ClassState>;
  private readonly timers = new Timers<Request>();
  /** By sequence number, which is dense; a settled request leaves `undefined` behind. */
  private readonly requests: (Request | undefined)[] = [];

  constructor(
    config: ClientConfig,
    private readonly driver: ClientDriver,
  ) {
    this.classes = classesOf(config);
  }

  nextWakeUs(): number {
    if (this.timers.nextUs < Infinity) this.forgetDead();
    return this.timers.nextUs;
  }

  private forgetDead(): void {
    for (let next = this.timers.peek(); next !== undefined; next = this.timers.peek()) {
      if (isLive(next)) return;
      this.timers.pop();
    }
  }

  /** The request of a sequence number; undefined where it is settled, or never came. */
  find(seq: number): Request | undefined {
    return this.requests[seq];
  }

  /** Runs what is due by `nowUs`. */
  tick(nowUs: number): void {
    this.enter(nowUs, nowUs);
  }

  /** @param dueUs what is due by then comes first */
  private enter(nowUs: number, dueUs: number): void {
    if (!(nowUs >= this.clockUs)) throw backwards(this.clockUs, nowUs);
    if (this.timers.nextUs <= dueUs) this.runDue(dueUs);
    this.clockUs = nowUs;
  }

  /** Something came over the wire, about nobody who is here. It goes before what is due at the same instant. */
  hear(nowUs: number): void {
    this.enter(nowUs, nowUs - 1);
  }

  /** The intended instant has come. It is sent before the call ends. */
  arrive(wish: Wish, nowUs: number): void {
    this.enter(nowUs, nowUs);
    if (this.requests[wish.seq] !== undefined) throw twice(wish);
    const of = this.classOf(wish.class);
    const request: Request = { wish, of, phase: 'inFlight', attempt: 0, last: 'censored' };
    this.requests[wish.seq] = request;
    this.open++;
    of.requests++;
    const { patience, timeoutUs } = of.rules;
    if (patience !== null) this.startPatience(request, patience, nowUs);
    if (timeoutUs !== null) this.timers.add(nowUs + timeoutUs, 'timeout', request, 0);
    this.driver.send(request, nowUs);
  }

  /** Runs of one class are the rule, so the last answer is kept. */
  private classOf(name: string): ClassState {
    if (this.lastOf !== undefined && this.lastName === name) return this.lastOf;
    return this.lookUp(name);
  }

  private lookUp(name: string): ClassState {
    const of = this.classes.get(name);
    if (of === undefined) throw new Error(`client: expected a known class, got ${name}`);
    this.lastName = name;
    this.lastOf = of;
    return of;
  }

  private startPatience(request: Request, patience: Patience, nowUs: number): void {
    this.timers.add(nowUs + patienceUs(request, patience), 'patience', request, 0);
  }

  /** The answer has begun: patience ends, a hold begins. */
  answered(request: Request, nowUs: number): void {
    this.hear(nowUs);
    if (!isUnderWay(request)) return;
    const { attempt, wish } = request;
    request.phase = 'answered';
    if (wish.holdUs > 0) this.timers.add(nowUs + wish.holdUs, 'hold', request, attempt);
  }

  completed(request: Request, nowUs: number): void {
    this.hear(nowUs);
    if (isUnderWay(request)) this.settle(request, 'completed', nowUs);
  }

  /** Turned away, killed or broken off. It is tried again later, or settled before the call ends. */
  failed(request: Request, failure: Failure, nowUs: number): void {
    this.hear(nowUs);
    if (!isUnderWay(request)) return;
    if (mayTryAgain(request, failure)) this.waitToRetry(request, failure, nowUs);
    else this.settle(request, failure.as, nowUs);
  }

  private waitToRetry(request: Request, failure: Failure, nowUs: number): void {
    const { attempt, of, wish } = request;
    of.retries++;
    request.phase = 'waiting';
    request.last = failure.as;
    const { retry } = of.rules;
    const delayUs = retryDelayUs(retry, of.backoff, wish.keySeq, attempt, failure.retryAfterUs);
    this.timers.add(nowUs + delayUs, 'retry', request, attempt);
  }

  /** The run is over: what is in flight is settled as censored, what waits to retry as its last attempt ended. */
  stop(nowUs: number): void {
    this.enter(nowUs, nowUs);
    for (const request of this.requests) {
      if (request !== undefined) this.hangUp(request, 'stop', 'censored', nowUs);
    }
  }

  /** What the driver sets off meanwhile, and is due at once, waits for its next call. */
  private runDue(untilUs: number): void {
    const { added } = this.timers;
    for (;;) {
      const next = this.timers.peek();
      if (next === undefined || next.dueUs > untilUs || next.order >= added) return;
      this.timers.pop();
      if (isLive(next)) this.fire(next);
    }
  }

  private fire({ kind, subject: request, dueUs }: Timer<Request>): void {
    switch (kind) {
      case 'retry':
        request.attempt++;
        request.phase = 'inFlight';
        this.driver.send(request, dueUs);
        break;
      case 'hold':
        this.hangUp(request, 'hold', 'completed', dueUs);
        break;
      case 'patience':
        this.hangUp(request, 'patience', 'abandoned', dueUs);
        break;
      case 'timeout':
        this.hangUp(request, 'timeout', 'failed', dueUs);
    }
  }

  /** The caller goes. Between two attempts there is nothing to end, and the last one stands. */
  private hangUp(request: Request, why: HangUp, outcome: Outcome, atUs: number): void {
    const isWaiting = request.phase === 'waiting';
    if (!isWaiting) this.driver.hangUp(request, why, atUs);
    this.settle(request, isWaiting ? request.last : outcome, atUs);
  }

  private settle(request: Request, outcome: Outcome, atUs: number): void {
    request.phase = 'settled';
    this.requests[request.wish.seq] = undefined;
    this.open--;
    this.driver.settled(request, outcome, atUs);
  }
}

function classesOf({ classes, seed }: ClientConfig): ReadonlyMap<string, ClassState> {
  const states = new Map<string, ClassState>();
  for (const [name, rules] of Object.entries(classes)) states.set(name, stateOf(name, rules, seed));
  return states;
}

function stateOf(name: string, rules: ClientClass, seed: number): ClassState {
  const backoff = streamKey(seed, 'backoff', name);
  const patience = streamKey(seed, 'patience', name);
  return { rules, backoff, patience, requests: 0, retries: 0 };
}

function patienceUs({ of, wish }: Request, patience: Patience): number {
  if (patience.type === 'fixed') return patience.us;
  return Math.round(patience.meanUs * drawsAt(of.patience, wish.keySeq, 0).exponential());
}

function backwards(lastUs: number, gotUs: number): Error {
  return new Error(`client: expected time from ${lastUs} us on, got ${gotUs}`);
}

function twice({ seq }: Wish): Error {
  return new Error(`client: expected a new sequence number, got ${seq} again`);
}
