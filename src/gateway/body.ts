import type { IncomingMessage } from 'node:http';

/** Bytes that all requests together may keep in memory while they wait. */
export interface BodyBudget {
  leftBytes: number;
}

/** What a body tells on its way. */
export interface BodyEvents {
  /** Some of it has come. */
  piece(): void;
  /** It is whole, or as much of it is here as may be kept. */
  ready(): void;
}

/** One for all: an error made for each request would cost more than the rest of its way. */
const ENDED = new Error('the exchange has ended');

/**
 * A request's body on its way in. It is read while the request waits, but only so far: beyond the
 * limit the socket is left unread until the slot is there. What fits is kept whole, so that it can
 * be sent a second time.
 */
export class RequestBody {
  private readonly chunks: Buffer[] = [];
  private keptBytes = 0;
  private sent = 0;
  private dropped = false;
  private wake: (() => void) | undefined;
  private failure: Error | undefined;
  private reading = false;
  /** All of it has arrived. */
  complete: boolean;
  /** It is more than may be kept: it can only be passed on as it comes. */
  overflow = false;

  constructor(
    private readonly request: IncomingMessage,
    private readonly limitBytes: number,
    private readonly budget: BodyBudget,
    private readonly events: BodyEvents,
  ) {
    this.complete = !hasBody(request);
    const declared = Number(request.headers['content-length'] ?? 0);
    this.overflow = declared > limitBytes;
  }

  /** Whether a full answer to "what is the body?" can be given more than once. */
  get resendable(): boolean {
    return this.complete && !this.dropped;
  }

  /** Whole, or more than may be kept and so to be passed on as it comes. */
  get ready(): boolean {
    return this.complete || this.overflow;
  }

  /** Starts to read; without this not a byte leaves the socket. */
  read(): void {
    if (this.reading || this.complete) return;
    this.reading = true;
    this.request.on('data', (chunk: Buffer) => this.take(chunk));
    this.request.on('end', () => this.finish());
    this.request.on('error', (error) => this.fail(error));
    if (this.overflow) this.request.pause();
  }

  private take(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.keptBytes += chunk.length;
    this.budget.leftBytes -= chunk.length;
    this.events.piece();
    if (this.keptBytes > this.limitBytes || this.budget.leftBytes < 0) this.pause();
    this.wake?.();
  }

  private pause(): void {
    this.request.pause();
    if (this.overflow) return;
    this.overflow = true;
    this.events.ready();
  }

  private finish(): void {
    this.complete = true;
    this.wake?.();
    this.events.ready();
  }

  private fail(error: Error): void {
    this.failure = error;
    this.wake?.();
  }

  /** All of it in one piece, or undefined for none. Only where it is complete. */
  whole(): Buffer | undefined {
    if (this.chunks.length === 0) return undefined;
    return this.chunks.length === 1 ? this.chunks[0] : Buffer.concat(this.chunks);
  }

  /** The body as it comes, at the pace of whoever reads this. */
  async *stream(): AsyncGenerator<Buffer> {
    this.read();
    for (;;) {
      const chunk = this.chunks[this.sent];
      if (chunk !== undefined) {
        this.advance(chunk);
        yield chunk;
      } else if (this.failure !== undefined) throw this.failure;
      else if (this.complete) return;
      else await this.more();
    }
  }

  private advance(chunk: Buffer): void {
    if (!this.overflow) {
      this.sent++;
      return;
    }
    this.chunks.splice(0, this.sent + 1);
    this.sent = 0;
    this.dropped = true;
    this.keptBytes -= chunk.length;
    this.budget.leftBytes += chunk.length;
  }

  private more(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      this.request.resume();
    });
  }

  /** Forgets what is kept and ends a reader that waits. */
  close(): void {
    this.budget.leftBytes += this.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    this.chunks.length = 0;
    this.dropped = true;
    this.failure ??= ENDED;
    this.wake?.();
  }
}

function hasBody(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > 0;
}
