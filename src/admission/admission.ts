import { IdMap } from '../id-map.ts';
import { laterUs, sFromUs } from '../units.ts';
import { type Door, doorOf, firstRefusal } from './door.ts';
import { type Due, nextDue, nextDueUs } from './due.ts';
import { leaseView } from './leases.ts';
import { Pool } from './pool.ts';
import { dispatchRefusal, restartRefusal, slackZero, wastedTokens } from './restart.ts';
import { jitteredUs, retryAfterKey } from './retry-after.ts';
import { slackClosed } from './rules/deadline-slack.ts';
import { type ClassState, deadlineOf, type Ticket, ticketOf } from './ticket.ts';
import {
  type Admission,
  type AdmissionConfig,
  type ArriveInput,
  type Effect,
  type Input,
  type KillCode,
  type LeaseView,
  type Policy,
  queueAgeUs,
  type Refusal,
  type View,
} from './types.ts';

type InputOf<T extends Input['type']> = Extract<Input, { type: T }>;

/** What most steps say. Shared, and frozen so that nobody adds to it. */
const NOTHING = Object.freeze([]) as unknown as Effect[];

/**
 * The admission machine (DESIGN.md §4): who gets a slot, who waits, who is turned away, and why.
 *
 *     arrive ──► door ──► granted ──────────────────► lease ──► release, cancel
 *                 │  └──► queued ──► granted ───────►   │  └──► killed
 *                 ▼         │  └───► cancel             ▼
 *              rejected     └──────► expired         preempted ──► replay (keeps its lease), failed
 *
 * It reads no clock and draws nothing but the jitter of Retry-After, which is keyed: the same inputs
 * give the same effects. At one instant the order is: ends of work (`release`, `cancel`, `kill`),
 * limits on leases, limits on waits, then every other input in the order given.
 *
 * `apply` throws when time goes back, when an id arrives twice, and on a `release`, `progress` or
 * `preempted` of an id that is not leased (a second release is one). It does not where the gate
 * ended that lease in the same call, which the driver could not know. A `cancel` or `kill` of
 * something that has gone is nothing.
 */
export function createAdmission(config: AdmissionConfig): Admission {
  return new Machine(config);
}

class Machine implements Admission {
  private readonly pool: Pool;
  private readonly inside = new IdMap<Ticket>();
  private readonly jitter;
  private door: Door;
  private effects: Effect[] = NOTHING;
  private lastUs = 0;
  /** When the next limit is reached, as things stood after the last input; Infinity: none is set. */
  private dueUs = Infinity;
  private arrivals = 0;
  private hostPreempts = 0;
  private saidDrained = false;
  /** Since when batch work has waited without any completing, or since the last kill for it. */
  private stalledSinceUs = 0;

  constructor(config: AdmissionConfig) {
    this.pool = new Pool(config);
    this.door = doorOf(config.policy);
    this.jitter = retryAfterKey(config.seed);
  }

  get view(): View {
    return this.pool;
  }

  leases(): LeaseView[] {
    return this.pool.leases.all().map(leaseView);
  }

  nextWakeUs(): number {
    return this.dueUs;
  }

  apply(input: Input, nowUs: number): Effect[] {
    if (!(nowUs >= this.lastUs)) throw backwards(this.lastUs, nowUs);
    this.effects = NOTHING;
    if (this.dueUs <= nowUs) this.runDue(nowUs, !endsWork(input));
    this.lastUs = nowUs;
    this.watchSlack(nowUs);
    this.handle(input, nowUs);
    this.watchSlack(nowUs);
    if (this.door.drains) this.sayDrained(nowUs);
    this.dueUs = laterUs(nextDueUs(this.pool, this.door), nowUs);
    return this.effects;
  }

  /** What is rare has a place of its own: the engine builds small functions into their callers. */
  private handle(input: Input, nowUs: number): void {
    if (input.type === 'arrive') this.arrive(input, nowUs);
    else if (input.type === 'release') this.release(input, nowUs);
    else this.handleRare(input, nowUs);
  }

  private handleRare(input: Exclude<Input, { type: 'arrive' | 'release' }>, nowUs: number): void {
    switch (input.type) {
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
        this.operatorKill(input, nowUs);
        break;
      case 'configure':
        this.configure(input.policy, nowUs);
        break;
      case 'drain':
        this.configure({ mode: 'drain' }, nowUs);
        break;
      case 'tick':
        break;
    }
  }

