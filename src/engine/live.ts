/**
 * The live engine: plays a schedule over HTTP against a gate or an endpoint. What the callers do is
 * decided by the same client machine as in the simulator; this file gives it a clock and a wire,
 * and writes down everything it hears and says.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Arrival, Schedule } from '../arrivals/schedule.ts';
import { createClient } from '../client/client.ts';
import type { Client, Input as ClientInput, Effect } from '../client/types.ts';
import type { ClientLine } from '../ledger/lines.ts';
import { clientConfig } from '../scenario/machines.ts';
import type { Scenario } from '../scenario/types.ts';
import { sFromUs, usFromS } from '../units.ts';
import type { Ending } from './live/answer.ts';
import { Attempt } from './live/attempt.ts';
import { createBreaker, type Limits } from './live/breaker.ts';
import type { RunClock } from './live/clock.ts';
import { createLateness } from './live/lateness.ts';
import { type Pacer, startPacer } from './live/pacer.ts';
import { attemptRequest, type RequestOptions } from './live/request.ts';
import type { Wire } from './live/wire.ts';

/** The delay of the event loop is measured with a timer of this grain, which is taken off again. */
const LOOP_RESOLUTION_MS = 5;

/** How a run stands, for whoever watches it. */
export interface LiveProgress {
  readonly nowS: number;
  readonly durationS: number;
  readonly sent: number;
  readonly inFlight: number;
  readonly completed: number;
  readonly turnedAway: number;
  readonly failed: number;
  readonly latenessP99Ms: number | null;
}

export interface LiveOptions {
  readonly scenario: Scenario;
  readonly schedule: Schedule;
  readonly wire: Wire;
  readonly request: RequestOptions;
  /** A gate of ours answers: its headers say what it decided. */
  readonly gated: boolean;
  readonly clock: RunClock;
  /** Everything that the client machine hears and says, and what the wire did. */
  readonly record: (line: ClientLine) => void;
  /** After the last arrival, in seconds; null: until nothing is left. */
  readonly drainS: number | null;
  readonly limits: Limits;
  /** Aborted: what was measured by then stands. */
  readonly signal?: AbortSignal;
}

/** How a live run ended. */
export interface LiveEnd {
  readonly endUs: number;
  /** Cut short: by a signal, a limit, or the breaker. */
  readonly interrupted: boolean;
  /** Why, in a line; null where it came to its end. */
  readonly why: string | null;
}

export interface LiveRun {
  readonly done: Promise<LiveEnd>;
  progress(): LiveProgress;
}

/** Starts to play; instants are those of `clock`, whose zero should lie a little ahead. */
export function startLive(options: LiveOptions): LiveRun {
  const player = new Player(options);
  return { done: player.done, progress: () => player.progress() };
}

interface InFlight {
  readonly arrival: Arrival;
  attempt: Attempt | undefined;
}

