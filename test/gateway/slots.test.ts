import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { call, chunkEvent, gateOf, metric, rawTo, until, upstreamOf } from './support.ts';

/** A request that its caller can drop; errors of the drop are nobody's concern. */
function droppable(port: number, headers: Record<string, string> = {}): ClientRequest {
  const sent = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/',
    headers,
    agent: false,
  });
  sent.on('error', () => {});
  return sent;
}

describe('a slot goes back exactly once', () => {
  it('when the upstream hangs past its time limit, or resets (A7)', async () => {
    let mode: 'hang' | 'reset' | 'fine' = 'hang';
    const upstream = await upstreamOf((incoming, response) => {
      if (mode === 'reset') incoming.socket.resetAndDestroy();
      if (mode === 'fine') response.end('ok');
    });
    const timeouts = {
      connectMs: 5_000,
      bodyMs: null,
      firstByteMs: 1_000,
      idleMs: null,
      writeMs: null,
    };
    const gateway = await gateOf(upstream.url, { slots: 3, queueCapacity: 0 }, { timeouts });
    const three = () => Promise.all([1, 2, 3].map(() => call(gateway.port)));
    expect((await three()).map((answer) => answer.status)).toEqual([504, 504, 504]);
    mode = 'reset';
    expect((await three()).map((answer) => answer.status)).toEqual([502, 502, 502]);
    mode = 'fine';
    expect((await three()).map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(await metric(gateway.port, 'loadline_in_flight')).toBe(0);
    expect(await metric(gateway.port, 'loadline_leases')).toBe(0);
  });

  it('when a stream is cut after two chunks, and for malformed bodies, 60 times over (A8)', async () => {
    const upstream = await upstreamOf((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('error', () => {});
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        if (body === 'stream') {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(chunkEvent('a') + chunkEvent('b'));
        } else if (body === '{broken') response.writeHead(400).end();
        else response.end('ok');
      });
    });
    const gateway = await gateOf(upstream.url, { slots: 1 });
    for (let i = 0; i < 60; i++) {
      const cut = droppable(gateway.port);
      cut.end('stream');
      const [response] = await once(cut, 'response');
      await once(response, 'data');
      cut.destroy();
      expect((await call(gateway.port, { body: '{broken' })).status).toBe(400);
      expect((await call(gateway.port)).status).toBe(200);
      expect(gateway.gate.machine.admission.view.leased).toBeLessThanOrEqual(1);
    }
    await until(() => gateway.inFlight() === 0, 'nothing is inside');
    expect(await metric(gateway.port, 'loadline_leases')).toBe(0);
  });

  it('when the caller leaves before the first byte, in mid stream or with the last chunk, and the upstream learns of it once (A20)', async () => {
    let aborted = 0;
    let finished = 0;
    const upstream = await upstreamOf((incoming, response) => {
      response.on('close', () => (response.writableFinished ? finished++ : aborted++));
      if (incoming.url === '/silent') return;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunkEvent('a'));
      if (incoming.url === '/whole') response.end('data: [DONE]\n\n');
    });
    const gateway = await gateOf(upstream.url, { slots: 4 });
    const drop = async (path: string, wait: 'nothing' | 'data') => {
      const socket = await rawTo(gateway.port);
      socket.write(`POST ${path} HTTP/1.1\r\nHost: g\r\nContent-Length: 2\r\n\r\n{}`);
      const before = upstream.seen.length;
      if (wait === 'data') await once(socket, 'data');
      else await until(() => upstream.seen.length > before, 'it is upstream');
      socket.destroy();
    };
    await drop('/silent', 'nothing');
    await drop('/stream', 'data');
    await drop('/whole', 'data');
    await until(() => gateway.inFlight() === 0, 'nothing is inside');
    await until(() => aborted + finished === 3, 'the upstream has heard of all three');
    expect({ aborted, finished }).toEqual({ aborted: 2, finished: 1 });
  });

  it('when the caller leaves in the queue, or while its body comes (A4)', async () => {
    const upstream = await upstreamOf(() => {});
    const gateway = await gateOf(upstream.url, { slots: 2 });
    const half = droppable(gateway.port, { 'content-length': '100' });
    half.write('half');
    await until(() => gateway.inFlight() === 1, 'it is coming');
    half.destroy();
    await until(() => gateway.inFlight() === 0, 'it has gone');
    expect(upstream.seen).toHaveLength(0);
    const leased = [droppable(gateway.port), droppable(gateway.port)];
    for (const each of leased) each.end('{}');
    await until(() => gateway.gate.machine.admission.view.leased === 2, 'two have a slot');
    const waiting = droppable(gateway.port);
    waiting.end('{}');
    await until(() => gateway.gate.machine.admission.view.queued === 1, 'one waits');
    waiting.destroy();
    await until(() => gateway.inFlight() === 2, 'none waits');
    for (const each of leased) each.destroy();
    await until(() => gateway.inFlight() === 0, 'nothing is inside');
    const { body } = await call(gateway.port, { method: 'GET', path: '/metrics', body: '' });
    expect(body).toContain('loadline_client_gone_total{phase="body"} 1');
    expect(body).toContain('loadline_client_gone_total{phase="queued"} 1');
    expect(body).toContain('loadline_client_gone_total{phase="leased"} 2');
  });

  it('never taken by callers who send half of a request, who are told so in the end', async () => {
    const upstream = await upstreamOf((incoming, response) => {
      incoming.resume().on('end', () => response.end('ok'));
    });
    const timeouts = {
      connectMs: null,
      bodyMs: 300,
      firstByteMs: null,
      idleMs: null,
      writeMs: null,
    };
    const gateway = await gateOf(upstream.url, { slots: 1 }, { timeouts });
    const half = await rawTo(gateway.port);
    const chunked = await rawTo(gateway.port);
    const told: string[] = [];
    for (const socket of [half, chunked]) socket.on('data', (data) => told.push(String(data)));
    half.write('POST / HTTP/1.1\r\nHost: g\r\nContent-Length: 100\r\n\r\nhalf');
    chunked.write('POST / HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n');
    await until(() => gateway.inFlight() === 2, 'both are coming');
    expect(gateway.gate.machine.admission.view.leased).toBe(0);
    expect((await call(gateway.port)).status).toBe(200);
    await until(() => told.length === 2, 'both are told');
    for (const answer of told) expect(answer).toContain(' 408 ');
    expect(gateway.inFlight()).toBe(0);
    expect(upstream.seen).toHaveLength(1);
  });

  it('for pipelined requests whose connection closes before their turn', async () => {
    const upstream = await upstreamOf(() => {});
    const gateway = await gateOf(upstream.url, { slots: 3 });
    const socket = await rawTo(gateway.port);
    const one = 'POST / HTTP/1.1\r\nHost: g\r\nContent-Length: 2\r\n\r\n{}';
    socket.write(one + one + one);
    await until(() => upstream.seen.length === 3, 'all three are upstream');
    socket.destroy();
    await until(() => gateway.inFlight() === 0, 'nothing is inside');
    expect(gateway.gate.machine.admission.view.leased).toBe(0);
  });

  it('through 1000 dropped requests, and eight more find all slots free (A11)', async () => {
    const upstream = await upstreamOf((incoming, response) => {
      incoming.resume();
      if (incoming.headers['x-fine'] !== undefined) response.end('ok');
      else {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(chunkEvent('a'));
      }
    });
    const gateway = await gateOf(upstream.url, { slots: 8, queueCapacity: 40 });
    const dropOne = (n: number) =>
      new Promise<void>((resolve) => {
        const sent = droppable(gateway.port);
        sent.once('close', resolve);
        sent.end('{}');
        setTimeout(() => sent.destroy(), n % 7);
      });
    const worker = async (_: unknown, lane: number) => {
      for (let n = lane; n < 1000; n += 25) await dropOne(n);
    };
    await Promise.all(Array.from({ length: 25 }, worker));
    const gauge = () => metric(gateway.port, 'loadline_in_flight');
    await until(async () => (await gauge()) === 0, 'the gauge is back at 0');
    const headers = { 'x-fine': '1' };
    const eight = await Promise.all(
      Array.from({ length: 8 }, () => call(gateway.port, { headers })),
    );
    expect(eight.every((answer) => answer.status === 200)).toBe(true);
  });

  it('is held by a caller that does not read, in bounded memory, and shown so (A22)', async () => {
    const total = 40 * 1024 * 1024;
    const piece = Buffer.alloc(64 * 1024, 'x');
    const sentBytes = [0, 0];
    const upstream = await upstreamOf((_, response) => {
      const mine = upstream.seen.length - 1;
      const more = () => {
        while ((sentBytes[mine] ?? total) < total) {
          sentBytes[mine] = (sentBytes[mine] ?? 0) + piece.length;
          if (!response.write(piece)) return;
        }
        response.end();
      };
      response.on('drain', more);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      more();
    });
    const gateway = await gateOf(upstream.url, { slots: 2 });
    const sockets = await Promise.all([rawTo(gateway.port), rawTo(gateway.port)]);
    for (const socket of sockets) {
      socket.pause();
      socket.write('GET / HTTP/1.1\r\nHost: g\r\nx-loadline-client: sleepy\r\n\r\n');
    }
    const leases = async () =>
      JSON.parse(
        (await call(gateway.port, { method: 'GET', path: '/admin/leases', body: '' })).body,
      ).leases;
    const stalled = () => [...gateway.gate.leased.values()].filter((each) => each.stalled).length;
    await until(() => stalled() === 2, 'neither reads');
    let before = -1;
    await until(() => {
      const now = (sentBytes[0] ?? 0) + (sentBytes[1] ?? 0);
      const still = now === before;
      before = now;
      return still && now > 0;
    }, 'the upstream is held back');
    expect(before).toBeLessThan(32 * 1024 * 1024);
    expect(await leases()).toMatchObject([
      { client: 'sleepy', slow_reader: true },
      { client: 'sleepy', slow_reader: true },
    ]);
    expect(await metric(gateway.port, 'loadline_slow_readers')).toBe(2);
    for (const socket of sockets) socket.destroy();
    await until(() => gateway.inFlight() === 0, 'the slots are free');
  });

  it('ends the lease of a caller that does not read in time, where a limit is set', async () => {
    const piece = Buffer.alloc(1024 * 1024, 'x');
    const upstream = await upstreamOf((_, response) => {
      const more = () => {
        while (response.write(piece));
      };
      response.on('drain', more);
      more();
    });
    const timeouts = {
      connectMs: null,
      bodyMs: null,
      firstByteMs: null,
      idleMs: null,
      writeMs: 50,
    };
    const gateway = await gateOf(upstream.url, { slots: 1 }, { timeouts });
    const socket = await rawTo(gateway.port);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: g\r\n\r\n');
    await until(() => upstream.seen.length === 1, 'it is upstream');
    await until(() => gateway.inFlight() === 0, 'the slot is free');
  });
});

