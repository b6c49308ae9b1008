import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { Ending } from '../../../src/engine/live/answer.ts';
import { ask, askPath } from '../../../src/engine/live/ask.ts';
import { Attempt } from '../../../src/engine/live/attempt.ts';
import { createWire, type Wire } from '../../../src/engine/live/wire.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server that hears each request, by connection and by number on it. */
async function rawServer(hear: (socket: Socket, request: number, connection: number) => void) {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = connections++;
    let requests = 0;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => hear(socket, requests++, connection));
  });
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return wireTo(server);
}

async function wireTo(server: Server): Promise<Wire> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const address = { host: '127.0.0.1', family: 4 } as const;
  const wire = createWire({ origin, address, ca: undefined, insecure: false });
  closers.push(() => wire.close());
  return wire;
}

const GET = { method: 'GET', path: '/', headers: {}, body: null } as const;

function attempt(wire: Wire): Promise<{ ending: Ending; events: string[] }> {
  return new Promise((resolve) => {
    const events: string[] = [];
    const options = { seq: 0, attempt: 0, request: GET, gated: false, holds: false };
    const one = new Attempt(wire, options, {
      wire: ({ event }) => void events.push(event),
      answered: () => {},
      ended: (ending) => resolve({ ending, events }),
    });
    one.send();
  });
}

it('sends again, once, where a used connection was dead before a byte came (C22)', async () => {
  const wire = await rawServer((socket, request, connection) => {
    if (request === 1 && connection === 0) socket.resetAndDestroy();
    else socket.write(OK);
  });
  expect(await askPath(wire, '/')).toMatchObject({ status: 200 });
  const { events } = await attempt(wire);
  expect(events).toEqual(['sent', 'transportRetry', 'firstByte', 'end']);
});

it('does not send again on a fresh connection: that is the server failing (C22)', async () => {
  const wire = await rawServer((socket) => socket.resetAndDestroy());
  const { ending, events } = await attempt(wire);
  expect(ending).toMatchObject({ as: 'failed', code: 'reset' });
  expect(events).toEqual(['sent', 'end']);
});

it('does not send again once a byte has come', async () => {
  const wire = await rawServer((socket, request, connection) => {
    if (request === 0 && connection === 0) socket.write(OK);
    else {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {}\n\n');
      setImmediate(() => socket.resetAndDestroy());
    }
  });
  await askPath(wire, '/');
  const { ending, events } = await attempt(wire);
  expect(events).not.toContain('transportRetry');
  expect(ending).toMatchObject({ as: 'failed' });
});

it('says that nobody listens', async () => {
  const server = createServer();
  const wire = await wireTo(server);
  await new Promise((resolve) => server.close(resolve));
  expect(await askPath(wire, '/')).toMatchObject({
    failure: 'connect',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

it('gives up waiting when it was told to', async () => {
  const wire = await rawServer(() => {});
  expect(await ask(wire, GET, 50)).toMatchObject({
    failure: 'timeout',
    message: 'no answer within 0.05 s',
  });
});

it('uses a connection again, and a second one only for a second request in flight', async () => {
  const seen = new Set<number>();
  const server = createHttpServer((request, response) => {
    seen.add(request.socket.remotePort ?? 0);
    response.end('ok');
  });
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const wire = await wireTo(server);
  await askPath(wire, '/');
  await askPath(wire, '/');
  expect(seen.size).toBe(1);
  await Promise.all([askPath(wire, '/'), askPath(wire, '/')]);
  expect(seen.size).toBe(2);
});