  // ── The door ──────────────────────────────────────────────────────────────────────────────

  private arrive(request: ArriveInput, nowUs: number): void {
    const { door, pool } = this;
    const of = pool.classOf(request.class);
    let refusal = door.stop;
    if (refusal === undefined && !door.bypass) {
      refusal = firstRefusal(door, pool, request, of.rules, nowUs);
    }
    if (refusal === undefined || (door.shadow && door.stop === undefined)) {
      this.admit(request, of, refusal, nowUs);
    } else this.reject(request, refusal, nowUs);
  }

  /** @param shadow what would have refused it, where the gate only watches */
  private admit(
    request: ArriveInput,
    of: ClassState,
    shadow: Refusal | undefined,
    nowUs: number,
  ): void {
    const ticket = ticketOf(request, of, nowUs, this.arrivals++, shadow !== undefined);
    if (!this.inside.add(ticket)) throw twice(request);
    if (this.pool.leases.count < this.pool.policy.slots) this.grant(ticket, shadow, nowUs);
    else this.enqueue(ticket, shadow, nowUs);
  }

  private reject(request: ArriveInput, { code, reason }: Refusal, atUs: number): void {
    if (this.inside.get(request.id) !== undefined) throw twice(request);
    const ageUs = queueAgeUs(this.pool, atUs);
    const retryAfterUs = this.retryAfterUs(request);
    const { id } = request;
    this.emit({ type: 'rejected', atUs, id, code, reason, queueAgeUs: ageUs, retryAfterUs });
  }

  // ── The queue ─────────────────────────────────────────────────────────────────────────────

  private enqueue(ticket: Ticket, shadow: Refusal | undefined, atUs: number): void {
    if (!ticket.of.isInteractive && this.pool.queue.batchSize === 0) this.stalledSinceUs = atUs;
    this.pool.queue.push(ticket);
    const { id } = ticket.request;
    const effect = { type: 'queued', atUs, id } as const;
    this.emit(shadow === undefined ? effect : { ...effect, shadow });
  }

  /** Free slots go to those who wait, as far as they go. */
  private dispatch(nowUs: number): void {
    const { queue, leases, policy } = this.pool;
    while (queue.size > 0 && leases.count < policy.slots) {
      const ticket = queue.next(leases.interactive.size < this.door.interactiveCap);
      if (ticket === undefined) return;
      const refusal = this.refusalAtDispatch(ticket, nowUs);
      if (refusal !== undefined && this.door.enforced) {
        this.expire(ticket, refusal, nowUs);
      } else {
        queue.remove(ticket);
        this.grant(ticket, refusal, nowUs);
      }
    }
  }

  /** In shadow this includes the end of the wait, which nothing else notices there. */
  private refusalAtDispatch(ticket: Ticket, nowUs: number): Refusal | undefined {
    const { door } = this;
    const { policy } = this.pool;
    if (door.bypass) return undefined;
    if (door.shadow) {
      if (ticket.shadowed) return undefined;
      const waitUs = nowUs - ticket.arrivedUs;
      if (policy.maxWaitUs !== null && waitUs > policy.maxWaitUs) return maxWait(policy.maxWaitUs);
    }
    return dispatchRefusal(ticket, policy, nowUs);
  }

  private expire(ticket: Ticket, { code, reason }: Refusal, atUs: number): void {
    const ageUs = queueAgeUs(this.pool, atUs);
    const waitUs = atUs - ticket.arrivedUs;
    const retryAfterUs = this.retryAfterUs(ticket.request);
    const { id } = ticket.request;
    this.pool.queue.remove(ticket);
    this.inside.delete(id);
    this.emit({ type: 'expired', atUs, id, code, reason, waitUs, queueAgeUs: ageUs, retryAfterUs });
  }

  // ── The leases ────────────────────────────────────────────────────────────────────────────

  private grant(ticket: Ticket, shadow: Refusal | undefined, atUs: number): void {
    this.pool.leases.grant(ticket, atUs);
    const { id } = ticket.request;
    const waitUs = atUs - ticket.arrivedUs;
    const effect = { type: 'granted', atUs, id, waitUs } as const;
    this.emit(shadow === undefined ? effect : { ...effect, shadow });
  }