describe('an upstream that is not there', () => {
  it('is answered with 503 at once, also to those who wait, and found again', async () => {
    const upstream = await upstreamOf(() => {});
    const gateway = await gateOf(upstream.url, { slots: 1 });
    const first = call(gateway.port);
    await until(() => upstream.seen.length === 1, 'one is upstream');
    const waiting = call(gateway.port);
    await until(() => gateway.gate.machine.admission.view.queued === 1, 'one waits');
    const { port } = upstream.server.address() as { port: number };
    upstream.server.closeAllConnections();
    await new Promise((resolve) => upstream.server.close(resolve));
    expect((await first).status).toBe(502);
    const answers = [await waiting, await call(gateway.port)];
    expect(answers.map((answer) => answer.status)).toEqual([503, 503]);
    expect(answers[1]?.headers).toMatchObject({
      'x-loadline-decision': 'reject',
      'x-loadline-reason': 'upstream_down',
    });
    expect(answers[1]?.tookMs).toBeLessThan(500);
    expect((await call(gateway.port, { method: 'GET', path: '/readyz', body: '' })).status).toBe(
      503,
    );
    upstream.server.listen(port, '127.0.0.1');
    upstream.server.removeAllListeners('request');
    upstream.server.on('request', (_, response) => response.end('back'));
    await until(() => !gateway.gate.machine.admission.view.policy.upstreamDown, 'it is back');
    expect((await call(gateway.port)).body).toBe('back');
  });

  it('is sent a request again where a kept connection turns out dead, and that is counted (C22)', async () => {
    let turn = 0;
    const upstream = await upstreamOf((incoming, response) => {
      turn++;
      if (turn === 2) incoming.socket.resetAndDestroy();
      else response.end(`turn ${turn}`);
    });
    const gateway = await gateOf(upstream.url, { slots: 1 });
    expect((await call(gateway.port)).body).toBe('turn 1');
    expect((await call(gateway.port)).body).toBe('turn 3');
    expect(await metric(gateway.port, 'loadline_transport_retries_total')).toBe(1);
  });
});
