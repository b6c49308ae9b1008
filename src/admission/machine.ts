import { laterUs, sFromUs } from '../units.ts';
import { type Door, doorOf, firstRefusal } from './door.ts';
import type { GateDriver } from './driver.ts';
import { type Due, nextDue, nextDueUs } from './due.ts';
import { Pool } from './pool.ts';
import { dispatchRefusal, restartRefusal, slackZero, wastedTokens } from './restart.ts';
import { jitteredUs, retryAfterKey } from './retry-after.ts';
import { slackClosed } from './rules/deadline-slack.ts';
import { type ClassState, deadlineOf, type Ticket, ticketOf } from './ticket.ts';
import {
  type AdmissionConfig,
  type GateRequest,
  type KillCode,
  type Policy,
  type Preempted,
  queueAgeUs,
  type Refusal,
  type View,
} from './types.ts';

/**
 * The admission machine (DESIGN.md §4): who gets a slot, who waits, who is turned away, and why.
 *
 *     arrive ──► door ──► granted ──────────────────► lease ──► release, cancel
 *                 │  └──► queued ──► granted ───────►   │  └──► killed
 *                 ▼         │  └───► cancel             ▼
 *              rejected     └──────► expired         preempted ──► replay (keeps its lease), failed
 *
 * It reads no clock and draws nothing but the jitter of Retry-After, which is keyed: the same calls
 * tell the driver the same. At one instant the order is: ends of work (`release`, `cancel`, `kill`),
 * limits on leases, limits on waits, then every other call in the order made. Every call throws
 * when time goes back.
 *
 * The simulator drives it as it is; everyone else by its door of plain data (`admission.ts`).
 */
export class GateMachine {
  private readonly pool: Pool;
  private readonly jitter;
  private door: Door;
  private lastUs = 0;
  /** When the next limit is reached, as things stood after the last call; Infinity: none is set. */
  private dueUs = Infinity;
  private arrivals = 0;
  private hostPreempts = 0;
  /** Free slots are being given out. */
  private isDispatching = false;
  /** Since when batch work has waited without any completing, or since the last kill for it. */
  private stalledSinceUs = 0;

  constructor(
    config: AdmissionConfig,
    private readonly driver: GateDriver,
  ) {
    this.pool = new Pool(config);
    this.door = doorOf(config.policy);
    this.jitter = retryAfterKey(config.seed);
  }

  get view(): View {
    return this.pool;
  }

  /** In the order in which they were given. */
  leases(): Ticket[] {
    return this.pool.leases.all();
  }

  nextWakeUs(): number {
    return this.dueUs;
  }

  /** It takes nobody in any more, and nobody is left. */
  get isDrained(): boolean {
    const { leases, queue } = this.pool;
    return this.door.drains && leases.count + queue.size === 0;
  }

  /** Runs what is due before `nowUs`; `inclusive`: and then. */
  advance(nowUs: number, inclusive: boolean): void {
    this.enter(nowUs, inclusive);
    this.leave(nowUs);
  }

  private enter(nowUs: number, inclusive: boolean): void {
    if (!(nowUs >= this.lastUs)) throw backwards(this.lastUs, nowUs);
    if (this.dueUs <= nowUs) this.runDue(nowUs, inclusive);
    this.lastUs = nowUs;
    if (this.door.watchesSlack) this.watchSlack(nowUs);
  }

  private leave(nowUs: number): void {
    if (this.door.watchesSlack) this.watchSlack(nowUs);
    this.dueUs = laterUs(nextDueUs(this.pool, this.door), nowUs);
  }

  // ── The door ──────────────────────────────────────────────────────────────────────────────

  /** A request that is not here yet. It is granted, queued or rejected before the call ends. */
  arrive(request: GateRequest, nowUs: number): void {
    this.enter(nowUs, true);
    const { door, pool } = this;
    const of = pool.classOf(request.class);
    let refusal = door.stop;
    if (refusal === undefined && !door.bypass) {
      refusal = firstRefusal(door, pool, request, of, nowUs);
    }
    if (refusal === undefined || (door.shadow && door.stop === undefined)) {
      this.admit(request, of, refusal, nowUs);
    } else this.reject(request, refusal, nowUs);
    this.leave(nowUs);
  }

