/**
 * The life of one request at the gate:
 *
 *     coming ──► queued ──► leased ──► over
 *        │          │          │        ▲
 *        └──────────┴──────────┴────────┘ turned away, failed, killed, or its caller has gone
 *
 * While it is leased its service does the rest (`service.ts`).
 * A request is at the gate when it is whole, so that one who sends half of it takes no slot.
 * Whichever side ends first, the slot goes back once: each way out leads through `leave`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ClassRules, queueAgeUs } from '../admission/types.ts';
import { sFromUs } from '../units.ts';
import { RequestBody } from './body.ts';
import type { GateContext } from './context.ts';
import type { TicketEffect } from './gate.ts';
import { type CallerFacts, callerFacts } from './headers.ts';
import { LIMITS, type Limit, PhaseTimer } from './phase-timer.ts';
import { admittedFields, type FailureStatus, sendFailure, sendRefusal } from './refusal.ts';
import { Reply } from './reply.ts';
import { type Served, Service } from './service.ts';

type EffectOf<T extends TicketEffect['type']> = Extract<TicketEffect, { type: T }>;
type Phase = 'coming' | 'queued' | 'leased' | 'over';
type Outcome = 'completed' | 'failed' | 'rejected' | 'expired' | 'abandoned' | 'killed';

export class Exchange implements Served {
  /** The gate's, from its first word on; -1 before. */
  id = -1;
  /** When the caller last took something; undefined before it had anything to take. */
  lastReadUs: number | undefined;
  restartTokens = 0;
  readonly className: string;
  readonly facts: CallerFacts;
  readonly rules: ClassRules;
  private arrivedUs = 0;
  private ageUs = 0;
  private readonly body: RequestBody;
  private readonly reply: Reply;
  private readonly timer = new PhaseTimer((limit) => this.timedOut(limit));
  private phase: Phase = 'coming';
  private waitUs = 0;
  /** From its slot on. */
  private service: Service | undefined;

  constructor(
    private readonly gate: GateContext,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly expectsContinue: boolean,
  ) {
    this.facts = callerFacts(request.headers);
    this.className = gate.className(this.facts.class);
    this.rules = gate.rulesOf(this.className);
    this.reply = new Reply(response, () => this.drained());
    const { bodyLimitBytes } = gate.settings;
    this.body = new RequestBody(request, bodyLimitBytes, gate.bodyBudget, {
      piece: () => this.timer.refresh(),
      ready: () => this.bodyReady(),
    });
  }

  start(): void {
    if (this.facts.attempt > 0) this.gate.metrics.retries.inc();
    this.response.once('close', () => this.callerGone());
    if (!this.expectsContinue) this.body.read();
    // Whoever waits for our word to send it has no more to show than the head.
    if (this.expectsContinue || this.body.ready) this.arrive();
    else this.timer.arm(LIMITS.body, this.gate.settings.timeouts.bodyMs);
  }

  private bodyReady(): void {
    if (this.phase === 'coming') this.arrive();
    else if (this.phase === 'leased') this.service?.bodyReady();
  }

  private arrive(): void {
    const { seq, client, attempt, deadlineUs } = this.facts;
    this.phase = 'queued';
    this.timer.stop();
    this.arrivedUs = this.gate.clock.nowUs();
    this.ageUs = queueAgeUs(this.gate.machine.admission.view, this.arrivedUs);
    this.gate.machine.arrive(
      {
        seq: seq ?? this.gate.nextSeq(),
        attempt,
        class: this.className,
        ...(client === undefined ? {} : { client }),
        ...(deadlineUs === undefined ? {} : { deadlineUs }),
      },
      (effect) => this.onEffect(effect),
      (fault) => this.onFault(fault),
    );
  }

  // ── What the gate decides ───────────────────────────────────────────────────────────────

  private onEffect(effect: TicketEffect): void {
    this.id = effect.id;
    if (this.phase === 'over') return;
    switch (effect.type) {
      case 'granted':
        this.granted(effect);
        break;
      case 'queued':
        this.noteShadow(effect);
        break;
      case 'rejected':
        this.turnAway('reject', effect, 0);
        break;
      case 'expired':
        this.turnAway('expire', effect, effect.waitUs);
        break;
      case 'killed':
        this.gate.metrics.killed.inc({ reason: effect.code });
        this.endedByGate('killed', effect.code, effect.reason);
        break;
      case 'replay':
        this.restartTokens = effect.restartTokens;
        this.service?.replay(effect.resumeTokens);
        break;
      case 'failed':
        this.restartTokens = effect.restartTokens;
        this.endedByGate('failed', effect.code, effect.reason);
        break;
    }
  }

  private granted(effect: EffectOf<'granted'>): void {
    this.waitUs = effect.waitUs;
    this.noteShadow(effect);
    this.gate.decided(this, 'admit', 'none', this.ageUs, effect.waitUs);
    this.phase = 'leased';
    this.gate.leased.set(this.id, this);
    if (this.expectsContinue) this.response.writeContinue();
    const { request, body, reply, timer } = this;
    this.service = new Service(this.gate, this, { request, body, reply, timer });
    this.service.start();
  }

  private noteShadow({ shadow }: EffectOf<'granted'> | EffectOf<'queued'>): void {
    if (shadow === undefined) return;
    this.gate.metrics.wouldReject.inc({ reason: shadow.code });
    this.gate.log('shadow', { reason: shadow.code, seq: this.facts.seq, class: this.className });
  }

  private turnAway(
    decision: 'reject' | 'expire',
    effect: EffectOf<'rejected'> | EffectOf<'expired'>,
    waitUs: number,
  ): void {
    const { code, reason, queueAgeUs: age, retryAfterUs } = effect;
    this.gate.decided(this, decision, code, age, waitUs);
    this.leave(decision === 'reject' ? 'rejected' : 'expired');
    const { kind } = this.rules;
    sendRefusal(
      this.response,
      { decision, code, reason, queueAgeUs: age, waitUs, retryAfterUs, kind },
      this.gate.clock,
    );
  }

  private endedByGate(outcome: 'killed' | 'failed', code: string, reason: string): void {
    this.service?.abort();
    this.leave(outcome);
    // The caller has the upstream's own error frame already: one is enough.
    if (this.service?.toldFailure) this.reply.end();
    else this.tellFailure(503, code, reason);
  }

  private onFault(fault: Error): void {
    this.service?.abort();
    this.leave('failed');
    this.tellFailure(503, 'ledger_unwritable', `nothing is admitted: ${fault.message}`);
  }

  // ── What others ask ─────────────────────────────────────────────────────────────────────

  /** The caller reads more slowly than the upstream writes. */
  get stalled(): boolean {
    return this.reply.stalled;
  }

  private drained(): void {
    if (this.phase === 'over') return;
    this.hasRead();
    this.service?.drained();
  }

  hasRead(): void {
    this.lastReadUs = this.gate.clock.nowUs();
  }

  /** Output tokens so far, those of earlier runs that were not lost included. */
  get tokens(): number {
    return this.service?.tokens ?? 0;
  }

  get demand(): string | undefined {
    return this.facts.demand;
  }

  get isOver(): boolean {
    return this.phase === 'over';
  }

  isOn(socket: Socket): boolean {
    return this.request.socket === socket;
  }

  // ── What goes wrong ─────────────────────────────────────────────────────────────────────

  private timedOut({ status, message }: Limit): void {
    this.gate.metrics.failures.inc({ kind: 'timeout' });
    this.service?.abort();
    this.leave('failed');
    this.tellFailure(status, 'timeout', message);
  }

  decisionFields(reason: string): string[] {
    return admittedFields(reason, this.ageUs, this.waitUs);
  }

  tellFailure(status: FailureStatus, code: string, message: string): void {
    if (this.response.destroyed) return;
    if (this.reply.committed) {
      this.reply.fail(code, message);
      return;
    }
    const headers = this.decisionFields(code);
    if (status === 503) headers.push('retry-after', '1', 'retry-after-ms', '1000');
    sendFailure(this.response, status, code, message, headers);
  }

  /** The connection closed. Nothing where the answer had been handed over. */
  callerGone(): void {
    if (this.phase === 'over') return;
    const phase = this.whereItStands();
    this.gate.metrics.clientGone.inc({ phase });
    this.gate.log('gone', { phase, seq: this.facts.seq, class: this.className });
    this.service?.abort();
    this.leave('abandoned');
  }

  /** As one who has gone is counted. */
  private whereItStands(): 'body' | 'queued' | 'leased' {
    if (this.phase === 'queued') return 'queued';
    return this.service === undefined || this.service.awaitsBody ? 'body' : 'leased';
  }

  /** The one way out: the slot goes back, once, and nothing of this request stays behind. */
  leave(outcome: Outcome): void {
    if (this.phase === 'over') return;
    const cameInside = this.phase !== 'coming';
    this.phase = 'over';
    this.timer.stop();
    if (cameInside) this.giveBack(outcome);
    this.body.close();
    this.gate.left(this);
  }

  private giveBack(outcome: Outcome): void {
    const { machine, metrics, clock } = this.gate;
    if (outcome === 'abandoned') machine.cancel(this.id);
    if (outcome === 'completed' || outcome === 'failed') machine.release(this.id, outcome);
    if (outcome === 'completed') {
      metrics.turnaroundS.observe(
        { class: this.className },
        sFromUs(clock.nowUs() - this.arrivedUs),
      );
    }
    metrics.outcomes.inc({ class: this.className, outcome });
  }
}
