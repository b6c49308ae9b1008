/**
 * One request on the wire.
 *
 *   delayed ──► at the model ──► answered         (the last chunk is written)
 *      │             ├─ preempted ─► told by frame, by reset, or not at all
 *      │             └─ failed ────► 400
 *      └─────────────┴─ client gone ─► cancelled in the model, one `abort` line
 */
import type { ServerResponse } from 'node:http';
import { usableResume } from '../src/model/token-work.ts';
import type { Effect } from '../src/model/types.ts';
import { usFromS } from '../src/units.ts';
import type { AnswerHead, FinishReason, Usage } from './answer.ts';
import { ChunkWriter, completionJson, errorJson } from './answer.ts';
import type { Listener } from './driver.ts';
import type { Fault } from './faults.ts';
import { endPaced } from './paced-writer.ts';
import { MODEL_NAME, type Site } from './site.ts';
import type { ChatRequest, Work } from './work.ts';

type EffectOf<T extends Effect['type']> = Extract<Effect, { type: T }>;

/**
 * Each token is an event of its own, but a stream is written to at most this often (50 times a
 * second of wall time): what was made in between goes out in one write.
 */
const WRITE_GAP_MS = 20;
/** A load that falls makes tokens come sooner than was foreseen; so ask again after this long. */
const ASK_AGAIN_MS = 1000;

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const STREAM_TYPE = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

export interface ExchangeParts {
  readonly chat: ChatRequest;
  readonly work: Work;
  readonly response: ServerResponse;
  readonly fault: Fault;
  /** As the caller asked in `x-loadline-resume-tokens`. */
  readonly resumeTokens: number;
  readonly seq: number | undefined;
}

export class Exchange implements Listener {
  private readonly id: number;
  private readonly head: AnswerHead;
  private readonly chunks: ChunkWriter;
  private readonly resumed: number;
  private readonly arrivedUs: number;
  private startedUs = 0;
  private phase: 'delayed' | 'at the model' | 'over' = 'delayed';
  private delay: NodeJS.Timeout | undefined;
  private sent: number;
  private writtenUs = 0;
  private isBlocked = false;

  constructor(
    private readonly site: Site,
    private readonly parts: ExchangeParts,
  ) {
    const { chat, work, resumeTokens } = parts;
    this.id = site.driver.register(this);
    this.arrivedUs = site.clock.nowUs();
    this.resumed = site.scenario.model.resume
      ? usableResume(resumeTokens, work.demand.outTokens)
      : 0;
    this.sent = this.resumed;
    const created = Math.floor(Date.now() / 1000);
    const model = chat.model || MODEL_NAME;
    this.head = { id: `chatcmpl-${work.class}-${work.keySeq}`, model, created };
    this.chunks = new ChunkWriter(this.head, chat.includeUsage);
  }

  begin(): void {
    const { response, fault, seq } = this.parts;
    if (seq !== undefined) this.site.bySeq.set(seq, this.id);
    response.once('close', () => this.onClose());
    if (fault.type === 'slow-headers') {
      const ms = this.site.clock.wallMs(usFromS(fault.delayS));
      this.delay = setTimeout(() => this.start(), ms);
    } else this.start();
  }

  onEffect(effect: Effect): void {
    if (this.phase !== 'at the model') return;
    if (effect.type === 'started') this.onStarted(effect);
    else if (effect.type === 'finished') this.onFinished(effect);
    else if (effect.type === 'preempted') this.onPreempted(effect);
    else this.onTooLarge();
  }

  onAsked(): void {
    if (this.phase === 'at the model' && !this.isBlocked) this.flush();
  }

  private start(): void {
    const { demand, keySeq, attempt, class: name } = this.parts.work;
    this.phase = 'at the model';
    this.site.driver.start({
      id: this.id,
      class: name,
      demand,
      keySeq,
      attempt,
      resumeTokens: this.resumed,
    });
  }

  private onStarted({ atUs }: EffectOf<'started'>): void {
    this.startedUs = atUs;
    this.site.metrics.promptTaken(this.parts.work.demand.inTokens);
    if (!this.parts.chat.stream) return;
    this.parts.response.writeHead(200, STREAM_TYPE);
    this.write(this.chunks.role());
    this.askAgain();
  }

  private onFinished({ atUs, firstTokenUs, outTokens }: EffectOf<'finished'>): void {
    const { site, parts } = this;
    const reason: FinishReason = parts.work.isCut ? 'length' : 'stop';
    this.phase = 'over';
    site.metrics.ended(reason);
    site.metrics.tokensMade(outTokens - this.sent);
    site.metrics.served({
      arrivedUs: this.arrivedUs,
      startedUs: this.startedUs,
      firstTokenUs,
      endUs: atUs,
      tokens: outTokens - this.resumed,
    });
    const usage = { promptTokens: parts.work.demand.inTokens, completionTokens: outTokens };
    if (parts.fault.type === 'truncate') this.truncate(usage);
    else if (parts.chat.stream) {
      const text = this.chunks.tokens(this.sent, outTokens) + this.chunks.end(reason, usage);
      endPaced(parts.response, text);
    } else this.answer(200, completionJson(this.head, reason, usage));
  }