  /** @param shadow what would have refused it, where the gate only watches */
  private admit(
    request: GateRequest,
    of: ClassState,
    shadow: Refusal | undefined,
    nowUs: number,
  ): void {
    const ticket = ticketOf(request, of, nowUs, this.arrivals++, shadow !== undefined);
    if (this.pool.leases.count < this.pool.policy.slots) this.grant(ticket, shadow, nowUs);
    else this.enqueue(ticket, shadow, nowUs);
  }

  private reject(request: GateRequest, refusal: Refusal, atUs: number): void {
    const ageUs = queueAgeUs(this.pool, atUs);
    this.driver.rejected(request, refusal, ageUs, this.retryAfterUs(request), atUs);
  }

  // ── The queue ─────────────────────────────────────────────────────────────────────────────

  private enqueue(ticket: Ticket, shadow: Refusal | undefined, atUs: number): void {
    if (!ticket.of.isInteractive && this.pool.queue.batchSize === 0) this.stalledSinceUs = atUs;
    this.pool.queue.push(ticket);
    this.driver.queued(ticket, shadow, atUs);
  }

  /**
   * Free slots go to those who wait, as far as they go. One that the driver gives back while its
   * grant is told goes to the next in line from here, not from within: thousands may do so in turn.
   */
  private dispatch(nowUs: number): void {
    if (this.isDispatching || this.pool.queue.size === 0) return;
    this.isDispatching = true;
    this.giveOut(nowUs);
    this.isDispatching = false;
  }

