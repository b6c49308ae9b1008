import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { calibrationOf } from '../../src/calibrate/calibration.ts';
import { measureLevels, roundTrip } from '../../src/calibrate/measure.ts';
import { openLoop, poissonInstants } from '../../src/calibrate/open-loop.ts';
import { meanS } from '../../src/scenario/distribution.ts';
import { testStub } from '../stubs/support.ts';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const HEADERS = { 'content-type': 'application/json' };

function body(maxTokens: number): string {
  const messages = [{ role: 'user', content: 'hello there' }];
  return JSON.stringify({ model: 'any', messages, max_tokens: maxTokens });
}

function options(url: string) {
  return {
    url: `${url}/v1/chat/completions`,
    headers: HEADERS,
    shapes: [{ body: body(8) }, { body: body(16) }],
    mostConnections: 8,
    requestsPerLevel: 60,
    leastPerConnection: 16,
    mostRequests: 1000,
    timeoutS: 10,
    longestS: 15,
  };
}

describe('a calibration against a stub whose model is known', () => {
  // Overheads of a busy machine are in every answer; test/soak holds the 5 % with longer services.
  it('recovers service and slow-down', async () => {
    const slowdown = { perRequest: 0.25, from: 2 };
    const stub = await testStub({ service: { uniform: [0.18, 0.22] }, slowdown });
    closing.push(() => stub.close());
    const way = await roundTrip(`${stub.url}/v1/models`, { headers: HEADERS, timeoutS: 10 });
    const levels = await measureLevels({
      ...options(stub.url),
      ...{ requestsPerLevel: 8, leastPerConnection: 8 },
    });
    expect(levels.map(({ connections }) => connections)).toEqual([1, 2, 4, 8]);
    const { model, n } = calibrationOf(levels, way) ?? {};
    expect(n).toBe(8 * (1 + 2 + 4 + 8));
    const mean = meanS(model?.service ?? { fixed: 1 }, { inTokens: 1, outTokens: 1 });
    expect(Math.abs(mean / 0.2 - 1)).toBeLessThan(0.25);
    const { perRequest = 0, from = 0 } = model?.slowdown ?? {};
    // What counts is the speed at a load, which is what the two numbers are for.
    const slowed = 1 + perRequest * (8 - from);
    expect(Math.abs(slowed / 2.5 - 1)).toBeLessThan(0.25);
  });

  it('ends at a rate limit and says that it is one', async () => {
    let answered = 0;
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const isLimited = answered++ >= 70;
        response.writeHead(isLimited ? 429 : 200, { 'retry-after': '3' });
        setTimeout(() => response.end('{"choices":[{"message":{}}]}'), 2);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    const levels = await measureLevels(options(`http://127.0.0.1:${port}`));
    expect(levels.length).toBe(2);
    const { limit, n } = calibrationOf(levels, 0) ?? {};
    expect(limit).toEqual({ connections: 2, share: 50 / 60, retryAfterS: 3 });
    expect(n).toBe(60);
  });

  it('sends an open loop at its instants and times it from them', async () => {
    const stub = await testStub({ service: { fixed: 0.05 } });
    closing.push(() => stub.close());
    const atS = poissonInstants(40, 40, 1);
    expect(atS).toEqual(poissonInstants(40, 40, 1));
    const { url } = options(stub.url);
    const {
      n,
      failed,
      meanS: mean,
      latenessP99Ms,
    } = await openLoop({
      ...{ url, headers: HEADERS, bodies: [body(8)], atS, timeoutS: 5 },
    });
    expect({ n, failed }).toEqual({ n: 40, failed: 0 });
    expect(mean).toBeGreaterThan(0.05);
    expect(latenessP99Ms).toBeGreaterThanOrEqual(0);
  });
});
