/**
 * The wire of the simulator: what one machine tells is what another hears, at the same instant.
 *
 *   client ─ send ─────► admission ─ granted ─► model
 *          ◄ refused ─── (rejected, expired)       │
 *          ◄ answered, completed, failed ──────────┤
 *          ─ hangUp ───► cancel ──────────────────►│
 *                        release, preempted ◄──────┘ finished, preempted
 *
 * The live engine makes the same of HTTP: a streamed answer begins when its service does, any
 * other when it ends; a refusal is a 429; a kill is the end of the stream. The wire drives the
 * machines themselves, not their doors of plain data: a sweep plays millions of requests.
 */
import type { GateDriver } from '../../admission/driver.ts';
import { GateMachine } from '../../admission/machine.ts';
import type { Ticket } from '../../admission/ticket.ts';
import type { AdmissionConfig, GateRequest, KillCode, Refusal } from '../../admission/types.ts';
import { queueAgeUs } from '../../admission/types.ts';
import type { Arrival } from '../../arrivals/schedule.ts';
import type { ClientDriver } from '../../client/driver.ts';
import { ClientMachine } from '../../client/machine.ts';
import type { Request } from '../../client/request.ts';
import type { ClientConfig, HangUp, Outcome } from '../../client/types.ts';
import type { FailureCode, LeaseRow } from '../../ledger/rows.ts';
import type { ModelDriver } from '../../model/driver.ts';
import { ModelMachine } from '../../model/machine.ts';
import type { Run } from '../../model/requests.ts';
import { firstTokenUsOf } from '../../model/run-plan.ts';
import type { ModelConfig, PreemptCause } from '../../model/types.ts';
import type { ClassSpec } from '../../scenario/types.ts';
import { Classes } from './classes.ts';
import { type Flight, flightOf, newFlight, tryAgain } from './flight.ts';
import { decisionRow, leaseRow, preemptRow } from './rows.ts';
import type { Sink } from './sink.ts';
import { Watch } from './watch.ts';

/** A preempt that the model has announced and that gate and client have yet to hear of. */
interface Preempt {
  readonly flight: Flight;
  readonly attempt: number;
  readonly outTokens: number;
  readonly checkpointTokens: number;
}

export interface WorldParts {
  readonly client: ClientConfig;
  /** undefined: no gate, requests go straight to the model. */
  readonly gate: AdmissionConfig | undefined;
  readonly model: ModelConfig;
  readonly classes: Readonly<Record<string, ClassSpec>>;
  /** A restart may go on from the last checkpoint. */
  readonly resumes: boolean;
  readonly maxInFlight: number;
  readonly sink: Sink;
}

export class World implements ClientDriver, GateDriver, ModelDriver {
  readonly client: ClientMachine;
  readonly gate: GateMachine | undefined;
  readonly model: ModelMachine;
  /** Sends and starts so far: what bounds a run that would not end by itself. */
  efforts = 0;
  readonly watch: Watch;
  /** Somebody wants to hear how gate and model stood at the end of each instant. */
  private readonly isWatched: boolean;
  private readonly sink: Sink;
  /** Who has finished at the model and has yet to be told, the first of them and the last. */
  private finishedFirst: Flight | undefined = undefined;
  private finishedLast: Flight | undefined = undefined;
  private readonly preempts: Preempt[] = [];
  /** Whose hold has begun at this instant. */
  private readonly begun: Flight[] = [];
  private readonly classes: Classes;

  constructor(private readonly parts: WorldParts) {
    const { sink, gate } = parts;
    this.client = new ClientMachine(parts.client, this);
    this.gate = gate === undefined ? undefined : new GateMachine(gate, this);
    this.model = new ModelMachine(parts.model, this);
    this.sink = sink;
    this.classes = new Classes(parts.classes);
    this.isWatched = sink.state !== undefined || sink.busy !== undefined;
    this.watch = new Watch(sink, this.gate?.view, this.model);
  }

