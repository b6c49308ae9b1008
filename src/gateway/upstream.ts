/**
 * The way to the upstream: one connection for each request in flight, taken from a stack of idle
 * ones. A lane never holds two requests, so nothing can wait where the gate does not see it.
 */
import type { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { connectionReason } from '../errors.ts';

/** How a try at the upstream went wrong. */
export type FailureKind = 'connect' | 'reset' | 'truncated' | 'malformed' | 'timeout' | 'request';

export interface UpstreamFailure {
  readonly kind: FailureKind;
  readonly message: string;
  /** The connection had served before and gave no byte for this request: it may be sent again. */
  readonly untouched: boolean;
}

export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: string[];
  readonly body: Buffer | AsyncIterable<Buffer> | undefined;
}

/** What a try reports. After `onEnd` or `onFail` comes nothing more. */
export interface UpstreamEvents {
  onSending(): void;
  /** `rawHeaders`: name, value, name, value … as on the wire. */
  onHead(status: number, rawHeaders: readonly (Buffer | string)[], statusText: string): void;
  /** False: stop reading until `resume`. */
  onChunk(chunk: Buffer): boolean;
  onEnd(): void;
  onFail(failure: UpstreamFailure): void;
}

/** A try in flight. */
export interface Sending {
  resume(): void;
  /** Ends the try; nothing is reported after this. */
  abort(): void;
}

export interface UpstreamOptions {
  /** Scheme, host and port. */
  readonly origin: string;
  /** PEM text of certificates to trust beside the system's. */
  readonly ca: string | undefined;
  /** Accept any certificate. */
  readonly insecure: boolean;
}

/** Idle connections are closed before a server that closes at 5 s (uvicorn, node) does. */
const KEEP_ALIVE_MS = 4_000;

interface Lane {
  readonly client: Client;
  /** Answers that the present socket has brought. */
  served: number;
  /** The peer has ended or broken the present socket. */
  broken: 'ended' | 'reset' | undefined;
  socket: Socket | undefined;
}

export interface Upstream {
  send(request: UpstreamRequest, events: UpstreamEvents): Sending;
  close(): Promise<void>;
}

