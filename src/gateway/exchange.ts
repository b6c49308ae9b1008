/**
 * The life of one request at the gate:
 *
 *     coming ──► queued ──► body ──► sending ──► answering ──► over
 *        │          │        │          │  ▲         │  ▲
 *        │          │        │          └──┴─ replay ┘  └─ a preempt starts it again
 *        └──────────┴────────┴── turned away, failed, killed, or its caller has gone ──► over
 *
 * A request is at the gate when it is whole, so that one who sends half of it takes no slot.
 * Whichever side ends first, the slot goes back once: each way out leads through `leave`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ClassRules, queueAgeUs } from '../admission/types.ts';
import { sFromUs } from '../units.ts';
import { Answer } from './answer.ts';
import { RequestBody } from './body.ts';
import type { GateContext } from './context.ts';
import { promptTokensOf } from './demand.ts';
import type { TicketEffect } from './gate.ts';
import { type CallerFacts, callerFacts, requestFields } from './headers.ts';
import { LIMITS, type Limit, PhaseTimer } from './phase-timer.ts';
import { Progress } from './progress.ts';
import {
  admittedFields,
  answerTo,
  type FailureStatus,
  sendFailure,
  sendRefusal,
} from './refusal.ts';
import { Reply } from './reply.ts';
import type { StreamError } from './sse.ts';
import type { Sending, UpstreamEvents, UpstreamFailure } from './upstream.ts';

type EffectOf<T extends TicketEffect['type']> = Extract<TicketEffect, { type: T }>;
type Phase = 'coming' | 'queued' | 'body' | 'sending' | 'answering' | 'over';
type Outcome = 'completed' | 'failed' | 'rejected' | 'expired' | 'abandoned' | 'killed';
/** A reused connection that was already dead fails at once; later than this it is a real reset. */
const STALE_CONNECTION_MS = 250;
/** Where a caller stood who has gone, as it is counted. */
const GONE_AT = {
  coming: 'body',
  queued: 'queued',
  body: 'body',
  sending: 'leased',
  answering: 'leased',
} as const satisfies Record<Exclude<Phase, 'over'>, string>;

