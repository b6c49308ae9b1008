/**
 * The client machine: a crowd of callers, each of whom wants one answer. Pure; the driver says
 * what came over the wire and what time it is.
 *
 *   arrive ─► in flight ─ answered ─► answered ─ completed, or the hold ends ─► settled
 *              ▲    │ refused, failed     │
 *         retry│    ▼                     │ failed
 *             waiting ◄───────────────────┘       out of tries: settled, as the last attempt ended
 */
import { drawsAt, type StreamKey, streamKey } from '../random.ts';
import { retryDelayUs } from './backoff.ts';
import { type Timer, Timers } from './timers.ts';
import type {
  Client,
  ClientClass,
  ClientConfig,
  Effect,
  Input,
  Outcome,
  Patience,
} from './types.ts';

interface ClassState {
  readonly rules: ClientClass;
  readonly backoff: StreamKey;
  readonly patience: StreamKey;
  requests: number;
  retries: number;
}

interface Request {
  readonly seq: number;
  readonly keySeq: number;
  readonly holdUs: number;
  readonly of: ClassState;
  phase: 'inFlight' | 'answered' | 'waiting' | 'settled';
  attempt: number;
  /** How the attempt before the one to come ended; read only while waiting. */
  last: Outcome;
}

type Arrive = Extract<Input, { type: 'arrive' }>;
type Refused = Extract<Input, { type: 'refused' }>;
type Failed = Extract<Input, { type: 'failed' }>;

/**
 * A crowd of callers. Time may stand still but not go back (that throws), a sequence number may
 * arrive only once, and its class must be in the configuration. What is said about a request that
 * has been settled is ignored: on a wire, an answer can cross a hang-up.
 */
export function createClient(config: ClientConfig): Client {
  const classes = new Map<string, ClassState>();
  for (const [name, rules] of Object.entries(config.classes)) {
    classes.set(name, {
      rules,
      backoff: streamKey(config.seed, 'backoff', name),
      patience: streamKey(config.seed, 'patience', name),
      requests: 0,
      retries: 0,
    });
  }
  return new Crowd(classes);
}

/** What most steps say. Shared, and frozen so that nobody adds to it. */
const NOTHING = Object.freeze([] as Effect[]) as Effect[];

class Crowd implements Client {
  open = 0;
  private clockUs = 0;
  private out: Effect[] = NOTHING;
  private lastName = '';
  private lastOf: ClassState | undefined = undefined;
  private readonly timers = new Timers<Request>();
  /** By sequence number, which is dense; a settled request leaves `undefined` behind. */
  private readonly requests: (Request | undefined)[] = [];

  constructor(private readonly classes: ReadonlyMap<string, ClassState>) {}