  private giveOut(nowUs: number): void {
    const { queue, leases } = this.pool;
    while (queue.size > 0 && leases.count < this.pool.policy.slots) {
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

  private expire(ticket: Ticket, refusal: Refusal, atUs: number): void {
    const ageUs = queueAgeUs(this.pool, atUs);
    this.pool.queue.remove(ticket);
    this.driver.expired(ticket, refusal, ageUs, this.retryAfterUs(ticket.request), atUs);
  }

  // ── The leases ────────────────────────────────────────────────────────────────────────────

  private grant(ticket: Ticket, shadow: Refusal | undefined, atUs: number): void {
    this.pool.leases.grant(ticket, atUs);
    this.driver.granted(ticket, shadow, atUs);
  }

  /** The upstream has answered. Throws where the lease has ended: a slot is given back once. */
  release(ticket: Ticket, outcome: 'completed' | 'failed', nowUs: number): void {
    this.enter(nowUs, false);
    if (!ticket.leased) throw ended(ticket);
    if (outcome === 'completed') {
      ticket.of.expected.record(nowUs - ticket.sinceUs);
      if (!ticket.of.isInteractive) this.stalledSinceUs = nowUs;
    }
    this.pool.leases.end(ticket);
    this.dispatch(nowUs);
    this.leave(nowUs);
  }

  /** The client has gone, queued or leased. */
  cancel(ticket: Ticket, nowUs: number): void {
    this.enter(nowUs, false);
    if (ticket.leased) this.pool.leases.end(ticket);
    else this.pool.queue.remove(ticket);
    this.dispatch(nowUs);
    this.leave(nowUs);
  }

  /** Tokens made so far on a lease. Runbook 000: "tokens grow with no batch progress: kill the lease". */
  progress(ticket: Ticket, tokens: number, nowUs: number): void {
    this.enter(nowUs, true);
    const grew = tokens > ticket.tokens;
    ticket.tokens = tokens;
    if (grew && this.isStalledBy(ticket, nowUs)) this.killStalling(ticket, nowUs);
    this.leave(nowUs);
  }

  private isStalledBy({ of }: Ticket, nowUs: number): boolean {
    const windowUs = this.pool.policy.killWindowUs;
    if (windowUs === null || !this.door.enforced) return false;
    if (!of.isInteractive || this.pool.queue.batchSize === 0) return false;
    return nowUs - this.stalledSinceUs >= windowUs;
  }

  private killStalling(ticket: Ticket, nowUs: number): void {
    const windowS = sFromUs(this.pool.policy.killWindowUs ?? 0);
    // The slot that comes free gets a window of its own to show progress, before the next kill.
    this.stalledSinceUs = nowUs;
    this.end(ticket, 'no_progress', `no batch progress for ${windowS} s`, nowUs);
  }

  /** By the operator. */
  kill(ticket: Ticket, nowUs: number): void {
    this.enter(nowUs, false);
    this.end(ticket, 'operator', 'killed by the operator', nowUs);
    this.leave(nowUs);
  }

  private end(ticket: Ticket, code: KillCode, reason: string, atUs: number): void {
    this.pool.leases.end(ticket);
    this.driver.killed(ticket, code, reason, atUs);
    this.dispatch(atUs);
  }

  // ── Preempts ──────────────────────────────────────────────────────────────────────────────

  /** The upstream took the slot back in mid work. It is replayed, or has failed, before the call ends. */
  preempted(ticket: Ticket, done: Preempted, nowUs: number): void {
    this.enter(nowUs, true);
    const { promptTokens, outputTokens, checkpointTokens } = done;
    ticket.restartTokens += wastedTokens(promptTokens, outputTokens, checkpointTokens);
    ticket.tokens = checkpointTokens;
    ticket.preempts++;
    this.countHostPreempt();
    const refusal = this.refusalToRestart(ticket, nowUs);
    if (refusal === undefined) this.driver.replay(ticket, checkpointTokens, nowUs);
    else this.fail(ticket, refusal, nowUs);
    this.leave(nowUs);
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

  private fail(ticket: Ticket, refusal: Refusal, atUs: number): void {
    this.pool.leases.end(ticket);
    this.driver.failed(ticket, refusal, atUs);
    this.dispatch(atUs);
  }

  // ── The policy ────────────────────────────────────────────────────────────────────────────

  /** Changes the policy while it runs. */
  configure(patch: Partial<Policy>, nowUs: number): void {
    this.enter(nowUs, true);
    if (patch.mode !== undefined) this.hostPreempts = 0;
    this.setPolicy(patch);
    if (this.pool.policy.upstreamDown) this.expireAll(nowUs);
    this.runDue(nowUs, true);
    this.dispatch(nowUs);
    this.leave(nowUs);
  }

  private setPolicy(patch: Partial<Policy>): void {
    this.pool.policy = { ...this.pool.policy, ...patch };
    this.door = doorOf(this.pool.policy);
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
    this.pool.slackClosed = slackClosed(this.pool, nowUs);
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
      if (this.door.watchesSlack) this.watchSlack(atUs);
      const due = nextDue(this.pool, this.door);
      if (due === undefined) return;
      this.endAtLimit(due, atUs);
      if (this.door.watchesSlack) this.watchSlack(atUs);
    }
  }

  private endAtLimit({ limit, ticket }: Due, atUs: number): void {
    const { maxHoldUs, maxWaitUs } = this.door;
    if (limit === 'max_hold') {
      const reason = `lease_hold_seconds at ${sFromUs(maxHoldUs)}`;
      this.end(ticket, 'max_hold', reason, atUs);
    } else {
      const refusal =
        limit === 'max_wait' ? maxWait(maxWaitUs) : slackZero(deadlineOf(ticket) ?? 0);
      this.expire(ticket, refusal, atUs);
    }
  }

  private retryAfterUs(request: GateRequest): number {
    return jitteredUs(this.jitter, this.pool.policy.retryAfterUs, request);
  }
}

function backwards(lastUs: number, gotUs: number): RangeError {
  return new RangeError(`admission: expected a time from ${lastUs} on, got ${gotUs}`);
}

function ended({ request }: Ticket): RangeError {
  return new RangeError(
    `admission: expected a lease, got request ${request.seq}, whose lease has ended`,
  );
}

function maxWait(maxWaitUs: number): Refusal {
  return { code: 'max_wait', reason: `wait_seconds at ${sFromUs(maxWaitUs)}` };
}
