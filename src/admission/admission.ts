import type { GateDriver } from './driver.ts';
import { leaseView } from './leases.ts';
import { GateMachine } from './machine.ts';
import type { Ticket } from './ticket.ts';
import type {
  Admission,
  AdmissionConfig,
  ArriveInput,
  Effect,
  GateRequest,
  Input,
  KillCode,
  LeaseView,
  Refusal,
  View,
} from './types.ts';

type InputOf<T extends Input['type']> = Extract<Input, { type: T }>;

/** What most steps say. Shared, and frozen so that nobody adds to it. */
const NOTHING = Object.freeze([]) as unknown as Effect[];

/**
 * The admission machine by its one door (DESIGN.md §1): inputs and effects are plain data, and
 * requests go by the number that the driver gave them. The same inputs give the same effects.
 *
 * `apply` throws when time goes back, when an id arrives twice, and on a `release`, `progress` or
 * `preempted` of an id that is not leased (a second release is one). It does not where the gate
 * ended that lease in the same call, which the driver could not know. A `cancel` or `kill` of
 * something that has gone is nothing.
 */
export function createAdmission(config: AdmissionConfig): Admission {
  return new DataDoor(config);
}

/** Drives the machine by what comes as data, and writes down what it tells. */
class DataDoor implements Admission, GateDriver {
  private readonly machine: GateMachine;
  private readonly inside = new Map<number, Ticket>();
  private effects: Effect[] = NOTHING;
  private saidDrained = false;

  constructor(config: AdmissionConfig) {
    this.machine = new GateMachine(config, this);
  }

  get view(): View {
    return this.machine.view;
  }

  leases(): LeaseView[] {
    return this.machine.leases().map((ticket) => leaseView(idOf(ticket.request), ticket));
  }

  nextWakeUs(): number {
    return this.machine.nextWakeUs();
  }

  apply(input: Input, nowUs: number): Effect[] {
    this.effects = NOTHING;
    this.machine.advance(nowUs, !endsWork(input));
    this.take(input, nowUs);
    this.sayDrained(nowUs);
    return this.effects;
  }

  private take(input: Input, nowUs: number): void {
    switch (input.type) {
      case 'arrive':
        if (this.inside.has(input.id)) throw twice(input);
        this.machine.arrive(input, nowUs);
        break;
      case 'release':
        this.release(input, nowUs);
        break;
      case 'cancel':
        this.cancel(input, nowUs);
        break;
      case 'progress':
        this.progress(input, nowUs);
        break;
      case 'preempted':
        this.preempted(input, nowUs);
        break;
      case 'kill':
        this.kill(input, nowUs);
        break;
      case 'configure':
        this.machine.configure(input.policy, nowUs);
        break;
      case 'drain':
        this.machine.configure({ mode: 'drain' }, nowUs);
        break;
      case 'tick':
    }
  }

  private release({ id, outcome }: InputOf<'release'>, nowUs: number): void {
    const ticket = this.leaseOf(id);
    if (ticket === undefined) return;
    this.inside.delete(id);
    this.machine.release(ticket, outcome, nowUs);
  }

  private cancel({ id }: InputOf<'cancel'>, nowUs: number): void {
    const ticket = this.inside.get(id);
    if (ticket === undefined) return;
    this.inside.delete(id);
    this.machine.cancel(ticket, nowUs);
  }

  private progress({ id, tokens }: InputOf<'progress'>, nowUs: number): void {
    const ticket = this.leaseOf(id);
    if (ticket !== undefined) this.machine.progress(ticket, tokens, nowUs);
  }

  private preempted(input: InputOf<'preempted'>, nowUs: number): void {
    const ticket = this.leaseOf(input.id);
    if (ticket !== undefined) this.machine.preempted(ticket, input, nowUs);
  }

  private kill({ id }: InputOf<'kill'>, nowUs: number): void {
    const ticket = this.inside.get(id);
    if (ticket?.leased) this.machine.kill(ticket, nowUs);
  }

  /** The lease of an id; undefined where this very call has ended it. */
  private leaseOf(id: number): Ticket | undefined {
    const ticket = this.inside.get(id);
    if (ticket?.leased) return ticket;
    if (this.effects.some((effect) => effect.type === 'killed' && effect.id === id)) return;
    throw new RangeError(`admission: expected the id of a lease, got ${id}`);
  }

  private sayDrained(atUs: number): void {
    const { isDrained } = this.machine;
    if (isDrained && !this.saidDrained) this.say({ type: 'drained', atUs });
    this.saidDrained = isDrained;
  }

  // ── What the machine tells ────────────────────────────────────────────────────────────────

  granted(ticket: Ticket, shadow: Refusal | undefined, atUs: number): void {
    const id = this.keep(ticket);
    const waitUs = atUs - ticket.arrivedUs;
    const effect = { type: 'granted', atUs, id, waitUs } as const;
    this.say(shadow === undefined ? effect : { ...effect, shadow });
  }

  queued(ticket: Ticket, shadow: Refusal | undefined, atUs: number): void {
    const effect = { type: 'queued', atUs, id: this.keep(ticket) } as const;
    this.say(shadow === undefined ? effect : { ...effect, shadow });
  }

  rejected(
    request: GateRequest,
    { code, reason }: Refusal,
    queueAgeUs: number,
    retryAfterUs: number,
    atUs: number,
  ): void {
    const id = idOf(request);
    this.say({ type: 'rejected', atUs, id, code, reason, queueAgeUs, retryAfterUs });
  }

  expired(
    ticket: Ticket,
    { code, reason }: Refusal,
    queueAgeUs: number,
    retryAfterUs: number,
    atUs: number,
  ): void {
    const id = this.forget(ticket);
    const waitUs = atUs - ticket.arrivedUs;
    this.say({ type: 'expired', atUs, id, code, reason, waitUs, queueAgeUs, retryAfterUs });
  }

  killed(ticket: Ticket, code: KillCode, reason: string, atUs: number): void {
    const id = this.forget(ticket);
    this.say({ type: 'killed', atUs, id, code, reason, heldUs: atUs - ticket.sinceUs });
  }

  replay(ticket: Ticket, resumeTokens: number, atUs: number): void {
    const { preempts, restartTokens } = ticket;
    const id = idOf(ticket.request);
    this.say({ type: 'replay', atUs, id, preempts, restartTokens, resumeTokens });
  }

  failed(ticket: Ticket, { code, reason }: Refusal, atUs: number): void {
    const { preempts, restartTokens } = ticket;
    const id = this.forget(ticket);
    this.say({ type: 'failed', atUs, id, code, reason, preempts, restartTokens });
  }

  private keep(ticket: Ticket): number {
    const id = idOf(ticket.request);
    this.inside.set(id, ticket);
    return id;
  }

  private forget(ticket: Ticket): number {
    const id = idOf(ticket.request);
    this.inside.delete(id);
    return id;
  }

  private say(effect: Effect): void {
    if (this.effects === NOTHING) this.effects = [effect];
    else this.effects.push(effect);
  }
}

function endsWork({ type }: Input): boolean {
  return type === 'release' || type === 'cancel' || type === 'kill';
}

/** The machine hands back what it was given, and this door gives it inputs alone. */
function idOf(request: GateRequest): number {
  return (request as ArriveInput).id;
}

function twice({ id }: ArriveInput): RangeError {
  return new RangeError(`admission: expected a new id, got ${id} again`);
}