  private release({ id, outcome }: InputOf<'release'>, nowUs: number): void {
    const ticket = this.leaseOf(id);
    if (ticket === undefined) return;
    if (outcome === 'completed') {
      ticket.of.expected.record(nowUs - ticket.sinceUs);
      if (!ticket.of.isInteractive) this.stalledSinceUs = nowUs;
    }
    this.endLease(ticket);
    this.dispatch(nowUs);
  }

  private cancel({ id }: InputOf<'cancel'>, nowUs: number): void {
    const ticket = this.inside.get(id);
    if (ticket === undefined) return;
    if (ticket.leased) {
      this.endLease(ticket);
    } else {
      this.pool.queue.remove(ticket);
      this.inside.delete(id);
    }
    this.dispatch(nowUs);
  }

  /** Runbook 000: "tokens grow with no batch progress: kill the lease". */
  private progress({ id, tokens }: InputOf<'progress'>, nowUs: number): void {
    const ticket = this.leaseOf(id);
    if (ticket === undefined) return;
    const grew = tokens > ticket.tokens;
    ticket.tokens = tokens;
    const windowUs = this.pool.policy.killWindowUs;
    if (!grew || windowUs === null || !this.door.enforced) return;
    if (!ticket.of.isInteractive || this.pool.queue.batchSize === 0) return;
    if (nowUs - this.stalledSinceUs < windowUs) return;
    // The slot that comes free gets a window of its own to show progress, before the next kill.
    this.stalledSinceUs = nowUs;
    this.kill(ticket, 'no_progress', `no batch progress for ${sFromUs(windowUs)} s`, nowUs);
  }

  private operatorKill({ id }: InputOf<'kill'>, nowUs: number): void {
    const ticket = this.inside.get(id);
    if (ticket?.leased) this.kill(ticket, 'operator', 'killed by the operator', nowUs);
  }

  private kill(ticket: Ticket, code: KillCode, reason: string, atUs: number): void {
    const { id } = ticket.request;
    this.endLease(ticket);
    this.emit({ type: 'killed', atUs, id, code, reason, heldUs: atUs - ticket.sinceUs });
    this.dispatch(atUs);
  }

  private endLease(ticket: Ticket): void {
    this.pool.leases.end(ticket);
    this.inside.delete(ticket.request.id);
  }

  /** The lease of an id; undefined where this very call has ended it. */
  private leaseOf(id: number): Ticket | undefined {
    const ticket = this.inside.get(id);
    if (ticket?.leased !== true) this.expectKilled(id);
    return ticket;
  }

  private expectKilled(id: number): void {
    if (this.effects.some((effect) => effect.type === 'killed' && effect.id === id)) return;
    throw new RangeError(`admission: expected the id of a lease, got ${id}`);
  }

  // ── Preempts ──────────────────────────────────────────────────────────────────────────────

  private preempted(input: InputOf<'preempted'>, nowUs: number): void {
    const ticket = this.leaseOf(input.id);
    if (ticket === undefined) return;
    const { promptTokens, outputTokens, checkpointTokens } = input;
    ticket.restartTokens += wastedTokens(promptTokens, outputTokens, checkpointTokens);
    ticket.tokens = checkpointTokens;
    ticket.preempts++;
    this.countHostPreempt();
    const refusal = this.refusalToRestart(ticket, nowUs);
    if (refusal === undefined) this.replay(ticket, checkpointTokens, nowUs);
    else this.fail(ticket, refusal, nowUs);
  }

  private replay(ticket: Ticket, resumeTokens: number, atUs: number): void {
    const { preempts, restartTokens } = ticket;
    const { id } = ticket.request;
    this.emit({ type: 'replay', atUs, id, preempts, restartTokens, resumeTokens });
  }

  /** "Abandon free-server mode after two recorded preempts" (runbook 001). */
  private countHostPreempt(): void {
    const { maxPreempts, stopAfterPreempts, mode } = this.pool.policy;
    this.hostPreempts++;
    if (!stopAfterPreempts || maxPreempts === null || this.hostPreempts < maxPreempts) return;
    if (mode !== 'drain') this.setPolicy({ mode: 'reject_preempt_budget' });
  }