export class Exchange implements UpstreamEvents {
  /** The gate's, from its first word on; -1 before. */
  id = -1;
  /** When the caller last took something; undefined before it had anything to take. */
  lastReadUs: number | undefined;
  restartTokens = 0;
  readonly className: string;
  readonly facts: CallerFacts;
  private readonly rules: ClassRules;
  private arrivedUs = 0;
  private ageUs = 0;
  private readonly body: RequestBody;
  private readonly reply: Reply;
  private readonly answer: Answer;
  private readonly timer = new PhaseTimer((limit) => this.timedOut(limit));
  private phase: Phase = 'coming';
  private sending: Sending | undefined;
  private waitUs = 0;
  private sentAtMs = 0;
  private readonly progress = new Progress((tokens) => this.gate.machine.progress(this.id, tokens));
  private retried = false;
  private resumeTokens: number | undefined;

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
    this.answer = new Answer(this.reply, () => admittedFields('none', this.ageUs, this.waitUs));
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
    else if (this.phase === 'body') this.send();
    else if (this.phase === 'sending') this.awaitAnswer();
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
        this.replay(effect);
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
    this.phase = 'body';
    this.gate.leased.set(this.id, this);
    if (this.expectsContinue) this.response.writeContinue();
    this.body.read();
    if (this.body.ready) this.send();
    else this.timer.arm(LIMITS.body, this.gate.settings.timeouts.bodyMs);
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
    this.sending?.abort();
    this.leave(outcome);
    // The caller has the upstream's own error frame already: one is enough.
    if (this.answer.told) this.reply.end();
    else this.answerFailure(503, code, reason);
  }

  private onFault(fault: Error): void {
    this.sending?.abort();
    this.leave('failed');
    this.answerFailure(503, 'ledger_unwritable', `nothing is admitted: ${fault.message}`);
  }

  // ── Toward the upstream ─────────────────────────────────────────────────────────────────

  private send(): void {
    this.phase = 'sending';
    this.timer.arm(LIMITS.connect, this.gate.settings.timeouts.connectMs);
    const headers = requestFields(this.request.rawHeaders, this.gate.settings.upstreamIsStub);
    if (this.resumeTokens !== undefined) {
      headers.push('x-loadline-resume-tokens', String(this.resumeTokens));
    }
    this.sending = this.gate.upstream.send(
      {
        method: this.request.method ?? 'GET',
        path: this.gate.upstreamPath(this.request.url ?? '/'),
        headers,
        body: this.body.complete ? this.body.whole() : this.body.stream(),
      },
      this,
    );
  }

  onSending(): void {
    this.sentAtMs = performance.now();
    this.awaitAnswer();
  }

  /** An answer is not late before the request is whole. */
  private awaitAnswer(): void {
    const { bodyMs, firstByteMs } = this.gate.settings.timeouts;
    if (this.body.complete) this.timer.arm(LIMITS.firstByte, firstByteMs);
    else this.timer.arm(LIMITS.body, bodyMs);
  }

  // ── The answer ──────────────────────────────────────────────────────────────────────────

  onHead(status: number, raw: readonly (Buffer | string)[], statusText: string): void {
    this.phase = 'answering';
    this.timer.arm(LIMITS.idle, this.gate.settings.timeouts.idleMs);
    const replayable = this.rules.replay && this.body.resendable;
    const holdbackFor = (eventStream: boolean) => this.gate.holdback(eventStream);
    if (this.answer.begin(status, raw, statusText, replayable ? holdbackFor : undefined)) return;
    this.sending?.abort();
    this.leave('failed');
    this.reply.fail('upstream_status', `the restart was answered with ${status}`);
  }

  onChunk(chunk: Buffer): boolean {
    this.timer.refresh();
    const bytes = this.answer.take(chunk);
    this.progress.nowAndThen(this.tokens);
    const goOn = bytes === undefined || this.pass(bytes);
    const preempt = this.answer.preemptInStream;
    if (preempt === undefined || this.phase === 'over') return goOn;
    this.sending?.abort();
    this.preempted(preempt);
    return true;
  }

  /** Passes bytes on. False: the caller does not read as fast. */
  private pass(bytes: Buffer): boolean {
    if (this.phase === 'over') return true;
    this.answer.commit();
    if (this.reply.waitingBytes === 0) this.lastReadUs = this.gate.clock.nowUs();
    if (this.reply.write(bytes)) return true;
    this.timer.arm(LIMITS.write, this.gate.settings.timeouts.writeMs);
    return false;
  }

  private drained(): void {
    if (this.phase === 'over') return;
    this.lastReadUs = this.gate.clock.nowUs();
    this.timer.arm(LIMITS.idle, this.gate.settings.timeouts.idleMs);
    this.sending?.resume();
  }

  /** The caller reads more slowly than the upstream writes. */
  get stalled(): boolean {
    return this.reply.stalled;
  }

  /** Output tokens so far, those of earlier runs that were not lost included. */
  get tokens(): number {
    return (this.resumeTokens ?? 0) + this.answer.tokens;
  }

  isOn(socket: Socket): boolean {
    return this.request.socket === socket;
  }

  onEnd(): void {
    const preempt = this.answer.preemptInStream ?? this.answer.preemptInBody;
    if (preempt !== undefined) {
      this.preempted(preempt);
      return;
    }
    this.progress.now(this.tokens);
    if (this.phase === 'over') return;
    const rest = this.answer.rest();
    if (rest !== undefined) this.pass(rest);
    const { failure } = this.answer;
    if (failure !== undefined) this.gate.metrics.failures.inc({ kind: failure });
    this.countTokens();
    this.leave(failure === undefined ? 'completed' : 'failed');
    this.answer.commit();
    this.reply.end();
  }

  private countTokens(): void {
    const { promptTokens, outputTokens } = this.answer.usage;
    this.gate.metrics.tokenIn.inc(promptTokens ?? promptTokensOf(this.facts.demand));
    this.gate.metrics.tokenOut.inc(outputTokens ?? this.tokens);
  }

  // ── Preempts ────────────────────────────────────────────────────────────────────────────

  /** Tells the machine what was lost; it answers with `replay` or `failed`. */
  private preempted(error: StreamError | undefined): void {
    this.gate.metrics.preempts.inc();
    const outputTokens = error?.outputTokens ?? this.tokens;
    this.gate.machine.preempted({
      type: 'preempted',
      id: this.id,
      promptTokens: error?.promptTokens ?? promptTokensOf(this.facts.demand),
      outputTokens,
      checkpointTokens: this.gate.checkpointOf(outputTokens, error?.checkpointTokens),
    });
  }

  private replay(effect: EffectOf<'replay'>): void {
    this.restartTokens = effect.restartTokens;
    if (!this.body.resendable || this.answer.spent) {
      this.cannotReplay();
      return;
    }
    const resume = this.gate.resumes ? effect.resumeTokens : 0;
    this.resumeTokens = this.gate.settings.upstreamIsStub ? resume : undefined;
    this.answer.restart(resume);
    this.progress.restart(resume);
    this.send();
  }

  private cannotReplay(): void {
    this.leave('failed');
    this.answerFailure(503, 'preempted', 'too large to be sent again');
  }

  // ── What goes wrong ─────────────────────────────────────────────────────────────────────

  onFail(failure: UpstreamFailure): void {
    if (this.phase === 'over') return;
    if (this.maySendAgain(failure)) {
      this.retried = true;
      this.gate.metrics.transportRetries.inc();
      this.send();
      return;
    }
    this.gate.metrics.failures.inc({ kind: failure.kind });
    if (failure.kind === 'connect') this.gate.upstreamLost(failure.message);
    if (this.meansPreempt(failure)) {
      this.preempted(this.answer.preemptInStream);
      return;
    }
    this.leave('failed');
    const { status, code } = answerTo(failure.kind);
    this.answerFailure(status, code, failure.message);
  }

  /** Our stub breaks off for no other reason; a killed host's kernel closes as often as it resets. */
  private meansPreempt({ kind }: UpstreamFailure): boolean {
    return this.gate.settings.upstreamIsStub && (kind === 'reset' || kind === 'truncated');
  }

  private maySendAgain(failure: UpstreamFailure): boolean {
    if (!failure.untouched || this.retried || !this.body.resendable) return false;
    return performance.now() - this.sentAtMs < STALE_CONNECTION_MS;
  }

  private timedOut({ status, message }: Limit): void {
    this.gate.metrics.failures.inc({ kind: 'timeout' });
    this.sending?.abort();
    this.leave('failed');
    this.answerFailure(status, 'timeout', message);
  }

  private answerFailure(status: FailureStatus, code: string, message: string): void {
    if (this.response.destroyed) return;
    if (this.reply.committed) {
      this.reply.fail(code, message);
      return;
    }
    const headers = admittedFields(code, this.ageUs, this.waitUs);
    if (status === 503) headers.push('retry-after', '1', 'retry-after-ms', '1000');
    sendFailure(this.response, status, code, message, headers);
  }

  /** The connection closed. Nothing where the answer had been handed over. */
  callerGone(): void {
    if (this.phase === 'over') return;
    const phase = GONE_AT[this.phase];
    this.gate.metrics.clientGone.inc({ phase });
    this.gate.log('gone', { phase, seq: this.facts.seq, class: this.className });
    this.sending?.abort();
    this.leave('abandoned');
  }

  /** The one way out: the slot goes back, once, and nothing of this request stays behind. */
  private leave(outcome: Outcome): void {
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
