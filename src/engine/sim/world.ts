/**
 * The wire of the simulator: what one machine says is what another hears, at the same instant.
 *
 *   client ─ send ─────► admission ─ granted ─► model
 *          ◄ refused ─── (rejected, expired)       │
 *          ◄ answered, completed, failed ──────────┤
 *          ─ hangUp ───► cancel ──────────────────►│
 *                        release, preempted ◄──────┘ finished, preempted
 *
 * The live engine makes the same of HTTP: a streamed answer begins when its service does, any
 * other when it ends; a refusal is a 429; a kill is the end of the stream.
 */
import type { Admission, Effect as GateEffect, Input as GateInput } from '../../admission/types.ts';
import { queueAgeUs } from '../../admission/types.ts';
import type { Arrival } from '../../arrivals/schedule.ts';
import type {
  Client,
  Effect as ClientEffect,
  Input as ClientInput,
  Outcome,
} from '../../client/types.ts';
import type { FailureCode, LeaseRow } from '../../ledger/rows.ts';
import type { Model, Effect as ModelEffect, Input as ModelInput } from '../../model/types.ts';
import { type ClassFacts, Flight } from './flight.ts';
import { Flights } from './flights.ts';
import { decisionRow, leaseRow } from './rows.ts';
import type { Sink } from './sink.ts';
import { Watch } from './watch.ts';

type Of<T extends { type: string }, K extends T['type']> = Extract<T, { type: K }>;
type Preempted = Of<ModelEffect, 'preempted'>;
/** The gate has turned a request away, or has taken its lease from it. */
type GateEnd = Exclude<GateEffect, { type: 'granted' | 'queued' | 'drained' }>;

const TICK = { type: 'tick' } as const;

/** An input that is filled in anew each time; only for those that no machine keeps. */
type Reused<T> = { -readonly [K in keyof T]: T[K] };

export interface WorldParts {
  readonly client: Client;
  /** undefined: no gate, requests go straight to the model. */
  readonly gate: Admission | undefined;
  readonly model: Model;
  readonly classes: Readonly<Record<string, ClassFacts>>;
  /** Arrivals in the schedule; tries after the first are numbered from here on. */
  readonly count: number;
  /** A restart may go on from the last checkpoint. */
  readonly resumes: boolean;
  readonly maxInFlight: number;
  readonly sink: Sink;
}

export class World {
  /** Sends and starts so far: what bounds a run that would not end by itself. */
  efforts = 0;
  /** Preempts that the model has announced and that the gate has yet to hear of. */
  readonly preempts: Preempted[] = [];
  /** Somebody wants to hear how gate and model stood at the end of each instant. */
  readonly isWatched: boolean;
  private readonly watch: Watch;
  private readonly flights: Flights;
  private readonly completed: Reused<Of<ClientInput, 'completed'>> = { type: 'completed', seq: 0 };
  private readonly release: Reused<Of<GateInput, 'release'>> = {
    type: 'release',
    id: 0,
    outcome: 'completed',
  };
  private readonly sink: Sink;
  private readonly client: Client;
  private readonly gate: Admission | undefined;
  private readonly model: Model;
  private lastOf: ClassFacts | undefined = undefined;

  constructor(private readonly parts: WorldParts) {
    this.sink = parts.sink;
    this.client = parts.client;
    this.gate = parts.gate;
    this.model = parts.model;
    this.flights = new Flights(parts.count);
    this.isWatched = parts.sink.state !== undefined || parts.sink.busy !== undefined;
    this.watch = new Watch(parts.sink, parts.gate?.view, parts.model);
  }

  /** Time is about to move on from `nowUs`. */
  settleInstant(nowUs: number): void {
    this.watch.settle(nowUs);
  }

  arrive(arrival: Arrival, nowUs: number): void {
    if (this.client.open >= this.parts.maxInFlight) {
      this.leaveOut(arrival);
      return;
    }
    const flight = this.prepare(arrival);
    const { seq, keySeq, demand } = arrival;
    this.flights.launch(flight);
    const input = {
      type: 'arrive',
      seq,
      class: arrival.class,
      keySeq,
      holdUs: demand.holdUs,
    } as const;
    this.hearClient(this.client.apply(input, nowUs), nowUs);
  }

