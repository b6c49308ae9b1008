/**
 * What is done for a request that has its slot: it is sent to the upstream, and what comes back is
 * handed to its caller.
 *
 *     body ──► sending ──► answering ──► the exchange leaves
 *                │  ▲         │  ▲
 *                └──┴─ replay ┘  └─ a preempt starts it again
 */
import type { IncomingMessage } from 'node:http';
import type { ClassRules } from '../admission/types.ts';
import { Answer } from './answer.ts';
import type { RequestBody } from './body.ts';
import type { GateContext } from './context.ts';
import { promptTokensOf } from './demand.ts';
import { requestFields } from './headers.ts';
import { LIMITS, type PhaseTimer } from './phase-timer.ts';
import { Progress } from './progress.ts';
import { answerTo, type FailureStatus } from './refusal.ts';
import type { Reply } from './reply.ts';
import type { StreamError } from './sse.ts';
import type { Sending, UpstreamEvents, UpstreamFailure } from './upstream.ts';

/** A reused connection that was already dead fails at once; later than this it is a real reset. */
const STALE_CONNECTION_MS = 250;

/** The exchange as its service sees it. */
export interface Served {
  readonly id: number;
  readonly isOver: boolean;
  readonly demand: string | undefined;
  readonly rules: ClassRules;
  /** What the gate tells of its decision, for the head of an answer. */
  decisionFields(reason: string): string[];
  /** The caller has taken something. */
  hasRead(): void;
  /** The slot goes back; the answer may still be on its way to the caller. */
  leave(outcome: 'completed' | 'failed'): void;
  /** Tells the caller of a failure, inside the answer where it has begun. */
  tellFailure(status: FailureStatus, code: string, message: string): void;
}

export interface ServiceParts {
  readonly request: IncomingMessage;
  readonly body: RequestBody;
  readonly reply: Reply;
  readonly timer: PhaseTimer;
}

export class Service implements UpstreamEvents {
  private phase: 'body' | 'sending' | 'answering' = 'body';
  private sending: Sending | undefined;
  private sentAtMs = 0;
  private retried = false;
  private resumeTokens: number | undefined;
  private readonly answer: Answer;
  private readonly progress: Progress;

  constructor(
    private readonly gate: GateContext,
    private readonly served: Served,
    private readonly parts: ServiceParts,
  ) {
    this.answer = new Answer(parts.reply, () => served.decisionFields('none'));
    this.progress = new Progress((tokens) => gate.machine.progress(served.id, tokens));
  }

  /** The slot is there. A body that may be sent before it is whole waits for no end of it. */
  start(): void {
    const { body, timer } = this.parts;
    body.read();
    if (body.ready) this.send();
    else timer.arm(LIMITS.body, this.gate.settings.timeouts.bodyMs);
  }

  bodyReady(): void {
    if (this.phase === 'body') this.send();
    else if (this.phase === 'sending') this.awaitAnswer();
  }

  /** Nothing has gone upstream yet. */
  get awaitsBody(): boolean {
    return this.phase === 'body';
  }

  /** Ends the try in flight; nothing is heard of it any more. */
  abort(): void {
    this.sending?.abort();
  }

  /** The caller has had the upstream's own word for what went wrong. */
  get toldFailure(): boolean {
    return this.answer.told;
  }

  /** Output tokens so far, those of earlier runs that were not lost included. */
  get tokens(): number {
    return (this.resumeTokens ?? 0) + this.answer.tokens;
  }

  // ── Toward the upstream ─────────────────────────────────────────────────────────────────