  /** A draining gate still finishes what it has; any other stop ends replays too. */
  private refusalToRestart(ticket: Ticket, nowUs: number): Refusal | undefined {
    const { stop, enforced } = this.door;
    if (stop !== undefined && stop.code !== 'draining') return stop;
    return restartRefusal(ticket, this.pool.policy, enforced, nowUs);
  }

  private fail(ticket: Ticket, { code, reason }: Refusal, atUs: number): void {
    const { preempts, restartTokens } = ticket;
    const { id } = ticket.request;
    this.endLease(ticket);
    this.emit({ type: 'failed', atUs, id, code, reason, preempts, restartTokens });
    this.dispatch(atUs);
  }

  // ── The policy ────────────────────────────────────────────────────────────────────────────

  private configure(patch: Partial<Policy>, nowUs: number): void {
    if (patch.mode !== undefined) this.hostPreempts = 0;
    this.setPolicy(patch);
    if (this.pool.policy.upstreamDown) this.expireAll(nowUs);
    this.runDue(nowUs, true);
    this.dispatch(nowUs);
  }

  private setPolicy(patch: Partial<Policy>): void {
    this.pool.policy = { ...this.pool.policy, ...patch };
    this.door = doorOf(this.pool.policy);
    if (this.pool.policy.mode !== 'drain') this.saidDrained = false;
    if (!this.door.watchesSlack) this.pool.slackClosed = false;
  }

  private expireAll(nowUs: number): void {
    const { queue } = this.pool;
    const refusal = this.door.stop;
    while (refusal !== undefined && queue.oldest !== undefined) {
      this.expire(queue.oldest, refusal, nowUs);
    }
  }

  private watchSlack(nowUs: number): void {
    if (this.door.watchesSlack) this.pool.slackClosed = slackClosed(this.pool, nowUs);
  }

  private sayDrained(atUs: number): void {
    if (this.saidDrained || this.inside.size > 0) return;
    this.saidDrained = true;
    this.emit({ type: 'drained', atUs });
  }

  // ── What is due ───────────────────────────────────────────────────────────────────────────

  /** Runs what is due before `untilUs` (`inclusive`: and then), each at its own time. */
  private runDue(untilUs: number, inclusive: boolean): void {
    for (;;) {
      const dueUs = nextDueUs(this.pool, this.door);
      if (dueUs > untilUs || (dueUs === untilUs && !inclusive) || dueUs === Infinity) return;
      // A limit that was made shorter while it ran is due when it was changed, not in the past.
      const atUs = Math.max(dueUs, this.lastUs);
      this.lastUs = atUs;
      this.watchSlack(atUs);
      const due = nextDue(this.pool, this.door);
      if (due === undefined) return;
      this.endAtLimit(due, atUs);
      this.watchSlack(atUs);
    }
  }

  private endAtLimit({ limit, ticket }: Due, atUs: number): void {
    const { maxHoldUs, maxWaitUs } = this.door;
    if (limit === 'max_hold') {
      const reason = `lease_hold_seconds at ${sFromUs(maxHoldUs)}`;
      this.kill(ticket, 'max_hold', reason, atUs);
    } else {
      const refusal =
        limit === 'max_wait' ? maxWait(maxWaitUs) : slackZero(deadlineOf(ticket) ?? 0);
      this.expire(ticket, refusal, atUs);
    }
  }

  private retryAfterUs(request: ArriveInput): number {
    return jitteredUs(this.jitter, this.pool.policy.retryAfterUs, request);
  }

  private emit(effect: Effect): void {
    if (this.effects === NOTHING) this.effects = [effect];
    else this.effects.push(effect);
  }
}

function endsWork({ type }: Input): boolean {
  return type === 'release' || type === 'cancel' || type === 'kill';
}

function backwards(lastUs: number, gotUs: number): RangeError {
  return new RangeError(`admission: expected a time from ${lastUs} on, got ${gotUs}`);
}

function twice({ id }: ArriveInput): RangeError {
  return new RangeError(`admission: expected a new id, got ${id} again`);
}

function maxWait(maxWaitUs: number): Refusal {
  return { code: 'max_wait', reason: `wait_seconds at ${sFromUs(maxWaitUs)}` };
}