  /** The model has told of ends that nobody has heard of: {@link tickModel}. */
  get hasFinished(): boolean {
    return this.finishedFirst !== undefined;
  }

  /** The model has told of preempts that nobody has heard of: {@link hearPreempt}. */
  get hasPreempts(): boolean {
    return this.preempts.length > 0;
  }

  /** There is something to do before time moves on: {@link settleInstant}. */
  get isUnsettled(): boolean {
    return this.isWatched || this.begun.length > 0;
  }

  /** Time is about to move on from `nowUs`. */
  settleInstant(nowUs: number): void {
    if (this.begun.length > 0) this.foresee(nowUs);
    this.watch.settle(nowUs);
  }

  /**
   * When a held answer makes its first token follows from the load, and nobody tells of it. Who
   * begins at this instant is all in service only at its end.
   */
  private foresee(nowUs: number): void {
    for (const { run, row } of this.begun) {
      if (run !== undefined) row.firstTokenUs = this.model.nextTokenUs(run, nowUs) ?? null;
    }
    this.begun.length = 0;
  }

  arrive(arrival: Arrival, nowUs: number): void {
    if (this.client.open >= this.parts.maxInFlight) this.leaveOut(arrival);
    else this.client.arrive(this.prepare(arrival), nowUs);
  }

  /** It is never sent. */
  leaveOut(arrival: Arrival): void {
    this.sink.request?.(this.prepare(arrival).row);
  }

  private prepare(arrival: Arrival): Flight {
    return newFlight(arrival, this.classes.of(arrival.class));
  }

  /** What is due at the model, and then who has finished. */
  tickModel(nowUs: number): void {
    this.model.tick(nowUs);
    this.watch.touchModel();
    for (let flight = this.finishedFirst; flight !== undefined; flight = this.finishedFirst) {
      this.finishedFirst = flight.next;
      flight.next = undefined;
      this.finish(flight, nowUs);
    }
  }

  tickGate(nowUs: number): void {
    this.gate?.advance(nowUs, true);
    this.watch.touchGate();
  }

  /** The run is over. */
  stop(nowUs: number): void {
    this.foresee(nowUs);
    this.client.stop(nowUs);
    this.watch.touchModel();
  }

  // ── What the client tells ─────────────────────────────────────────────────────────────────

  send(request: Request, nowUs: number): void {
    const flight = flightOf(request.wish);
    const { gate } = this;
    this.efforts++;
    if (request.attempt > 0) tryAgain(flight, request.attempt);
    flight.request = request;
    if (gate === undefined) {
      flight.place = 'direct';
      this.start(flight, 0, nowUs);
      return;
    }
    flight.row.doorUs = nowUs;
    flight.row.doorAgeUs = queueAgeUs(gate.view, nowUs);
    this.watch.touchGate();
    gate.arrive(flight, nowUs);
  }

  hangUp(request: Request, why: HangUp, nowUs: number): void {
    const flight = flightOf(request.wish);
    const { place, ticket } = flight;
    flight.row.outTokens = this.tokensOf(flight, nowUs);
    if (why === 'timeout') flight.row.code = 'timeout';
    if (place === 'queued') this.sayAdmitted(flight, nowUs);
    if (place === 'leased') this.endLease(flight, why === 'stop' ? 'open' : 'cancelled', nowUs);
    flight.place = 'away';
    // At the end of the run nobody is served in the place of those who are cut off.
    if (why === 'stop') return;
    this.cancelAtModel(flight, nowUs);
    flight.ticket = undefined;
    this.watch.touchGate();
    if (ticket !== undefined) this.gate?.cancel(ticket, nowUs);
  }

  settled({ wish, attempt }: Request, outcome: Outcome, nowUs: number): void {
    const { row } = flightOf(wish);
    row.sentUs = row.intendedUs;
    row.endUs = nowUs;
    row.outcome = outcome;
    row.attempts = attempt + 1;
    this.sink.request?.(row);
  }

  // ── What the gate tells ───────────────────────────────────────────────────────────────────

