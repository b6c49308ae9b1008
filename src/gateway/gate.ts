/**
 * Drives the admission machine in real time: stamps its inputs, keeps its one timer, hands each
 * effect to the request it is about, and lets no decision out before it is on record.
 */
import type { Admission, ArriveInput, Effect, Input, Policy } from '../admission/types.ts';
import type { Clock } from './clock.ts';

/** An effect about one request. */
export type TicketEffect = Exclude<Effect, { type: 'drained' }>;

/** Called with each input and what it caused, before anyone acts on it. Throws when it cannot record. */
export type RecordStep = (input: Input, atUs: number, effects: readonly Effect[]) => void;

/** Where a request stands with the machine. */
type Standing = 'queued' | 'leased';

interface Ticket {
  standing: Standing;
  readonly arrival: ArriveInput;
  readonly onEffect: (effect: TicketEffect) => void;
  readonly onFault: (fault: Error) => void;
}

/** Longest delay that a timer takes. */
const TIMER_LIMIT_MS = 2 ** 31 - 1;

export class Gate {
  private readonly tickets = new Map<number, Ticket>();
  private readonly pending: { ticket: Ticket; effect: TicketEffect }[] = [];
  private readonly drainWaiters: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private timerUs = Number.POSITIVE_INFINITY;
  private nextId = 1;
  private dispatching = false;
  /** Why nothing more is admitted: the record cannot be kept. */
  fault: Error | undefined;
  draining = false;

  constructor(
    readonly admission: Admission,
    readonly clock: Clock,
    private readonly record: RecordStep,
  ) {}

  /** Asks for a slot. Effects may come before this returns. */
  arrive(
    request: Omit<ArriveInput, 'type' | 'id'>,
    onEffect: Ticket['onEffect'],
    onFault: Ticket['onFault'],
  ): number {
    const arrival: ArriveInput = { type: 'arrive', id: this.nextId++, ...request };
    if (this.fault !== undefined) {
      onFault(this.fault);
      return arrival.id;
    }
    this.tickets.set(arrival.id, { standing: 'queued', arrival, onEffect, onFault });
    this.apply(arrival);
    return arrival.id;
  }

  /** Gives a slot back; false where it is not leased any more. */
  release(id: number, outcome: 'completed' | 'failed'): boolean {
    return this.end(id, { type: 'release', id, outcome }, ['leased']);
  }

  /** The client has gone, queued or leased. */
  cancel(id: number): boolean {
    return this.end(id, { type: 'cancel', id }, ['queued', 'leased']);
  }

  private end(id: number, input: Input, from: readonly Standing[]): boolean {
    this.flushDue();
    const ticket = this.tickets.get(id);
    if (ticket === undefined || !from.includes(ticket.standing)) return false;
    this.tickets.delete(id);
    this.apply(input);
    return true;
  }

  progress(id: number, tokens: number): void {
    this.whileLeased(id, { type: 'progress', id, tokens });
  }

  preempted(input: Extract<Input, { type: 'preempted' }>): boolean {
    return this.whileLeased(input.id, input);
  }

  kill(id: number): boolean {
    return this.whileLeased(id, { type: 'kill', id });
  }

  private whileLeased(id: number, input: Input): boolean {
    this.flushDue();
    if (this.tickets.get(id)?.standing !== 'leased') return false;
    this.apply(input);
    return true;
  }

  configure(policy: Partial<Policy>): void {
    this.apply({ type: 'configure', policy });
  }

  /** Refuses new work from now on; resolves when nothing is left. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.drainWaiters.push(resolve);
      this.draining = true;
      this.apply({ type: 'drain' });
      this.settleDrain();
    });
  }

  private settleDrain(): void {
    if (!this.draining || this.tickets.size > 0) return;
    for (const resolve of this.drainWaiters.splice(0)) resolve();
  }

  /** Stops the timer. */
  close(): void {
    clearTimeout(this.timer);
    this.timerUs = Number.POSITIVE_INFINITY;
  }

  /** What was due before now comes first, so that a caller acts on what is still true. */
  private flushDue(): void {
    if (this.admission.nextWakeUs() < this.clock.nowUs()) this.apply({ type: 'tick' });
  }

  private apply(input: Input): void {
    const nowUs = this.clock.nowUs();
    const effects = this.admission.apply(input, nowUs);
    this.keep(input, nowUs, effects);
    for (const effect of effects) this.note(effect);
    this.arm();
    this.dispatch();
  }

  private keep(input: Input, nowUs: number, effects: readonly Effect[]): void {
    if (this.fault !== undefined) return;
    try {
      this.record(input, nowUs, effects);
    } catch (error) {
      this.fault = error as Error;
      for (const id of [...this.tickets.keys()]) this.giveUp(id, error as Error);
    }
  }

  /** A decision that is not on record is not acknowledged: it is taken back. */
  private giveUp(id: number, fault: Error): void {
    const ticket = this.tickets.get(id);
    if (ticket?.standing !== 'queued') return;
    this.tickets.delete(id);
    queueMicrotask(() => {
      this.admission.apply({ type: 'cancel', id }, this.clock.nowUs());
      ticket.onFault(fault);
    });
  }

  /** Where each request stands is known at once; acting on it waits its turn. */
  private note(effect: Effect): void {
    if (effect.type === 'drained') return;
    const ticket = this.tickets.get(effect.id);
    if (ticket === undefined) return;
    if (effect.type === 'granted') ticket.standing = 'leased';
    else if (effect.type !== 'queued' && effect.type !== 'replay') this.tickets.delete(effect.id);
    this.pending.push({ ticket, effect });
  }

  private dispatch(): void {
    if (this.dispatching) return;
    this.dispatching = true;
    try {
      for (let next = this.pending.shift(); next !== undefined; next = this.pending.shift()) {
        next.ticket.onEffect(next.effect);
      }
    } finally {
      this.dispatching = false;
    }
    this.settleDrain();
  }

  private arm(): void {
    const dueUs = this.admission.nextWakeUs();
    if (dueUs >= this.timerUs) return;
    clearTimeout(this.timer);
    this.timerUs = dueUs;
    const wallMs = Math.ceil(this.clock.wallMs(dueUs - this.clock.nowUs()));
    this.timer = setTimeout(() => this.wake(), Math.min(Math.max(wallMs, 1), TIMER_LIMIT_MS));
  }

  private wake(): void {
    this.timerUs = Number.POSITIVE_INFINITY;
    if (this.admission.nextWakeUs() <= this.clock.nowUs()) this.apply({ type: 'tick' });
    else this.arm();
  }
}