  private onPreempted(effect: EffectOf<'preempted'>): void {
    const { site, parts } = this;
    this.phase = 'over';
    site.metrics.preempted();
    site.metrics.tokensMade(effect.outTokens - this.sent);
    site.log({ event: 'preempt', id: this.id, why: effect.why, tokens: effect.outTokens });
    const signal = site.scenario.model.preemptSignal;
    if (signal === 'reset') parts.response.socket?.resetAndDestroy();
    if (signal !== 'error') return;
    const body = errorJson('preempted', 'the slot of this request was taken back', {
      prompt_tokens: parts.work.demand.inTokens,
      output_tokens: effect.outTokens,
      checkpoint_tokens: effect.checkpointTokens,
    });
    if (!parts.response.headersSent) this.answer(503, body);
    else {
      const tokens = this.chunks.tokens(this.sent, effect.outTokens);
      endPaced(parts.response, `${tokens}data: ${body}\n\n`);
    }
  }

  private onTooLarge(): void {
    this.phase = 'over';
    this.site.metrics.ended('error');
    this.answer(400, errorJson('too_large', 'this request can never fit into memory'));
  }

  /** Tokens made since the last write go out. */
  private flush(): void {
    const { site, parts } = this;
    const made = site.driver.tokens(this.id);
    if (made > this.sent) {
      const limit = parts.fault.type === 'truncate' ? parts.fault.afterTokens : made;
      const text = this.chunks.tokens(this.sent, Math.min(made, limit));
      site.metrics.tokensMade(made - this.sent);
      this.sent = made;
      if (parts.fault.type === 'truncate' && made >= limit) this.cutOff(text);
      else this.write(text);
    }
    this.askAgain();
  }

  private write(text: string): void {
    const { response } = this.parts;
    this.writtenUs = this.site.clock.nowUs();
    if (response.write(text)) return;
    this.isBlocked = true;
    response.once('drain', () => {
      this.isBlocked = false;
      if (this.phase === 'at the model') this.site.driver.askAt(this.id, this.writtenUs);
    });
  }

  private askAgain(): void {
    if (this.isBlocked || this.phase !== 'at the model') return;
    const { driver, clock } = this.site;
    const next = driver.nextTokenUs(this.id);
    if (next === undefined) return;
    const paced = Math.max(next, this.writtenUs + clock.scenarioUs(WRITE_GAP_MS));
    driver.askAt(this.id, Math.min(paced, clock.nowUs() + clock.scenarioUs(ASK_AGAIN_MS)));
  }

  private answer(status: number, body: string): void {
    const length = Buffer.byteLength(body);
    this.parts.response.writeHead(status, { ...JSON_TYPE, 'content-length': length });
    endPaced(this.parts.response, body);
  }

  /** A stream stops in the middle for good, and so does the work on it. */
  private cutOff(text: string): void {
    this.phase = 'over';
    this.site.driver.cancel(this.id);
    this.parts.response.write(text, () => this.parts.response.destroy());
  }

  /** The work is done, but its answer does not come whole. */
  private truncate(usage: Usage): void {
    const { response, chat, fault } = this.parts;
    const limit = fault.type === 'truncate' ? fault.afterTokens : 0;
    if (chat.stream) {
      const text = this.chunks.tokens(this.sent, Math.min(limit, usage.completionTokens));
      response.write(text, () => response.destroy());
      return;
    }
    const body = completionJson(this.head, 'stop', usage);
    response.writeHead(200, { ...JSON_TYPE, 'content-length': Buffer.byteLength(body) });
    response.write(body.slice(0, body.length >> 1), () => response.destroy());
  }

  /** The connection is done with this answer, or the client has gone. */
  private onClose(): void {
    const { site, parts } = this;
    clearTimeout(this.delay);
    // What is due by now has happened: an answer that was ready is no abort.
    if (this.phase !== 'over') site.driver.catchUp();
    if (this.phase !== 'over') this.abort();
    if (parts.seq !== undefined && site.bySeq.get(parts.seq) === this.id) {
      site.bySeq.delete(parts.seq);
    }
    site.driver.forget(this.id);
  }

  private abort(): void {
    const { site } = this;
    const tokens = site.driver.tokens(this.id);
    const wasStarted = this.phase === 'at the model';
    this.phase = 'over';
    if (wasStarted) site.driver.cancel(this.id);
    site.metrics.tokensMade(Math.max(0, tokens - this.sent));
    site.metrics.ended('abort');
    site.log({ event: 'abort', id: this.id, class: this.parts.work.class, tokens });
  }
}