  queued(ticket: Ticket, shadow: Refusal | undefined): void {
    const flight = flightOf(ticket.request);
    if (shadow !== undefined) flight.row.wouldReject ??= shadow.code;
    flight.ticket = ticket;
    flight.place = 'queued';
  }

  granted(ticket: Ticket, shadow: Refusal | undefined, nowUs: number): void {
    const flight = flightOf(ticket.request);
    if (shadow !== undefined) flight.row.wouldReject ??= shadow.code;
    flight.ticket = ticket;
    flight.place = 'leased';
    flight.grantUs = nowUs;
    flight.row.waitUs = nowUs - ticket.arrivedUs;
    this.sayAdmitted(flight, nowUs);
    this.start(flight, 0, nowUs);
  }

  rejected(
    request: GateRequest,
    refusal: Refusal,
    _queueAgeUs: number,
    retryAfterUs: number,
    nowUs: number,
  ): void {
    this.refuse(flightOf(request), 'rejected', refusal, retryAfterUs, nowUs);
  }

  expired(
    ticket: Ticket,
    refusal: Refusal,
    _queueAgeUs: number,
    retryAfterUs: number,
    nowUs: number,
  ): void {
    this.refuse(flightOf(ticket.request), 'expired', refusal, retryAfterUs, nowUs);
  }

  private refuse(
    flight: Flight,
    as: 'rejected' | 'expired',
    { code }: Refusal,
    retryAfterUs: number,
    nowUs: number,
  ): void {
    flight.place = 'away';
    flight.ticket = undefined;
    flight.row.code = code;
    this.sink.decision?.(decisionRow(flight, as, code, nowUs));
    this.fail(flight, as, retryAfterUs, true, nowUs);
  }

  killed(ticket: Ticket, code: KillCode, _reason: string, nowUs: number): void {
    const flight = flightOf(ticket.request);
    flight.row.code = code;
    flight.row.outTokens = this.tokensOf(flight, nowUs);
    this.endLease(flight, 'killed', nowUs);
    this.cancelAtModel(flight, nowUs);
    this.fail(flight, 'killed', 0, true, nowUs);
  }

  replay(ticket: Ticket, resumeTokens: number, nowUs: number): void {
    const flight = flightOf(ticket.request);
    flight.row.restartTokens = ticket.restartTokens;
    this.start(flight, this.parts.resumes ? resumeTokens : 0, nowUs);
  }

  failed(ticket: Ticket, { code }: Refusal, nowUs: number): void {
    const flight = flightOf(ticket.request);
    flight.row.code = code;
    flight.row.restartTokens = ticket.restartTokens;
    this.endLease(flight, 'preempted', nowUs);
    this.fail(flight, 'failed', 0, true, nowUs);
  }

  // ── What the model tells ──────────────────────────────────────────────────────────────────

  private start(flight: Flight, resumeTokens: number, nowUs: number): void {
    this.efforts++;
    this.watch.touchModel();
    flight.run = this.model.start(flight, resumeTokens, nowUs);
    if (flight.run === undefined) this.breakOff(flight, 'too_large', false, nowUs);
  }

  started(run: Run, nowUs: number): void {
    const flight = flightOf(run.work);
    const { of, row, request } = flight;
    flight.run = run;
    if (of.comesWhole || row.firstByteUs !== null) return;
    row.firstByteUs = nowUs;
    if (of.holds) this.begun.push(flight);
    if (of.minds && request !== undefined) this.client.answered(request, nowUs);
  }

  finished(run: Run, nowUs: number): void {
    const flight = flightOf(run.work);
    const { of, row, demand } = flight;
    flight.run = undefined;
    row.outTokens = demand.outTokens;
    if (of.comesWhole) row.firstByteUs = nowUs;
    else row.firstTokenUs = firstTokenUsOf(run);
    if (this.finishedFirst === undefined) this.finishedFirst = flight;
    else if (this.finishedLast !== undefined) this.finishedLast.next = flight;
    this.finishedLast = flight;
  }

