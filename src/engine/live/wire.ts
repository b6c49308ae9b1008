/**
 * HTTP as the generator needs it: one connection for each request in flight, taken from a stack of
 * idle ones, so that no request ever waits unseen for a connection; and the fact whether a
 * connection had served before, without which a lost keep-alive race looks like a failing server.
 */
import type { Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { connectionReason } from '../../errors.ts';

/** How an exchange broke. `untouched`: on a used connection, before a byte of the answer came. */
export interface WireFailure {
  readonly kind: 'connect' | 'reset' | 'truncated';
  readonly message: string;
  readonly untouched: boolean;
}

export type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

/** What an exchange reports. After `onEnd` or `onFail` comes nothing more. */
export interface WireEvents {
  /** The connection stands and the request goes out now. */
  onSent(): void;
  onHead(status: number, headers: HeaderFields): void;
  onChunk(chunk: Buffer): void;
  onEnd(): void;
  onFail(failure: WireFailure): void;
}

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** An exchange in flight. */
export interface Exchange {
  /** Stops reading the answer until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends it and its connection; nothing is reported after this. */
  abort(): void;
}

export interface WireOptions {
  readonly origin: string;
  /** Where the origin's name leads, resolved once before the run. */
  readonly address: { readonly host: string; readonly family: 4 | 6 };
  /** PEM text of certificates to trust beside the system's. */
  readonly ca: string | undefined;
  /** Accept any certificate. */
  readonly insecure: boolean;
}

export interface Wire {
  send(request: WireRequest, events: WireEvents): Exchange;
  close(): Promise<void>;
}

/** Idle connections are given up before a server that closes at 5 s (uvicorn, node) does. */
const KEEP_ALIVE_MS = 4_000;
const CONNECT_TIMEOUT_MS = 10_000;

interface Lane {
  readonly client: Client;
  socket: Socket | undefined;
  /** Answers that the present socket has brought. */
  served: number;
  /** The peer broke the present socket, which undici may take for the end of an answer. */
  reset: boolean;
}

/** Opens no connection yet. */
export function createWire(options: WireOptions): Wire {
  const idle: Lane[] = [];
  const lanes = new Set<Lane>();
  const discard = (lane: Lane) => {
    lanes.delete(lane);
    void lane.client.destroy().catch(() => {});
  };
  return {
    send(request, events) {
      const lane = idle.pop() ?? openLane(options);
      lanes.add(lane);
      return new LaneExchange(lane, request, events, (lost) => {
        if (lost) discard(lane);
        else idle.push(lane);
      });
    },
    async close() {
      await Promise.all([...lanes].map((lane) => lane.client.destroy().catch(() => {})));
    },
  };
}

function openLane(options: WireOptions): Lane {
  const { address, ca, insecure, origin } = options;
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    rejectUnauthorized: !insecure,
    ...(ca === undefined ? {} : { ca }),
    lookup: (_host, { all }, found) => {
      const { host, family } = address;
      if (all) found(null, [{ address: host, family }]);
      else found(null, host, family);
    },
  });
  const lane: Lane = {
    client: new Client(origin, {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: (target, callback) =>
        connect(target, (...result) => {
          const [error, socket] = result;
          if (error === null) watch(lane, socket);
          callback(...result);
        }),
    }),
    socket: undefined,
    served: 0,
    reset: false,
  };
  return lane;
}

function watch(lane: Lane, socket: Socket): void {
  lane.socket = socket;
  lane.served = 0;
  lane.reset = false;
  socket.once('error', () => {
    if (lane.socket === socket) lane.reset = true;
  });
}

class LaneExchange implements Exchange {
  private done = false;
  private connected = false;
  private headed = false;
  private reused = false;
  private bytesBefore = 0;
  private controller: Dispatcher.DispatchController | undefined;

  constructor(
    private readonly lane: Lane,
    request: WireRequest,
    private readonly events: WireEvents,
    private readonly giveBack: (lost: boolean) => void,
  ) {
    lane.client.dispatch(
      { method: request.method, path: request.path, headers: request.headers, body: request.body },
      {
        onRequestStart: (controller) => this.start(controller),
        onResponseStart: (_controller, status, headers) => this.head(status, headers),
        onResponseData: (_controller, chunk) => {
          if (!this.done) this.events.onChunk(chunk);
        },
        onResponseEnd: () => this.end(),
        onResponseError: (_controller, error) => this.fail(error),
      },
    );
  }

  private start(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.done) {
      controller.abort(new Error('gone'));
      return;
    }
    this.connected = true;
    this.reused = this.lane.served > 0;
    this.bytesBefore = this.lane.socket?.bytesRead ?? 0;
    this.events.onSent();
  }

  private head(status: number, headers: HeaderFields): void {
    if (status < 200 || this.done) return;
    this.headed = true;
    this.events.onHead(status, headers);
  }

  private end(): void {
    if (this.done) return;
    if (this.lane.reset) {
      this.fail(new Error('the connection was reset'));
      return;
    }
    this.done = true;
    this.lane.served++;
    this.giveBack(false);
    this.events.onEnd();
  }

  private fail(error: Error): void {
    if (this.done) return;
    this.done = true;
    const bytesNow = this.lane.socket?.bytesRead ?? 0;
    this.giveBack(true);
    this.events.onFail({
      kind: this.kindOf(),
      message: connectionReason(error),
      untouched: this.reused && !this.headed && bytesNow === this.bytesBefore,
    });
  }

  private kindOf(): WireFailure['kind'] {
    if (!this.connected) return 'connect';
    return this.headed && !this.lane.reset ? 'truncated' : 'reset';
  }

  pause(): void {
    if (!this.done) this.controller?.pause();
  }

  resume(): void {
    if (!this.done) this.controller?.resume();
  }

  abort(): void {
    if (this.done) return;
    this.done = true;
    this.controller?.abort(new Error('gone'));
    this.giveBack(true);
  }
}
