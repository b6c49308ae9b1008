/** Small upstreams, gates and callers for the tests of the gateway. Ports are chosen by the system. */
import { once } from 'node:events';
import {
  type Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import { type Gateway, startGateway } from '../../src/gateway/server.ts';
import type { GatewayOptions } from '../../src/gateway/settings.ts';
import { parseScenario, type ScenarioInput } from '../../src/scenario/schema.ts';

const cleanUps: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Runs at the end of the present test. */
export function atEnd(cleanUp: () => Promise<unknown> | unknown): void {
  cleanUps.push(cleanUp);
}

export interface TestUpstream {
  readonly url: string;
  readonly server: Server;
  /** Requests that have come. */
  readonly seen: IncomingMessage[];
}

/** A node:http server that ends with the test. */
export async function upstreamOf(listener: RequestListener): Promise<TestUpstream> {
  const seen: IncomingMessage[] = [];
  const server = createServer((incoming, response) => {
    seen.push(incoming);
    listener(incoming, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, seen };
}

export type GateFields = NonNullable<ScenarioInput['gate']>;

/** A scenario with one batch class `task` unless stated. */
export function scenarioOf(gate: GateFields, rest: Partial<ScenarioInput> = {}) {
  return parseScenario({
    name: 'test',
    durationS: 10,
    sloS: 10,
    arrivals: { process: 'poisson', ratePerS: 1 },
    model: { service: { fixed: 1 } },
    ...rest,
    gate,
  });
}

/** A gate that ends with the test. */
export async function gateOf(
  upstream: string,
  gate: GateFields,
  options: Partial<GatewayOptions> & { readonly rest?: Partial<ScenarioInput> } = {},
): Promise<Gateway> {
  const { rest, ...others } = options;
  const gateway = await startGateway({ scenario: scenarioOf(gate, rest), upstream, ...others });
  atEnd(() => gateway.close());
  return gateway;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly tookMs: number;
}

export interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
}

/** One POST (or what is stated) and its whole answer. */
export function call(port: number, options: Call = {}): Promise<Answer> {
  const startMs = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        method: options.method ?? 'POST',
        path: options.path ?? '/v1/chat/completions',
        headers: options.headers ?? {},
        agent: options.agent ?? false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
            tookMs: performance.now() - startMs,
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(options.body ?? '{}');
  });
}

/** A raw connection, for bytes that no client library would send. */
export async function rawTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  atEnd(() => socket.destroy());
  return socket;
}

/** Everything that a connection brings until it ends. */
export async function allOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('latin1');
}

/** Waits, a turn of the event loop at a time, until something holds; fails after ten seconds. */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const limitMs = performance.now() + 10_000;
  while (!(await holds())) {
    if (performance.now() > limitMs) throw new Error(`did not happen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The value of one metric as a scrape gives it. */
export async function metric(port: number, name: string): Promise<number | undefined> {
  const { body } = await call(port, { method: 'GET', path: '/metrics', body: '' });
  const line = body.split('\n').find((text) => text.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

/** An event stream of so many tokens, with its end. */
export function eventsOf(count: number, from = 0): string {
  return Array.from({ length: count }, (_, i) => chunkEvent(`t${from + i} `)).join('');
}

export function chunkEvent(text: string): string {
  return `data: ${JSON.stringify({ id: 'c1', choices: [{ index: 0, delta: { content: text }, finish_reason: null }] })}\n\n`;
}