  /** It is never sent. */
  leaveOut(arrival: Arrival): void {
    this.sink.request?.(this.prepare(arrival).row);
  }

  private prepare(arrival: Arrival): Flight {
    return new Flight(arrival, this.classOf(arrival.class));
  }

  /** Runs of one class are the rule, so the last answer is kept. */
  private classOf(name: string): ClassFacts {
    if (this.lastOf !== undefined && this.lastOf.name === name) return this.lastOf;
    return this.lookUp(name);
  }

  private lookUp(name: string): ClassFacts {
    const of = this.parts.classes[name];
    if (of === undefined) throw new Error(`expected a known class, got ${name}`);
    this.lastOf = of;
    return of;
  }

  tickClient(nowUs: number): void {
    this.hearClient(this.client.apply(TICK, nowUs), nowUs);
  }

  tickModel(nowUs: number): void {
    this.toModel(TICK, nowUs);
  }

  tickGate(nowUs: number): void {
    this.toGate(TICK, nowUs);
  }

  toGate(input: GateInput, nowUs: number): void {
    if (this.gate === undefined) return;
    const effects = this.gate.apply(input, nowUs);
    this.watch.touchGate();
    for (let i = 0; i < effects.length; i++) this.hearGate(effects[i] as GateEffect, nowUs);
  }

  toModel(input: ModelInput, nowUs: number): void {
    const effects = this.model.apply(input, nowUs);
    this.watch.touchModel();
    for (let i = 0; i < effects.length; i++) this.hearModel(effects[i] as ModelEffect, nowUs);
  }

  /** What the gate may know of the work on its leases. */
  reportProgress(nowUs: number): void {
    for (const { id } of this.gate?.leases() ?? []) {
      const tokens = this.model.tokens(id, nowUs);
      const isLeased = this.flights.attempt(id)?.place === 'leased';
      if (tokens !== undefined && isLeased) this.toGate({ type: 'progress', id, tokens }, nowUs);
    }
  }

  /** The run is over. */
  stop(nowUs: number): void {
    this.hearClient(this.client.apply({ type: 'stop' }, nowUs), nowUs);
    this.watch.touchModel();
  }

  // ── What the client says ──────────────────────────────────────────────────────────────────

  private hearClient(effects: readonly ClientEffect[], nowUs: number): void {
    for (let i = 0; i < effects.length; i++) {
      const effect = effects[i] as ClientEffect;
      const flight = this.flights.request(effect.seq);
      if (flight === undefined) continue;
      if (effect.type === 'send') this.send(flight, effect.attempt, nowUs);
      else if (effect.type === 'hangUp') this.hangUp(flight, effect.why, nowUs);
      else this.settle(flight, effect.outcome, effect.attempts, nowUs);
    }
  }

  private send(flight: Flight, attempt: number, nowUs: number): void {
    this.efforts++;
    if (attempt > 0) this.flights.tryAgain(flight, attempt);
    if (this.gate === undefined) {
      flight.place = 'direct';
      this.start(flight, 0, nowUs);
      return;
    }
    const { arrival, id } = flight;
    flight.row.doorUs = nowUs;
    flight.row.doorAgeUs = queueAgeUs(this.gate.view, nowUs);
    this.toGate({ type: 'arrive', id, seq: arrival.seq, attempt, class: arrival.class }, nowUs);
  }

  private hangUp(flight: Flight, why: Of<ClientEffect, 'hangUp'>['why'], nowUs: number): void {
    const { id, place } = flight;
    flight.row.outTokens = this.model.tokens(id, nowUs) ?? 0;
    if (why === 'timeout') flight.row.code = 'timeout';
    if (place === 'queued') this.sayDecision(flight, 'admitted', nowUs);
    if (place === 'leased') this.endLease(flight, why === 'stop' ? 'open' : 'cancelled', nowUs);
    flight.place = 'away';
    // At the end of the run nobody is served in the place of those who are cut off.
    if (why === 'stop') return;
    this.toModel({ type: 'cancel', id }, nowUs);
    this.toGate({ type: 'cancel', id }, nowUs);
  }

