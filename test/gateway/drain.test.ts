import { describe, expect, it } from 'vitest';
import { allOf, call, gateOf, rawTo, until, upstreamOf } from './support.ts';

/** Ten of them are more than a loopback connection keeps for who does not read. */
const LARGE = Buffer.alloc(3 * 1024 * 1024, 'x');
const REQUEST = 'POST / HTTP/1.1\r\nHost: gate\r\nContent-Length: 2\r\n\r\n{}';

describe('a gate that drains', () => {
  it('ends when who reads slowly has the whole answer, not when the upstream has said it', async () => {
    const upstream = await upstreamOf((_, response) => response.end(LARGE));
    // Held back until it is whole, an answer is handed over at once when its slot goes back.
    const rest = { classes: { task: { share: 1, replay: true } } };
    const gateway = await gateOf(upstream.url, { slots: 10 }, { rest });
    const socket = await rawTo(gateway.port);
    socket.pause().write(REQUEST.repeat(10));
    await until(() => upstream.seen.length === 10 && gateway.inFlight() === 0, 'slots are free');
    expect(gateway.unanswered()).toBeGreaterThan(0);
    const closed = gateway.drain().then(() => gateway.close());
    const bytes = (await allOf(socket)).length;
    await closed;
    expect(bytes).toBeGreaterThan(10 * LARGE.length);
    expect(gateway.unanswered()).toBe(0);
  });

  it('waits for nobody who has sent only a part of a request', async () => {
    const upstream = await upstreamOf((_, response) => response.end());
    const gateway = await gateOf(upstream.url, { slots: 1 });
    const socket = await rawTo(gateway.port);
    socket.write(REQUEST.slice(0, -1));
    await until(() => gateway.inFlight() === 1, 'it is coming');
    expect(gateway.unanswered()).toBe(0);
    await gateway.drain();
  });

  it('waits for no caller whose connection has closed, also behind another answer', async () => {
    const held: (() => void)[] = [];
    const upstream = await upstreamOf((_, response) => held.push(() => response.end()));
    const gateway = await gateOf(upstream.url, { slots: 2 });
    const socket = await rawTo(gateway.port);
    socket.write(REQUEST + REQUEST);
    await until(() => held.length === 2, 'both are upstream');
    expect(gateway.unanswered()).toBe(2);
    const drained = gateway.drain();
    socket.destroy();
    await drained;
    expect(gateway.unanswered()).toBe(0);
    expect((await call(gateway.port)).status).toBe(503);
  });
});
