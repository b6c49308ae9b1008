/** From the bytes of one answer to what it was: whole, refused, killed, or failed and why. */
import { retryAfterUs } from '../../client/retry-after.ts';
import {
  codeOfError,
  codeOfStatus,
  gateFailure,
  isKill,
  isQuotaSpent,
} from '../../ledger/failure.ts';
import { type Code, codeNamed, type FailureCode, type KillCode } from '../../ledger/rows.ts';
import {
  type EventStream,
  errorOf,
  newFacts,
  readEventStream,
  takeObject,
} from './event-stream.ts';
import { pageTold, told } from './told.ts';
import type { HeaderFields, WireFailure } from './wire.ts';

/** How an attempt ended, as its caller saw it. */
export type Ending =
  | { readonly as: 'completed' }
  /** Turned away. `code` is the gate's; `overload` where somebody else's server said it. */
  | {
      readonly as: 'rejected' | 'expired';
      readonly code: Code | FailureCode;
      readonly retryAfterUs: number | undefined;
      readonly mayRetry: boolean;
      readonly text: string;
    }
  | {
      readonly as: 'failed' | 'undecided' | 'killed';
      readonly code: Code | KillCode | FailureCode;
      readonly mayRetry: boolean;
      readonly text: string;
      /** The account is spent: nothing that is sent after this can be answered. */
      readonly quotaSpent?: boolean;
    };

/** What an answer may keep of a body that is no event stream. */
const KEPT_BYTES = 4 * 2 ** 20;

/** Reads one answer. */
export class Answer {
  status = 0;
  private headers: HeaderFields = {};
  private stream: EventStream | undefined;
  private body: Buffer[] = [];
  private bodyBytes = 0;
  private sniffed = false;

  /**
   * @param gated a gate of ours stands in front, and says so in its headers
   * @param key what authorized the request: in no text of an ending
   */
  constructor(
    private readonly gated: boolean,
    private readonly key?: string,
  ) {}

  get facts() {
    return this.stream?.facts ?? this.whole;
  }

  private readonly whole = newFacts();

  head(status: number, headers: HeaderFields): void {
    this.status = status;
    this.headers = headers;
    if (status < 300 && this.field('content-type').startsWith('text/event-stream')) {
      this.stream = readEventStream();
    }
  }

  chunk(bytes: Buffer): void {
    if (!this.sniffed) this.sniff(bytes);
    if (this.stream !== undefined) this.stream.push(bytes);
    else if (this.bodyBytes < KEPT_BYTES) {
      this.body.push(bytes);
      this.bodyBytes += bytes.length;
    }
  }

  /** Some servers stream events under another name. */
  private sniff(bytes: Buffer): void {
    this.sniffed = true;
    const isEvents = /^(data|event|id|retry)?:/.test(bytes.toString('latin1', 0, 8));
    if (this.status < 300 && isEvents) this.stream ??= readEventStream();
  }

  /** The bytes are over, as they should be. */
  end(nowEpochMs: number): Ending {
    if (this.status >= 300) return this.ofStatus(nowEpochMs);
    if (this.stream !== undefined) return this.ofStream();
    return this.ofBody();
  }

  /** The connection broke. What was whole by then stands. */
  broken(failure: WireFailure): Ending {
    if (this.stream?.facts.finished === true) return this.ofStream();
    const error = this.stream?.facts.error;
    if (error !== undefined) return this.ofStream();
    const as = this.gated && this.status === 0 ? 'undecided' : 'failed';
    return { as, code: failure.kind, mayRetry: true, text: failure.message };
  }

  private field(name: string): string {
    const value = this.headers[name];
    return (Array.isArray(value) ? value[0] : value)?.toLowerCase() ?? '';
  }

  private ofStatus(nowEpochMs: number): Ending {
    const mayRetry = this.field('x-should-retry') !== 'false';
    const said = told(this.text(), this.key);
    const { page } = this;
    const text = page === undefined ? said : `a web page: ${page}`;
    const asked = retryAfterUs(
      { retryAfterMs: this.field('retry-after-ms'), retryAfter: this.field('retry-after') },
      nowEpochMs,
    );
    const decision = this.gated ? this.field('x-loadline-decision') : '';
    if (decision === 'reject' || decision === 'expire') {
      const as = decision === 'reject' ? 'rejected' : 'expired';
      const code = codeNamed(this.field('x-loadline-reason')) ?? 'queue_capacity';
      return { as, code, retryAfterUs: asked, mayRetry, text };
    }
    const error = errorOf(this.json());
    if (this.gated && error !== undefined && isKill(error.code)) {
      return { as: 'killed', code: error.code, mayRetry, text };
    }
    const quotaSpent = isQuotaSpent(error);
    const code = this.ownFailure(error?.code) ?? codeOfStatus(this.status, said);
    if (code === 'overload' && !this.gated && !quotaSpent) {
      return { as: 'rejected', code, retryAfterUs: asked, mayRetry, text };
    }
    return { as: 'failed', code, mayRetry: mayRetry && !quotaSpent, text, quotaSpent };
  }

  /** What our gate says of a failure after its decision. */
  private ownFailure(code: string | undefined): Code | FailureCode | undefined {
    if (!this.gated || code === undefined) return undefined;
    return gateFailure(code) ?? codeNamed(code);
  }

  private ofStream(): Ending {
    this.stream?.end();
    const { error, finished, finishReason } = this.facts;
    if (error !== undefined) return this.ofError(error);
    if (finishReason === 'abort') return aborted();
    if (finished) return { as: 'completed' };
    const text = 'the stream ended before its answer did';
    return { as: 'failed', code: 'truncated', mayRetry: true, text };
  }

  private ofBody(): Ending {
    const value = this.json();
    const isCompletion = value !== undefined && Array.isArray(value['choices']);
    if (value !== undefined) takeObject(this.whole, value);
    if (this.whole.error !== undefined) return this.ofError(this.whole.error);
    if (!isCompletion) {
      return { as: 'failed', code: 'not_a_completion', mayRetry: false, text: this.notCompleted() };
    }
    if (this.whole.finishReason === 'abort') return aborted();
    return { as: 'completed' };
  }

  private json(): Readonly<Record<string, unknown>> | undefined {
    try {
      const value: unknown = JSON.parse(this.text());
      return typeof value === 'object' && value !== null ? { ...value } : undefined;
    } catch {
      return undefined;
    }
  }

  /** What it says where it is a web page; undefined where it is none. */
  get page(): string | undefined {
    return pageTold(this.text(), this.field('content-type'), this.key);
  }

  private notCompleted(): string {
    const { page, status } = this;
    if (page !== undefined) return `${status}, a web page: ${page}`;
    const type = this.field('content-type') || 'without a content type';
    return told(`${status} ${type}: ${this.text()}`, this.key);
  }

  private text(): string {
    return Buffer.concat(this.body).toString('utf8');
  }

  /** An error that stands in a body of status 200. */
  private ofError(error: { code: string; message: string }): Ending {
    const text = told(`${error.code}: ${error.message}`, this.key);
    const { code: said } = error;
    if (this.gated && isKill(said)) return { as: 'killed', code: said, mayRetry: true, text };
    const code = this.ownFailure(said) ?? codeOfError(error);
    return { as: 'failed', code, mayRetry: true, text };
  }
}

function aborted(): Ending {
  const text = 'the server aborted the answer (finish_reason abort)';
  return { as: 'failed', code: 'aborted', mayRetry: true, text };
}