function openLane(options: UpstreamOptions): Lane {
  const connect = buildConnector({
    timeout: 0,
    rejectUnauthorized: !options.insecure,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  const watched: buildConnector.connector = (target, callback) => {
    connect(target, (...result) => {
      const [error, socket] = result;
      if (error === null) watch(lane, socket);
      callback(...result);
    });
  };
  const client = new Client(options.origin, {
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: watched,
  });
  const lane: Lane = { client, served: 0, broken: undefined, socket: undefined };
  return lane;
}

/**
 * Notes the end of a socket before undici does: it takes a reset, or an end in mid chunk, for the
 * proper end of an answer whose connection was to close anyway.
 */
function watch(lane: Lane, socket: Socket): void {
  lane.socket = socket;
  lane.served = 0;
  lane.broken = undefined;
  socket.once('end', () => {
    if (lane.socket === socket) lane.broken ??= 'ended';
  });
  socket.once('error', (error) => {
    const byPeer = ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
    if (lane.socket === socket && byPeer) lane.broken ??= 'reset';
  });
}

/** Opens no connection yet. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const idle: Lane[] = [];
  const busy = new Set<Lane>();
  return {
    send(request, events) {
      const lane = idle.pop() ?? openLane(options);
      busy.add(lane);
      const giveBack = (lost: boolean) => {
        if (!busy.delete(lane)) return;
        if (lost) void lane.client.destroy().catch(() => {});
        else idle.push(lane);
      };
      const attempt = new Attempt(lane, events, giveBack);
      attempt.start(request);
      return attempt;
    },
    async close() {
      const lanes = [...idle, ...busy];
      await Promise.all(lanes.map((lane) => lane.client.destroy().catch(() => {})));
    },
  };
}

class Attempt implements Sending {
  private done = false;
  private headed = false;
  private chunked = false;
  private reused = false;
  private bytesBefore = 0;
  private abortRequest: ((error?: Error) => void) | undefined;
  private resumeRequest: (() => void) | undefined;

  constructor(
    private readonly lane: Lane,
    private readonly events: UpstreamEvents,
    private readonly giveBack: (lost: boolean) => void,
  ) {}

  start(request: UpstreamRequest): void {
    const options: Dispatcher.DispatchOptions = {
      method: request.method as Dispatcher.HttpMethod,
      path: request.path,
      headers: request.headers,
      // Undici takes any async iterable; its type knows streams alone.
      body: (request.body ?? null) as Buffer | null,
    };
    try {
      this.lane.client.dispatch(options, this.handler());
    } catch (error) {
      this.fail(error as Error, 'request');
    }
  }

  private handler(): Dispatcher.DispatchHandler {
    return {
      onConnect: (abort) => this.sending(abort),
      onHeaders: (status, raw, resume, text) => this.head(status, raw, resume, text),
      onData: (chunk) => (this.done ? true : this.events.onChunk(chunk)),
      onComplete: () => this.complete(),
      onError: (error) => this.fail(error, undefined),
    };
  }

  private sending(abort: (error?: Error) => void): void {
    this.abortRequest = abort;
    if (this.done) {
      abort();
      return;
    }
    this.reused = this.lane.served > 0;
    this.bytesBefore = this.lane.socket?.bytesRead ?? 0;
    this.events.onSending();
  }

  private head(status: number, raw: (Buffer | string)[], resume: () => void, text: string) {
    if (status < 200 || this.done) return true;
    this.headed = true;
    this.resumeRequest = resume;
    this.chunked = isChunked(raw);
    this.events.onHead(status, raw, text);
    return true;
  }

  private complete(): void {
    if (this.done) return;
    const { broken } = this.lane;
    if (broken === 'reset') {
      this.fail(new Error('the upstream reset the connection'), 'reset');
      return;
    }
    if (broken === 'ended' && this.chunked) {
      this.fail(new Error('the upstream ended in mid answer'), 'truncated');
      return;
    }
    this.done = true;
    this.lane.served++;
    this.giveBack(false);
    this.events.onEnd();
  }

  private fail(error: Error, kind: FailureKind | undefined): void {
    if (this.done) return;
    this.done = true;
    this.giveBack(false);
    const bytesNow = this.lane.socket?.bytesRead ?? 0;
    this.events.onFail({
      kind: kind ?? this.kindOf(error),
      message: connectionReason(error),
      untouched: this.reused && !this.headed && bytesNow === this.bytesBefore,
    });
  }

  private kindOf(error: Error): FailureKind {
    if (this.abortRequest === undefined) return 'connect';
    if (this.lane.broken === 'reset') return 'reset';
    return kindOf(error, this.headed, this.lane.broken !== undefined);
  }

  resume(): void {
    if (!this.done) this.resumeRequest?.();
  }

  abort(): void {
    if (this.done) return;
    this.done = true;
    const { abortRequest } = this;
    // Before the connection stands there is no request to abort: the lane itself is given up.
    this.giveBack(abortRequest === undefined);
    abortRequest?.();
  }
}

function isChunked(raw: readonly (Buffer | string)[]): boolean {
  for (let i = 0; i < raw.length; i += 2) {
    if (String(raw[i]).toLowerCase() === 'transfer-encoding') return true;
  }
  return false;
}

function codeOf(error: Error): string {
  const { code } = error as Error & { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** @param broken the socket had ended: if not, what came was no answer (a 100 that nobody asked for, say) */
function kindOf(error: Error, headed: boolean, broken: boolean): FailureKind {
  const code = codeOf(error);
  if (code.startsWith('HPE_')) return 'malformed';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'reset';
  if (code === 'UND_ERR_SOCKET' && !headed) return broken ? 'reset' : 'malformed';
  return headed ? 'truncated' : 'malformed';
}
