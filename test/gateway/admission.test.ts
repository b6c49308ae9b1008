import { Agent } from 'node:http';
import { describe, expect, it } from 'vitest';
import { call, gateOf, metric, until, upstreamOf } from './support.ts';

describe('what the gate decides', () => {
  it('admits with the facts of its decision in the head', async () => {
    const upstream = await upstreamOf((_, response) => response.end('fine'));
    const { port } = await gateOf(upstream.url, { slots: 1 });
    const answer = await call(port);
    expect(answer).toMatchObject({ status: 200, body: 'fine' });
    expect(answer.headers).toMatchObject({
      'x-loadline-decision': 'admit',
      'x-loadline-reason': 'none',
      'x-loadline-queue-age-ms': '0',
      'x-loadline-wait-ms': '0',
    });
  });

  it('runs one, keeps one waiting and refuses four of six at cap 1, queue 1 (A5)', async () => {
    const held: (() => void)[] = [];
    const upstream = await upstreamOf((_, response) => held.push(() => response.end('ok')));
    const gateway = await gateOf(upstream.url, { slots: 1, queueCapacity: 1 });
    const warm = call(gateway.port);
    await until(() => held.length === 1, 'the warm-up is upstream');
    held.pop()?.();
    await warm;
    let refused = 0;
    const calls = Array.from({ length: 6 }, async () => {
      const answer = await call(gateway.port);
      if (answer.status === 429) refused++;
      return answer;
    });
    await until(() => refused === 4, 'four are refused');
    await until(() => held.length === 1 && gateway.inFlight() === 2, 'one runs, one waits');
    held.pop()?.();
    await until(() => held.length === 1, 'the one that waited runs');
    held.pop()?.();
    const statuses = (await Promise.all(calls)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
  });

  it('holds 4 + 8 of 200 and refuses 188 at once (A1)', async () => {
    let most = 0;
    let inside = 0;
    const held: (() => void)[] = [];
    const upstream = await upstreamOf((_, response) => {
      most = Math.max(most, ++inside);
      held.push(() => {
        inside--;
        response.end('ok');
      });
    });
    const gateway = await gateOf(upstream.url, { slots: 4, queueCapacity: 8 });
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    const settled: number[] = [];
    const calls = Array.from({ length: 200 }, () =>
      call(gateway.port, { agent }).then((answer) => {
        settled.push(answer.status);
        return answer;
      }),
    );
    await until(() => settled.length === 188, '188 are refused while the rest is held');
    expect(settled.every((status) => status === 429)).toBe(true);
    gateway.gate.machine.configure({ maxWaitUs: 0 });
    await until(() => settled.length === 196, 'none waits longer than maxWaitS');
    for (const release of held) release();
    const answers = await Promise.all(calls);
    agent.destroy();
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(4);
    expect(most).toBe(4);
    const expired = answers.filter((a) => a.headers['x-loadline-decision'] === 'expire');
    expect(expired.map((a) => a.headers['x-loadline-reason'])).toEqual(Array(8).fill('max_wait'));
    expect(await metric(gateway.port, 'loadline_in_flight')).toBe(0);
  });

  it('refuses with a whole Retry-After, the exact one beside it, and the body of the contract', async () => {
    const upstream = await upstreamOf(() => {});
    const gateway = await gateOf(upstream.url, { slots: 1, queueCapacity: 0, retryAfterS: 5 });
    void call(gateway.port).catch(() => {});
    await until(() => upstream.seen.length === 1, 'the slot is taken');
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(gateway.port)));
    const [first] = answers;
    const seconds = Number(first?.headers['retry-after']);
    const ms = Number(first?.headers['retry-after-ms']);
    expect(first?.status).toBe(429);
    expect(Number.isInteger(seconds)).toBe(true);
    expect(seconds).toBe(Math.ceil(ms / 1000));
    expect(ms).toBeGreaterThanOrEqual(5_000);
    expect(JSON.parse(first?.body ?? '')).toEqual({
      error: 'queue_capacity',
      reason: expect.any(String),
      queue_age_seconds: 0,
      retry_after_seconds: seconds,
    });
    expect(new Set(answers.map((answer) => answer.headers['retry-after-ms'])).size).toBeGreaterThan(
      15,
    );
    expect(first?.headers).not.toHaveProperty('x-should-retry');
  });

  it('tells wall time in Retry-After where the clock is scaled', async () => {
    const upstream = await upstreamOf(() => {});
    const gateway = await gateOf(
      upstream.url,
      { slots: 1, queueCapacity: 0, retryAfterS: 100 },
      { timeScale: 0.1 },
    );
    void call(gateway.port).catch(() => {});
    await until(() => upstream.seen.length === 1, 'the slot is taken');
    const answer = await call(gateway.port);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(10);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(15);
  });

  it('tells a refused interactive lease in the fixed word, and not to retry', async () => {
    const upstream = await upstreamOf(() => {});
    const gateway = await gateOf(
      upstream.url,
      { slots: 2, interactiveCap: 1 },
      { rest: { classes: { debug: { kind: 'interactive', share: 1, mayQueue: false } } } },
    );
    void call(gateway.port).catch(() => {});
    await until(() => upstream.seen.length === 1, 'the one lease is taken');
    const answer = await call(gateway.port);
    expect(answer.status).toBe(429);
    expect(answer.headers['x-should-retry']).toBe('false');
    expect(answer.headers['x-loadline-reason']).toBe('interactive_cap');
    expect(JSON.parse(answer.body).error).toBe('interactive_lease_rejected');
  });
});