  private settle(flight: Flight, outcome: Outcome, attempts: number, nowUs: number): void {
    const { row } = flight;
    row.sentUs = row.intendedUs;
    row.endUs = nowUs;
    row.outcome = outcome;
    row.attempts = attempts;
    this.sink.request?.(row);
    this.flights.settle(flight);
  }

  // ── What the gate says ────────────────────────────────────────────────────────────────────

  private hearGate(effect: GateEffect, nowUs: number): void {
    if (effect.type === 'drained') return;
    const flight = this.flights.attempt(effect.id);
    if (flight === undefined) return;
    if (effect.type === 'granted') this.grant(flight, effect, nowUs);
    else if (effect.type === 'queued') this.queue(flight, effect);
    else this.hearEnd(flight, effect, nowUs);
  }

  private hearEnd(flight: Flight, effect: GateEnd, nowUs: number): void {
    switch (effect.type) {
      case 'rejected':
      case 'expired':
        this.refuse(flight, effect, nowUs);
        break;
      case 'killed':
        this.kill(flight, effect, nowUs);
        break;
      case 'replay':
        this.replay(flight, effect, nowUs);
        break;
      case 'failed':
        flight.row.code = effect.code;
        flight.row.restartTokens = effect.restartTokens;
        this.endLease(flight, 'preempted', nowUs);
        this.fail(flight, true, nowUs);
    }
  }

  private queue(flight: Flight, { shadow }: Of<GateEffect, 'queued'>): void {
    if (shadow !== undefined) flight.row.wouldReject ??= shadow.code;
    flight.place = 'queued';
  }

  private grant(flight: Flight, effect: Of<GateEffect, 'granted'>, nowUs: number): void {
    if (effect.shadow !== undefined) flight.row.wouldReject ??= effect.shadow.code;
    flight.place = 'leased';
    flight.grantUs = nowUs;
    flight.row.waitUs = effect.waitUs;
    this.sayDecision(flight, 'admitted', nowUs);
    this.start(flight, 0, nowUs);
  }

  private refuse(flight: Flight, effect: Of<GateEffect, 'rejected' | 'expired'>, nowUs: number) {
    const { type: as, code, retryAfterUs } = effect;
    const { seq } = flight.arrival;
    flight.place = 'away';
    flight.row.code = code;
    this.sink.decision?.(decisionRow(flight, as, code, nowUs));
    this.hearClient(this.client.apply({ type: 'refused', seq, as, retryAfterUs }, nowUs), nowUs);
  }

  private kill(flight: Flight, { code }: Of<GateEffect, 'killed'>, nowUs: number): void {
    const { id, arrival } = flight;
    flight.row.code = code;
    flight.row.outTokens = this.model.tokens(id, nowUs) ?? 0;
    this.endLease(flight, 'killed', nowUs);
    this.toModel({ type: 'cancel', id }, nowUs);
    const input = { type: 'failed', seq: arrival.seq, as: 'killed' } as const;
    this.hearClient(this.client.apply(input, nowUs), nowUs);
  }

  private replay(flight: Flight, effect: Of<GateEffect, 'replay'>, nowUs: number): void {
    flight.row.restartTokens = effect.restartTokens;
    this.start(flight, this.parts.resumes ? effect.resumeTokens : 0, nowUs);
  }

  // ── What the model says ───────────────────────────────────────────────────────────────────

  private start(flight: Flight, resumeTokens: number, nowUs: number): void {
    const { id, attempt, arrival } = flight;
    const { class: name, demand, keySeq } = arrival;
    this.efforts++;
    this.toModel({ type: 'start', id, class: name, demand, keySeq, attempt, resumeTokens }, nowUs);
  }

  private hearModel(effect: ModelEffect, nowUs: number): void {
    if (effect.type === 'preempted') {
      this.preempts.push(effect);
      return;
    }
    const flight = this.flights.attempt(effect.id);
    if (flight === undefined) return;
    if (effect.type === 'started') this.begin(flight, nowUs);
    else if (effect.type === 'finished') this.finish(flight, effect, nowUs);
    else this.breakOff(flight, 'too_large', false, nowUs);
  }

