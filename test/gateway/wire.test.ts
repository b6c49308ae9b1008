import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  allOf,
  atEnd,
  call,
  chunkEvent,
  gateOf,
  metric,
  rawTo,
  until,
  upstreamOf,
} from './support.ts';

/** An upstream that answers each request head with exactly these bytes. */
async function bytesUpstream(onRequest: (socket: Socket, head: string) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      const head = text;
      text = '';
      onRequest(socket, head);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('bytes on the wire', () => {
  it('passes method, path, fields and body on unchanged, both ways', async () => {
    const sent = randomBytes(300_000);
    let got: Buffer | undefined;
    const upstream = await upstreamOf(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      got = Buffer.concat(chunks);
      response.writeHead(207, 'Fine Enough', [
        ...['X-Odd-Case', 'yes', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'],
        ...['Content-Length', String(got.length)],
      ]);
      response.end(got);
    });
    const gateway = await gateOf(upstream.url, { slots: 1 });
    const socket = await rawTo(gateway.port);
    socket.write(
      `PUT /any/path?q=%20x HTTP/1.1\r\nHost: gate\r\nX-Mixed-Case: kept\r\nAccept-Encoding: br\r\nX-Loadline-Seq: 7\r\nConnection: close, x-hop\r\nX-Hop: 1\r\nContent-Length: ${sent.length}\r\n\r\n`,
    );
    socket.write(sent);
    const answer = await allOf(socket);
    const request = upstream.seen[0];
    expect(request?.method).toBe('PUT');
    expect(request?.url).toBe('/any/path?q=%20x');
    expect(request?.rawHeaders).toContain('X-Mixed-Case');
    expect(request?.headers['accept-encoding']).toBe('br');
    expect(request?.headers).not.toHaveProperty('x-hop');
    expect(request?.headers).not.toHaveProperty('x-loadline-seq');
    expect(request?.headers.host).toBe(new URL(upstream.url).host);
    expect(got?.equals(sent)).toBe(true);
    expect(answer).toContain('HTTP/1.1 207 Fine Enough\r\n');
    expect(answer).toContain('X-Odd-Case: yes\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n');
    const body = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1');
    expect(digest(body)).toBe(digest(sent));
  });

  it('takes a body larger than it keeps, only when the slot is there', async () => {
    const sent = randomBytes(3_000_000);
    let first: (() => void) | undefined;
    let size = 0;
    const upstream = await upstreamOf(async (request, response) => {
      if (first === undefined) {
        first = () => response.end();
        return;
      }
      for await (const chunk of request) size += (chunk as Buffer).length;
      response.end(String(size));
    });
    const gateway = await gateOf(upstream.url, { slots: 1 }, { bodyLimitBytes: 64 * 1024 });
    const holder = call(gateway.port);
    await until(() => first !== undefined, 'the slot is taken');
    const large = call(gateway.port, { body: sent });
    await until(() => gateway.inFlight() === 2, 'the large one waits');
    first?.();
    expect((await large).body).toBe(String(sent.length));
    await holder;
  });

  it('gives HTTP/1.0 clients a body that ends with the connection (C17)', async () => {
    const upstream = await upstreamOf((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"a":1}\n\n');
      response.end('data: [DONE]\n\n');
    });
    const gateway = await gateOf(upstream.url, { slots: 1 });
    const socket = await rawTo(gateway.port);
    socket.write('POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}');
    const answer = await allOf(socket);
    expect(answer.toLowerCase()).not.toContain('transfer-encoding');
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toBe('data: {"a":1}\n\ndata: [DONE]\n\n');
  });

  it('ends an event stream cleanly where an HTTP/1.0 upstream closes (C17)', async () => {
    const url = await bytesUpstream((socket) =>
      socket.end('HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {"a":1}\n\n'),
    );
    const gateway = await gateOf(url, { slots: 1 });
    const answer = await call(gateway.port);
    expect(answer).toMatchObject({ status: 200, body: 'data: {"a":1}\n\n' });
  });

  it('takes a reset for what it is, even where the end would have been the end of the body (C17)', async () => {
    const url = await bytesUpstream((socket) => {
      socket.write('HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {"a":1}\n\n');
      setTimeout(() => socket.resetAndDestroy(), 20);
    });
    const gateway = await gateOf(url, { slots: 1 });
    const answer = await call(gateway.port);
    expect(answer.body).toMatch(/^data: \{"a":1\}\n\ndata: \{"error":\{.*"code":"upstream_reset"/);
    expect(answer.body).not.toContain('[DONE]');
  });

  it('tells a stream that ends in mid chunk from one that ends (C17)', async () => {
    const url = await bytesUpstream((socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n10\r\ndata: {"a":1}\n\n',
      ),
    );
    const gateway = await gateOf(url, { slots: 1 });
    const answer = await call(gateway.port);
    expect(answer.body).toContain('upstream_truncated');
  });

  it('breaks the connection where a body of known length stays short', async () => {
    const url = await bytesUpstream((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort'),
    );
    const gateway = await gateOf(url, { slots: 1 });
    await expect(call(gateway.port)).rejects.toThrow();
    await until(() => gateway.inFlight() === 0, 'the slot is free');
  });

  it('passes an answer on whatever its reason phrase holds', async () => {
    const url = await bytesUpstream((socket) =>
      socket.end(Buffer.from('HTTP/1.1 200 \xe9t\xe9\r\nContent-Length: 2\r\n\r\n{}', 'latin1')),
    );
    const gateway = await gateOf(url, { slots: 1 });
    expect(await call(gateway.port)).toMatchObject({ status: 200, body: '{}' });
  });

  it('calls a 100 that nobody asked for malformed, not a reset', async () => {
    const url = await bytesUpstream((socket) =>
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'),
    );
    const gateway = await gateOf(url, { slots: 1 });
    const answer = await call(gateway.port);
    expect(answer.status).toBe(502);
    expect(JSON.parse(answer.body)).toMatchObject({ error: 'upstream_malformed' });
  });

  it('never sends a length and chunks together (C17)', async () => {
    const url = await bytesUpstream((socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
      ),
    );
    const gateway = await gateOf(url, { slots: 1 });
    const answer = await call(gateway.port);
    if (answer.status === 200) expect(answer.headers).not.toHaveProperty('content-length');
    else expect(answer.status).toBe(502);
    await until(() => gateway.inFlight() === 0, 'the slot is free');
  });

  it('answers 100 Continue only with the slot', async () => {
    const upstream = await upstreamOf((request, response) => {
      request.resume();
      request.on('end', () => response.end('took it'));
    });
    const gateway = await gateOf(upstream.url, { slots: 1, queueCapacity: 0 });
    const socket = await rawTo(gateway.port);
    socket.write('POST / HTTP/1.1\r\nHost: g\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n');
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    const second = await rawTo(gateway.port);
    second.write('POST / HTTP/1.1\r\nHost: g\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n');
    const [refusal] = (await once(second, 'data')) as [Buffer];
    expect(refusal.toString()).toMatch(/^HTTP\/1.1 429/);
    socket.write('{}');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('200 OK');
  });

  it('brings a small event at once, uncompressed, though the client would take gzip (C16)', async () => {
    const upstream = await upstreamOf((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
    });
    const gateway = await gateOf(upstream.url, { slots: 1 });
    const socket = await rawTo(gateway.port);
    socket.write('GET / HTTP/1.1\r\nHost: g\r\nAccept-Encoding: gzip\r\n\r\n');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    await until(() => text.includes('data: one\n\n'), 'the event is here');
    expect(text.toLowerCase()).not.toContain('content-encoding');
  });

  it('sends the head of an answer that has no body yet', async () => {
    const upstream = await upstreamOf((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
    });
    const gateway = await gateOf(upstream.url, { slots: 1 });
    const socket = await rawTo(gateway.port);
    socket.write('GET / HTTP/1.1\r\nHost: g\r\n\r\n');
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toMatch(/^HTTP\/1.1 200/);
  });

  it.each([
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    'data: {"error":{"message":"x","code":429}}\n\n',
  ])('passes an error in a stream on and counts the answer as failed (C5): %s', async (frame) => {
    const text = chunkEvent('a') + frame;
    const upstream = await upstreamOf((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(text);
    });
    const gateway = await gateOf(upstream.url, { slots: 1 });
    expect((await call(gateway.port)).body).toBe(text);
    const failures = 'loadline_upstream_failures_total{kind="in_stream"}';
    expect(await metric(gateway.port, failures)).toBe(1);
    expect(await metric(gateway.port, 'loadline_leases')).toBe(0);
  });

  it('forwards comments and keep-alives byte for byte (C7)', async () => {
    const text = ': OPENROUTER PROCESSING\n\n:\ndata:\n\n: x-latency-ms=337\ndata: [DONE]\n\n';
    const upstream = await upstreamOf((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(text);
    });
    const gateway = await gateOf(upstream.url, { slots: 1 });
    expect((await call(gateway.port)).body).toBe(text);
  });

  it('passes an encoded answer on as it is (C15)', async () => {
    const encoded = Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]);
    const upstream = await upstreamOf((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.end(encoded);
    });
    const gateway = await gateOf(upstream.url, { slots: 1 });
    const socket = await rawTo(gateway.port);
    socket.write('GET / HTTP/1.0\r\n\r\n');
    const answer = await allOf(socket);
    expect(answer.slice(answer.indexOf('\r\n\r\n') + 4)).toBe(encoded.toString('latin1'));
  });

  it('keeps one version where base URL and path both name it', async () => {
    const upstream = await upstreamOf((_, response) => response.end());
    const gateway = await gateOf(`${upstream.url}/api/v1/?api-version=3`, { slots: 1 });
    await call(gateway.port, { path: '/v1/chat/completions' });
    await call(gateway.port, { path: '/other' });
    expect(upstream.seen.map((request) => request.url)).toEqual([
      '/api/v1/chat/completions?api-version=3',
      '/api/v1/other?api-version=3',
    ]);
  });

  it('lists models without a decision, however full the pool is', async () => {
    const upstream = await upstreamOf((request, response) => {
      if (request.method === 'GET') response.end('{"data":[]}');
    });
    const gateway = await gateOf(upstream.url, { slots: 1, queueCapacity: 0 });
    void call(gateway.port).catch(() => {});
    await until(() => upstream.seen.length === 1, 'the slot is taken');
    const answer = await call(gateway.port, { method: 'GET', path: '/v1/models', body: '' });
    expect(answer.body).toBe('{"data":[]}');
    expect(answer.headers).not.toHaveProperty('x-loadline-decision');
  });
});

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('the target of a request', () => {
  const ask = async (port: number, line: string): Promise<string> => {
    const socket = await rawTo(port);
    socket.write(`${line} HTTP/1.1\r\nHost: gate\r\nConnection: close\r\n\r\n`);
    return allOf(socket);
  };

  it('is the gate itself with OPTIONS *, which costs no upstream', async () => {
    const upstream = await upstreamOf((_, response) => response.end('{}'));
    const gateway = await gateOf(upstream.url, { slots: 1 });
    const answer = await ask(gateway.port, 'OPTIONS *');
    expect(answer).toMatch(/^HTTP\/1\.1 204 /);
    expect(answer.toLowerCase()).toContain('\r\nallow: get, head, post, options\r\n');
    expect(upstream.seen).toEqual([]);
  });

  it('is a path, also behind a host, and anything else is refused', async () => {
    const upstream = await upstreamOf((_, response) => response.end('{}'));
    const gateway = await gateOf(upstream.url, { slots: 1 });
    expect(await ask(gateway.port, 'OPTIONS http://else.where/v1/x?y=1')).toMatch(
      /^HTTP\/1\.1 200 /,
    );
    expect(upstream.seen[0]?.url).toBe('/v1/x?y=1');
    expect(await ask(gateway.port, 'GET http://else.where/healthz')).toContain('"status":"ok"');
    for (const line of ['GET *', 'POST *', 'OPTIONS ftp://a/b']) {
      expect(await ask(gateway.port, line)).toMatch(/^HTTP\/1\.1 400 /);
    }
    expect(upstream.seen).toHaveLength(1);
  });
});
