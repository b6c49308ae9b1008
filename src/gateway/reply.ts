import { type ServerResponse, STATUS_CODES } from 'node:http';
import { errorFrame } from './sse.ts';

/** A caller that does not read gets this long to take what a killed answer still holds. */
const LINGER_MS = 5_000;

/** Text that a status line may hold. */
const PLAIN = /^[\t\x20-\x7e]*$/;

/**
 * The answer on its way back to the caller: head and bytes as they come from the upstream, at the
 * pace at which the caller reads. Once the head is out, a failure can only be told inside the stream.
 */
export class Reply {
  private eventStream = false;
  private leftBytes: number | undefined;
  private atBoundary = true;
  private flushing: NodeJS.Immediate | undefined;
  /** The head has been handed to the socket: the status can no longer change. */
  committed = false;
  /** The caller reads more slowly than the upstream writes. */
  stalled = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly onDrain: () => void,
  ) {
    response.on('drain', () => this.drained());
  }

  /** @param fields a flat list, sent as it is */
  head(status: number, statusText: string, fields: string[], eventStream: boolean): void {
    this.eventStream = eventStream;
    this.leftBytes = contentLength(fields);
    this.response.sendDate = false;
    // Node sends no phrase that is not plain, and a phrase means nothing: the status has its usual one.
    const phrase = PLAIN.test(statusText) ? statusText : (STATUS_CODES[status] ?? '');
    this.response.writeHead(status, phrase, fields);
    this.committed = true;
    // Head and first bytes share a packet where they arrive together; a head alone does not wait.
    this.flushing = setImmediate(() => this.response.flushHeaders());
  }

  /** False: wait for the caller to read. */
  write(chunk: Buffer): boolean {
    clearImmediate(this.flushing);
    this.atBoundary = endsEvent(chunk);
    if (this.leftBytes !== undefined) this.leftBytes -= chunk.length;
    const taken = this.leftBytes === 0 ? this.endWith(chunk) : this.response.write(chunk);
    this.stalled = !taken;
    return taken;
  }

  /** The last bytes of a known length go out in one write with the end. */
  private endWith(chunk: Buffer): boolean {
    this.response.end(chunk);
    return true;
  }

  private drained(): void {
    if (!this.stalled) return;
    this.stalled = false;
    this.onDrain();
  }

  /** Bytes that the caller has not taken yet. */
  get waitingBytes(): number {
    return this.response.writableLength;
  }

  end(): void {
    clearImmediate(this.flushing);
    if (!this.response.writableEnded) this.response.end();
  }

  /** A failure after the head: an error event without `[DONE]`, or else a connection that breaks. */
  fail(code: string, message: string): void {
    clearImmediate(this.flushing);
    if (this.response.writableEnded) return;
    if (!this.eventStream || this.leftBytes !== undefined) {
      this.breakOff();
      return;
    }
    this.response.end((this.atBoundary ? '' : '\n\n') + errorFrame(code, message));
    if (this.stalled) setTimeout(() => this.response.destroy(), LINGER_MS).unref();
  }

  /** Where the end of the connection is the end of the body, only a reset tells that it is not whole. */
  private breakOff(): void {
    const { socket } = this.response;
    if (socket !== null && !this.response.chunkedEncoding && this.leftBytes === undefined) {
      socket.resetAndDestroy();
    } else {
      this.response.destroy();
    }
  }
}

function contentLength(fields: readonly string[]): number | undefined {
  for (let i = 0; i + 1 < fields.length; i += 2) {
    if (fields[i]?.toLowerCase() === 'content-length') return Number(fields[i + 1]);
  }
  return undefined;
}

function endsEvent(chunk: Buffer): boolean {
  const { length } = chunk;
  if (length < 2 || chunk[length - 1] !== 10) return false;
  return chunk[length - 2] === 10 || (chunk[length - 2] === 13 && chunk[length - 3] === 10);
}