  private begin(flight: Flight, nowUs: number): void {
    const { of, arrival, row } = flight;
    if (of.comesWhole || row.firstByteUs !== null) return;
    row.firstByteUs = nowUs;
    if (of.holds) row.firstTokenUs = this.model.nextTokenUs(flight.id, nowUs) ?? null;
    if (!of.minds) return;
    this.hearClient(this.client.apply({ type: 'answered', seq: arrival.seq }, nowUs), nowUs);
  }

  private finish(flight: Flight, effect: Of<ModelEffect, 'finished'>, nowUs: number): void {
    const { id, of, arrival, row } = flight;
    row.outTokens = effect.outTokens;
    if (of.comesWhole) row.firstByteUs = nowUs;
    else row.firstTokenUs = effect.firstTokenUs;
    const wasLeased = flight.place === 'leased';
    this.endLease(flight, 'completed', nowUs);
    this.completed.seq = arrival.seq;
    this.hearClient(this.client.apply(this.completed, nowUs), nowUs);
    if (wasLeased) this.giveBack(id, 'completed', nowUs);
  }

  /** The gate and then the client hear of a preempt that was announced. */
  hearPreempt(effect: Preempted, nowUs: number): void {
    const { id, outTokens: outputTokens, checkpointTokens } = effect;
    const flight = this.flights.attempt(id);
    if (flight === undefined || flight.place === 'away') return;
    const { row } = flight;
    row.preempts++;
    row.outTokens = outputTokens;
    if (flight.place === 'direct') {
      this.breakOff(flight, 'preempted', true, nowUs);
      return;
    }
    const slackUs = this.gate?.view.slackUs(nowUs) ?? null;
    const ageUs = this.gate === undefined ? 0 : queueAgeUs(this.gate.view, nowUs);
    const kept = this.parts.resumes ? checkpointTokens : 0;
    const promptTokens = flight.arrival.demand.inTokens;
    const before = row.restartTokens;
    const gateInput = { id, promptTokens, outputTokens, checkpointTokens: kept } as const;
    this.toGate({ type: 'preempted', ...gateInput }, nowUs);
    const replayed = flight.place === 'leased';
    this.sink.preempt?.({
      kind: 'preempt',
      atUs: nowUs,
      seq: flight.arrival.seq,
      class: flight.of.name,
      wastedTokens: replayed ? outputTokens - kept : outputTokens,
      restartTokens: row.restartTokens - before,
      slackUs,
      queueAgeUs: ageUs,
      replayed,
    });
  }

  /** The upstream has broken off; the lease, if there is one, is given back. */
  private breakOff(flight: Flight, code: FailureCode, mayRetry: boolean, nowUs: number): void {
    const { id } = flight;
    const wasLeased = flight.place === 'leased';
    flight.row.code = code;
    this.endLease(flight, 'failed', nowUs);
    this.fail(flight, mayRetry, nowUs);
    if (wasLeased) this.giveBack(id, 'failed', nowUs);
  }

  private giveBack(id: number, outcome: 'completed' | 'failed', nowUs: number): void {
    this.release.id = id;
    this.release.outcome = outcome;
    this.toGate(this.release, nowUs);
  }

  private fail({ arrival }: Flight, mayRetry: boolean, nowUs: number): void {
    const input = { type: 'failed', seq: arrival.seq, as: 'failed', mayRetry } as const;
    this.hearClient(this.client.apply(input, nowUs), nowUs);
  }

  private endLease(flight: Flight, ended: LeaseRow['ended'], nowUs: number): void {
    const wasLeased = flight.place === 'leased';
    flight.place = 'away';
    if (!wasLeased) return;
    flight.row.heldUs = nowUs - flight.grantUs;
    this.sink.lease?.(leaseRow(flight, ended, nowUs));
  }

  private sayDecision(flight: Flight, decision: 'admitted', nowUs: number): void {
    this.sink.decision?.(decisionRow(flight, decision, null, nowUs));
  }
}
