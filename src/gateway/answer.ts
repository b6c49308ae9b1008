import { fieldOf, responseFields, textFields } from './headers.ts';
import type { Holdback } from './holdback.ts';
import type { Reply } from './reply.ts';
import { readStreamError, type StreamError, StreamScan } from './sse.ts';
import { type Usage, usageIn } from './usage.ts';

interface Head {
  readonly status: number;
  readonly statusText: string;
  readonly fields: string[];
  readonly eventStream: boolean;
}

/** The most that is read of an error's body to see whether it means a preempt. */
const ERROR_BODY_LIMIT = 16 * 1024;

/** Usage stands at the end of an answer: further back it is not looked for. */
const USAGE_WITHIN = 2048;

/**
 * What the upstream answers to one request, over all its runs: looked at for tokens and errors, and
 * held back where a restart could send it again.
 */
export class Answer {
  private head: Head | undefined;
  private scan: StreamScan | undefined;
  private holdback: Holdback | undefined;
  private errorText = '';
  private lastChunk: Buffer | undefined;

  /** @param decisionFields what the gate adds to the head */
  constructor(
    private readonly reply: Reply,
    private readonly decisionFields: () => readonly string[],
  ) {}

  /**
   * A run's head is here.
   * @param holdbackFor given where the request may be replayed
   * @returns false where an earlier run has begun something else with the caller
   */
  begin(
    status: number,
    raw: readonly (Buffer | string)[],
    statusText: string,
    holdbackFor: ((eventStream: boolean) => Holdback) | undefined,
  ): boolean {
    const upstreamFields = textFields(raw);
    const eventStream = isEventStream(upstreamFields);
    if (this.reply.committed && (status !== 200 || !eventStream)) return false;
    this.head = { status, statusText, fields: responseFields(upstreamFields), eventStream };
    this.scan = eventStream ? new StreamScan() : undefined;
    if (holdbackFor === undefined) this.commit();
    else if (!this.reply.committed) this.holdback = holdbackFor(eventStream);
    return true;
  }

  /** Looks at a chunk and gives what may go on to the caller. */
  take(chunk: Buffer): Buffer | undefined {
    this.lastChunk = chunk;
    if (this.scan !== undefined) this.scan.push(chunk);
    else if (this.head?.status === 503 && this.errorText.length < ERROR_BODY_LIMIT) {
      this.errorText += chunk.toString('latin1', 0, ERROR_BODY_LIMIT);
    }
    return this.holdback === undefined ? chunk : this.holdback.push(chunk);
  }

  /** The run is whole: what was held back. */
  rest(): Buffer | undefined {
    return this.holdback?.finish();
  }

  /** The head goes out, once. */
  commit(): void {
    if (this.reply.committed || this.head === undefined) return;
    const { status, statusText, fields, eventStream } = this.head;
    this.reply.head(status, statusText, [...fields, ...this.decisionFields()], eventStream);
  }

  /** Another run begins after so many tokens. */
  restart(resumeTokens: number): void {
    this.holdback?.restart(resumeTokens);
    this.scan = undefined;
    this.errorText = '';
  }

  /** Output tokens of this run. */
  get tokens(): number {
    return this.scan?.tokens ?? 0;
  }

  /** What the whole answer cost, where it says so in an event or in its last bytes. */
  get usage(): Usage {
    const last = this.scan?.usageLine ?? this.lastChunk?.toString('latin1') ?? '';
    return usageIn(last.slice(-USAGE_WITHIN));
  }

  /** The caller has had bytes that another run would send again. */
  get spent(): boolean {
    return this.holdback?.spent ?? this.reply.committed;
  }

  /** The caller has had the upstream's own word for what went wrong. */
  get told(): boolean {
    return this.scan?.error !== undefined && this.holdback === undefined;
  }

  /** The upstream took the slot back, and says so in the stream. */
  get preemptInStream(): StreamError | undefined {
    return preemptOnly(this.scan?.error);
  }

  /** The same in place of an answer; known at its end. */
  get preemptInBody(): StreamError | undefined {
    return this.errorText === '' ? undefined : preemptOnly(readStreamError(this.errorText));
  }

  /** Why a whole answer is no completion; undefined where it is one. */
  get failure(): 'in_stream' | 'status' | undefined {
    if ((this.head?.status ?? 0) >= 400) return 'status';
    return this.scan?.error === undefined ? undefined : 'in_stream';
  }
}

function preemptOnly(error: StreamError | undefined): StreamError | undefined {
  return error?.code === 'preempted' ? error : undefined;
}

function isEventStream(fields: readonly string[]): boolean {
  if (fieldOf(fields, 'content-encoding') !== undefined) return false;
  return fieldOf(fields, 'content-type')?.toLowerCase().startsWith('text/event-stream') ?? false;
}
