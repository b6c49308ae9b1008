import type { HeaderFields, Wire, WireRequest } from './wire.ts';

/** An answer that was read whole. */
export interface Reply {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly text: string;
}

/** Why there was none. */
export interface NoReply {
  readonly failure: 'connect' | 'reset' | 'truncated' | 'timeout';
  readonly message: string;
}

/** More than this of an answer is not kept, in bytes. */
const KEPT_BYTES = 1024 * 1024;

/** Sends one request outside of any schedule and reads its answer. Never throws. */
export function ask(wire: Wire, request: WireRequest, timeoutMs: number): Promise<Reply | NoReply> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let head = { status: 0, headers: {} as HeaderFields };
    const settle = (outcome: Reply | NoReply) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const exchange = wire.send(request, {
      onSent: () => {},
      onHead: (status, headers) => {
        head = { status, headers };
      },
      onChunk: (chunk) => {
        if (bytes < KEPT_BYTES) chunks.push(chunk);
        bytes += chunk.length;
      },
      onEnd: () => settle({ ...head, text: Buffer.concat(chunks).toString('utf8') }),
      onFail: ({ kind, message }) => settle({ failure: kind, message }),
    });
    const timer = setTimeout(() => {
      exchange.abort();
      settle({ failure: 'timeout', message: `no answer within ${timeoutMs / 1000} s` });
    }, timeoutMs);
  });
}

/** GET of a path. */
export function askPath(
  wire: Wire,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  timeoutMs = 10_000,
): Promise<Reply | NoReply> {
  return ask(wire, { method: 'GET', path, headers, body: null }, timeoutMs);
}

/** The value of a JSON text; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