class Player {
  readonly done: Promise<LiveEnd>;
  private finish: (end: LiveEnd) => void = () => {};
  private readonly client: Client;
  private readonly flights = new Map<number, InFlight>();
  private readonly pacer: Pacer | undefined;
  private readonly lateness = createLateness();
  private readonly breaker;
  private readonly stopUs: number;
  private nextArrival = 0;
  private counts = { sent: 0, completed: 0, turnedAway: 0, failed: 0 };
  private over = false;
  private closed = false;
  /** Why arrivals were cut off before their time. */
  private closedBy: string | null = null;
  private readonly loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });

  constructor(private readonly options: LiveOptions) {
    const { scenario, clock, drainS, limits, signal } = options;
    this.done = new Promise((resolve) => {
      this.finish = resolve;
    });
    this.client = createClient(clientConfig(scenario));
    this.breaker = createBreaker(limits);
    this.stopUs = drainS === null ? Number.POSITIVE_INFINITY : usFromS(scenario.durationS + drainS);
    signal?.addEventListener('abort', () => this.stop('interrupted'), { once: true });
    this.loopDelay.enable();
    this.pacer = startPacer(clock, {
      nextDueUs: () => this.nextDueUs(),
      run: (nowUs) => this.runDue(nowUs),
    });
    if (signal?.aborted === true) this.stop('interrupted');
    else this.settleEnd();
  }

  /** A run that is stopped before its first instant ends at it. */
  private nowUs(): number {
    return Math.max(0, this.options.clock.nowUs());
  }

  private nextDueUs(): number | undefined {
    if (this.over) return undefined;
    const arrivalUs =
      this.options.schedule.arrivals[this.nextArrival]?.atUs ?? Number.POSITIVE_INFINITY;
    const dueUs = Math.min(arrivalUs, this.client.nextWakeUs(), this.stopUs);
    return dueUs === Number.POSITIVE_INFINITY ? undefined : dueUs;
  }

  private runDue(nowUs: number): void {
    const { arrivals } = this.options.schedule;
    for (;;) {
      const arrival = arrivals[this.nextArrival];
      if (arrival === undefined || arrival.atUs > nowUs || this.over) break;
      this.nextArrival++;
      this.arrive(arrival);
    }
    if (this.client.nextWakeUs() <= nowUs) this.hear({ type: 'tick' });
    if (nowUs >= this.stopUs) this.stop(null);
    else this.settleEnd();
  }

  private arrive(arrival: Arrival): void {
    if (this.client.open >= this.options.scenario.maxInFlight) return;
    const { seq, class: name, keySeq, demand } = arrival;
    this.flights.set(seq, { arrival, attempt: undefined });
    this.hear({ type: 'arrive', seq, class: name, keySeq, holdUs: demand.holdUs });
  }

  /** The one way into the machine: what it hears and says is on record. */
  private hear(input: ClientInput): void {
    const t = this.nowUs();
    const effects = this.client.apply(input, t);
    this.record({ t, in: input });
    for (const effect of effects) this.record({ t, out: effect });
    for (const effect of effects) this.act(effect);
  }

  /** What comes over the wire after the end is no part of the run. */
  private record(line: ClientLine): void {
    if (!this.closed) this.options.record(line);
  }

  private act(effect: Effect): void {
    const flight = this.flights.get(effect.seq);
    if (flight === undefined) return;
    switch (effect.type) {
      case 'send':
        this.send(flight, effect.attempt);
        break;
      case 'hangUp':
        flight.attempt?.hangUp();
        break;
      case 'settled':
        this.flights.delete(effect.seq);
        this.count(effect.outcome);
    }
  }

  private send(flight: InFlight, attempt: number): void {
    const { scenario, request, gated, wire } = this.options;
    const { arrival } = flight;
    const spec = scenario.classes[arrival.class];
    if (spec === undefined) throw new Error(`expected a known class, got ${arrival.class}`);
    this.counts.sent++;
    const { seq } = arrival;
    flight.attempt = new Attempt(
      wire,
      {
        ...{ seq, attempt, gated, holds: arrival.demand.holdUs > 0 },
        request: attemptRequest(arrival, attempt, spec, request),
      },
      {
        wire: (fact) => {
          const t = this.nowUs();
          if (fact.event === 'sent' && attempt === 0) this.lateness.add(t - arrival.atUs);
          if (fact.event === 'end')
            this.breaker.tokens((fact.inTokens ?? 0) + (fact.outTokens ?? 0));
          this.record({ t, wire: fact });
        },
        answered: () => this.hearWire({ type: 'answered', seq }),
        ended: (ending) => this.ended(seq, ending),
      },
    );
    flight.attempt.send();
    const why = this.breaker.sent();
    if (why !== null) this.closeDoor(why);
  }

  private ended(seq: number, ending: Ending): void {
    this.hearWire(inputOf(seq, ending, this.options.clock.timeScale));
    const why = this.breaker.ended(ending);
    if (why !== null) this.stop(why);
  }

  private hearWire(input: ClientInput): void {
    if (this.over) return;
    this.hear(input);
    this.settleEnd();
    this.pacer?.wake();
  }

  private count(outcome: Extract<Effect, { type: 'settled' }>['outcome']): void {
    if (outcome === 'completed') this.counts.completed++;
    else if (outcome === 'rejected' || outcome === 'expired') this.counts.turnedAway++;
    else if (outcome !== 'censored') this.counts.failed++;
  }

  /** Nobody comes any more; what is in flight may end. */
  private closeDoor(why: string): void {
    this.closedBy ??= why;
    this.nextArrival = this.options.schedule.arrivals.length;
  }

  private settleEnd(): void {
    const isWhole = this.nextArrival >= this.options.schedule.arrivals.length;
    if (isWhole && this.client.open === 0) this.end(this.closedBy);
  }

  /** @param why null: the drain is over, which is how a run may end */
  private stop(why: string | null): void {
    if (this.over) return;
    this.hear({ type: 'stop' });
    this.end(why);
  }

  private end(why: string | null): void {
    if (this.over) return;
    this.over = true;
    this.pacer?.stop();
    this.loopDelay.disable();
    const endUs = this.nowUs();
    const interrupted = why !== null;
    const delayMs = this.loopDelay.percentile(99) / 1e6 - LOOP_RESOLUTION_MS;
    const eventLoopP99Ms = Math.max(0, delayMs);
    this.record({ t: endUs, end: { interrupted, eventLoopP99Ms } });
    this.closed = true;
    this.finish({ endUs, interrupted, why });
  }

  progress(): LiveProgress {
    return {
      ...this.counts,
      nowS: sFromUs(this.nowUs()),
      durationS: this.options.scenario.durationS,
      inFlight: this.client.open,
      latenessP99Ms: this.lateness.p99Ms(),
    };
  }
}

/** What the machine hears of an ending. */
function inputOf(seq: number, ending: Ending, timeScale: number): ClientInput {
  switch (ending.as) {
    case 'completed':
      return { type: 'completed', seq };
    case 'rejected':
    case 'expired': {
      const { as, mayRetry, retryAfterUs } = ending;
      // Servers speak wall time.
      const asked =
        retryAfterUs === undefined ? {} : { retryAfterUs: Math.ceil(retryAfterUs / timeScale) };
      return { type: 'refused', seq, as, mayRetry, ...asked };
    }
    default:
      return { type: 'failed', seq, as: ending.as, mayRetry: ending.mayRetry };
  }
}