  private finish(flight: Flight, nowUs: number): void {
    const { ticket, request } = flight;
    this.endLease(flight, 'completed', nowUs);
    if (request !== undefined) this.client.completed(request, nowUs);
    if (ticket !== undefined) this.giveBack(ticket, 'completed', nowUs);
  }

  preempted(run: Run, outTokens: number, checkpointTokens: number, _why: PreemptCause): void {
    const flight = flightOf(run.work);
    flight.run = undefined;
    this.preempts.push({ flight, attempt: flight.attempt, outTokens, checkpointTokens });
  }

  /** The gate and then the client hear of the first preempt that was announced. */
  hearPreempt(nowUs: number): void {
    const preempt = this.preempts.shift();
    if (preempt === undefined) return;
    const { flight, attempt, outTokens } = preempt;
    if (flight.attempt !== attempt || flight.place === 'away') return;
    flight.row.preempts++;
    flight.row.outTokens = outTokens;
    const { ticket } = flight;
    if (ticket === undefined) this.breakOff(flight, 'preempted', true, nowUs);
    else this.askForReplay(preempt, ticket, nowUs);
  }

  private askForReplay(preempt: Preempt, ticket: Ticket, nowUs: number): void {
    const { gate } = this;
    if (gate === undefined) return;
    const { flight, outTokens, checkpointTokens } = preempt;
    const { row } = flight;
    const slackUs = gate.view.slackUs(nowUs) ?? null;
    const ageUs = queueAgeUs(gate.view, nowUs);
    const kept = this.parts.resumes ? checkpointTokens : 0;
    const before = row.restartTokens;
    const promptTokens = flight.demand.inTokens;
    const done = { promptTokens, outputTokens: outTokens, checkpointTokens: kept };
    this.watch.touchGate();
    gate.preempted(ticket, done, nowUs);
    const replayed = flight.place === 'leased';
    const wastedTokens = replayed ? outTokens - kept : outTokens;
    const restartTokens = row.restartTokens - before;
    const facts = { wastedTokens, restartTokens, slackUs, queueAgeUs: ageUs, replayed };
    this.sink.preempt?.(preemptRow(flight, facts, nowUs));
  }

  /** The upstream has broken off; the lease, if there is one, is given back. */
  private breakOff(flight: Flight, code: FailureCode, mayRetry: boolean, nowUs: number): void {
    const { ticket } = flight;
    flight.row.code = code;
    this.endLease(flight, 'failed', nowUs);
    this.fail(flight, 'failed', 0, mayRetry, nowUs);
    if (ticket !== undefined) this.giveBack(ticket, 'failed', nowUs);
  }

  private giveBack(ticket: Ticket, outcome: 'completed' | 'failed', nowUs: number): void {
    this.watch.touchGate();
    this.gate?.release(ticket, outcome, nowUs);
  }

  private fail(
    { request }: Flight,
    as: 'rejected' | 'expired' | 'killed' | 'failed',
    retryAfterUs: number,
    mayRetry: boolean,
    nowUs: number,
  ): void {
    if (request !== undefined) this.client.failed(request, { as, retryAfterUs, mayRetry }, nowUs);
  }

  private tokensOf({ run }: Flight, nowUs: number): number {
    return run === undefined ? 0 : this.model.tokens(run, nowUs);
  }

  private cancelAtModel(flight: Flight, nowUs: number): void {
    const { run } = flight;
    if (run === undefined) return;
    flight.run = undefined;
    this.watch.touchModel();
    this.model.cancel(run, nowUs);
  }

  private endLease(flight: Flight, ended: LeaseRow['ended'], nowUs: number): void {
    const wasLeased = flight.place === 'leased';
    flight.place = 'away';
    flight.ticket = undefined;
    if (!wasLeased) return;
    flight.row.heldUs = nowUs - flight.grantUs;
    this.sink.lease?.(leaseRow(flight, ended, nowUs));
  }

  private sayAdmitted(flight: Flight, nowUs: number): void {
    this.sink.decision?.(decisionRow(flight, 'admitted', null, nowUs));
  }
}