  apply(input: Input, nowUs: number): Effect[] {
    if (!(nowUs >= this.clockUs)) throw backwards(this.clockUs, nowUs);
    this.out = NOTHING;
    if (this.timers.nextUs <= nowUs) this.runDue(isFromWire(input) ? nowUs - 1 : nowUs);
    this.clockUs = nowUs;
    this.take(input, nowUs);
    return this.out;
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

  private take(input: Input, nowUs: number): void {
    if (input.type === 'arrive') this.arrive(input, nowUs);
    else if (input.type === 'stop') this.stop(nowUs);
    else if (input.type !== 'tick') {
      const request = this.requests[input.seq];
      if (request === undefined || request.phase === 'waiting') return;
      if (input.type === 'completed') this.settle(request, 'completed', nowUs);
      else this.hearRare(request, input, nowUs);
    }
  }

  private arrive(input: Arrive, nowUs: number): void {
    const { seq, keySeq, holdUs } = input;
    const of = this.classOf(input.class);
    if (this.requests[seq] !== undefined) throw twice(seq);
    const request: Request = {
      seq,
      keySeq,
      holdUs,
      of,
      phase: 'inFlight',
      attempt: 0,
      last: 'censored',
    };
    this.requests[seq] = request;
    this.open++;
    of.requests++;
    const { patience, timeoutUs } = of.rules;
    if (patience !== null) this.startPatience(request, patience, nowUs);
    if (timeoutUs !== null) this.timers.add(nowUs + timeoutUs, 'timeout', request, 0);
    this.say({ type: 'send', atUs: nowUs, seq, attempt: 0 });
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
    const us =
      patience.type === 'fixed'
        ? patience.us
        : Math.round(
            patience.meanUs * drawsAt(request.of.patience, request.keySeq, 0).exponential(),
          );
    this.timers.add(nowUs + us, 'patience', request, 0);
  }

  /** Apart from the rest: the engine builds small functions into their callers. */
  private hearRare(
    request: Request,
    input: Exclude<Input, { type: 'arrive' | 'stop' | 'tick' | 'completed' }>,
    nowUs: number,
  ): void {
    switch (input.type) {
      case 'answered':
        request.phase = 'answered';
        if (request.holdUs > 0) {
          this.timers.add(nowUs + request.holdUs, 'hold', request, request.attempt);
        }
        break;
      case 'refused':
      case 'failed':
        if (mayTryAgain(request, input)) this.waitToRetry(request, input, nowUs);
        else this.settle(request, input.as, nowUs);
    }
  }

  private waitToRetry(request: Request, input: Refused | Failed, nowUs: number): void {
    const { rules, backoff } = request.of;
    const asked = input.type === 'refused' ? (input.retryAfterUs ?? 0) : 0;
    const { keySeq, attempt } = request;
    request.of.retries++;
    request.phase = 'waiting';
    request.last = input.as;
    const delayUs = retryDelayUs(rules.retry, backoff, keySeq, attempt, asked);
    this.timers.add(nowUs + delayUs, 'retry', request, attempt);
  }

  private runDue(untilUs: number): void {
    for (;;) {
      const next = this.timers.peek();
      if (next === undefined || next.dueUs > untilUs) return;
      this.timers.pop();
      if (isLive(next)) this.fire(next);
    }
  }

  private fire(timer: Timer<Request>): void {
    const { subject: request, dueUs } = timer;
    switch (timer.kind) {
      case 'retry':
        request.attempt++;
        request.phase = 'inFlight';
        this.say({ type: 'send', atUs: dueUs, seq: request.seq, attempt: request.attempt });
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

  private stop(nowUs: number): void {
    for (const request of this.requests) {
      if (request !== undefined) this.hangUp(request, 'stop', 'censored', nowUs);
    }
  }

  /** The caller goes. Between two attempts there is nothing to end, and the last one stands. */
  private hangUp(
    request: Request,
    why: 'patience' | 'timeout' | 'hold' | 'stop',
    outcome: Outcome,
    atUs: number,
  ): void {
    const isWaiting = request.phase === 'waiting';
    if (!isWaiting) this.say({ type: 'hangUp', atUs, seq: request.seq, why });
    this.settle(request, isWaiting ? request.last : outcome, atUs);
  }

  private settle(request: Request, outcome: Outcome, atUs: number): void {
    request.phase = 'settled';
    this.requests[request.seq] = undefined;
    this.open--;
    this.say({
      type: 'settled',
      atUs,
      seq: request.seq,
      outcome,
      attempts: request.attempt + 1,
    });
  }

  /** One effect is the rule: a literal array of one is far smaller than one that is pushed to. */
  private say(effect: Effect): void {
    if (this.out === NOTHING) this.out = [effect];
    else this.out.push(effect);
  }
}

function backwards(lastUs: number, gotUs: number): Error {
  return new Error(`client: expected time from ${lastUs} us on, got ${gotUs}`);
}

function twice(seq: number): Error {
  return new Error(`client: expected a new sequence number, got ${seq} again`);
}

/** What came over the wire goes before what is due at the same instant; the rest follows it. */
function isFromWire({ type }: Input): boolean {
  return type !== 'arrive' && type !== 'stop' && type !== 'tick';
}

/** Whether a timer still has a purpose. */
function isLive({ kind, subject, attempt }: Timer<Request>): boolean {
  switch (kind) {
    case 'retry':
      return subject.phase === 'waiting' && subject.attempt === attempt;
    case 'hold':
      return subject.phase === 'answered' && subject.attempt === attempt;
    case 'patience':
      return subject.phase === 'inFlight' || subject.phase === 'waiting';
    case 'timeout':
      return subject.phase !== 'settled';
  }
}

/** A kill is the gate's decision, so it falls under the rule for refusals. */
function mayTryAgain({ of, attempt }: Request, input: Refused | Failed): boolean {
  const { retry } = of.rules;
  const isDecision = input.type === 'refused' || input.as === 'killed';
  const wants = isDecision ? retry.onRefusal : retry.onFailure;
  if (!wants || input.mayRetry === false || attempt >= retry.max) return false;
  return retry.budget === null || of.retries + 1 <= retry.budget * of.requests;
}