  private send(): void {
    const { request, body, timer } = this.parts;
    this.phase = 'sending';
    timer.arm(LIMITS.connect, this.gate.settings.timeouts.connectMs);
    const headers = requestFields(request.rawHeaders, this.gate.settings.upstreamIsStub);
    if (this.resumeTokens !== undefined) {
      headers.push('x-loadline-resume-tokens', String(this.resumeTokens));
    }
    this.sending = this.gate.upstream.send(
      {
        method: request.method ?? 'GET',
        path: this.gate.upstreamPath(request.url ?? '/'),
        headers,
        body: body.complete ? body.whole() : body.stream(),
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
    const { body, timer } = this.parts;
    const { bodyMs, firstByteMs } = this.gate.settings.timeouts;
    if (body.complete) timer.arm(LIMITS.firstByte, firstByteMs);
    else timer.arm(LIMITS.body, bodyMs);
  }

  // ── The answer ──────────────────────────────────────────────────────────────────────────

  onHead(status: number, raw: readonly (Buffer | string)[], statusText: string): void {
    const { body, reply, timer } = this.parts;
    this.phase = 'answering';
    timer.arm(LIMITS.idle, this.gate.settings.timeouts.idleMs);
    const replayable = this.served.rules.replay && body.resendable;
    const holdbackFor = (eventStream: boolean) => this.gate.holdback(eventStream);
    if (this.answer.begin(status, raw, statusText, replayable ? holdbackFor : undefined)) return;
    this.abort();
    this.served.leave('failed');
    reply.fail('upstream_status', `the restart was answered with ${status}`);
  }

  onChunk(chunk: Buffer): boolean {
    this.parts.timer.refresh();
    const bytes = this.answer.take(chunk);
    this.progress.nowAndThen(this.tokens);
    const goOn = bytes === undefined || this.pass(bytes);
    const preempt = this.answer.preemptInStream;
    if (preempt === undefined || this.served.isOver) return goOn;
    this.abort();
    this.preempted(preempt);
    return true;
  }

  /** Passes bytes on. False: the caller does not read as fast. */
  private pass(bytes: Buffer): boolean {
    if (this.served.isOver) return true;
    const { reply, timer } = this.parts;
    this.answer.commit();
    if (reply.waitingBytes === 0) this.served.hasRead();
    if (reply.write(bytes)) return true;
    timer.arm(LIMITS.write, this.gate.settings.timeouts.writeMs);
    return false;
  }

  /** The caller has taken all that waited for it. */
  drained(): void {
    this.parts.timer.arm(LIMITS.idle, this.gate.settings.timeouts.idleMs);
    this.sending?.resume();
  }

  onEnd(): void {
    const { answer } = this;
    const preempt = answer.preemptInStream ?? answer.preemptInBody;
    if (preempt !== undefined) {
      this.preempted(preempt);
      return;
    }
    this.progress.now(this.tokens);
    if (this.served.isOver) return;
    const rest = answer.rest();
    if (rest !== undefined) this.pass(rest);
    const { failure } = answer;
    if (failure !== undefined) this.gate.metrics.failures.inc({ kind: failure });
    this.countTokens();
    this.served.leave(failure === undefined ? 'completed' : 'failed');
    answer.commit();
    this.parts.reply.end();
  }

  private countTokens(): void {
    const { promptTokens, outputTokens } = this.answer.usage;
    this.gate.metrics.tokenIn.inc(promptTokens ?? promptTokensOf(this.served.demand));
    this.gate.metrics.tokenOut.inc(outputTokens ?? this.tokens);
  }

  // ── Preempts ────────────────────────────────────────────────────────────────────────────

  /** Tells the machine what was lost; it answers with `replay` or `failed`. */
  private preempted(error: StreamError | undefined): void {
    this.gate.metrics.preempts.inc();
    const outputTokens = error?.outputTokens ?? this.tokens;
    this.gate.machine.preempted({
      type: 'preempted',
      id: this.served.id,
      promptTokens: error?.promptTokens ?? promptTokensOf(this.served.demand),
      outputTokens,
      checkpointTokens: this.gate.checkpointOf(outputTokens, error?.checkpointTokens),
    });
  }

  /** Begins again from so many tokens, where the upstream can go on from them. */
  replay(resumeTokens: number): void {
    const { answer } = this;
    if (!this.parts.body.resendable || answer.spent) {
      this.served.leave('failed');
      this.served.tellFailure(503, 'preempted', 'too large to be sent again');
      return;
    }
    const resume = this.gate.resumes ? resumeTokens : 0;
    this.resumeTokens = this.gate.settings.upstreamIsStub ? resume : undefined;
    answer.restart(resume);
    this.progress.restart(resume);
    this.send();
  }

  // ── What goes wrong ─────────────────────────────────────────────────────────────────────

  onFail(failure: UpstreamFailure): void {
    if (this.served.isOver) return;
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
    this.served.leave('failed');
    const { status, code } = answerTo(failure.kind);
    this.served.tellFailure(status, code, failure.message);
  }

  /** Our stub breaks off for no other reason; a killed host's kernel closes as often as it resets. */
  private meansPreempt({ kind }: UpstreamFailure): boolean {
    return this.gate.settings.upstreamIsStub && (kind === 'reset' || kind === 'truncated');
  }

  private maySendAgain(failure: UpstreamFailure): boolean {
    if (!failure.untouched || this.retried || !this.parts.body.resendable) return false;
    return performance.now() - this.sentAtMs < STALE_CONNECTION_MS;
  }
}
