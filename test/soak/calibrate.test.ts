import { afterEach, describe, expect, it } from 'vitest';
import { calibrationOf } from '../../src/calibrate/calibration.ts';
import { measureLevels, roundTrip } from '../../src/calibrate/measure.ts';
import { meanS } from '../../src/scenario/distribution.ts';
import { testStub } from '../stubs/support.ts';

// About 40 s: services of .6 s, beside which the overheads of a machine are small.

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const HEADERS = { 'content-type': 'application/json' };
const MESSAGES = [{ role: 'user', content: 'hello there' }];
const BODY = JSON.stringify({ model: 'any', messages: MESSAGES, max_tokens: 8 });

describe('a calibration against a stub whose model is known', () => {
  it('recovers service and slow-down within 5 %', async () => {
    const slowdown = { perRequest: 0.25, from: 2 };
    const stub = await testStub({ service: { uniform: [0.54, 0.66] }, slowdown });
    closing.push(() => stub.close());
    const way = await roundTrip(`${stub.url}/v1/models`, { headers: HEADERS, timeoutS: 10 });
    const levels = await measureLevels({
      url: `${stub.url}/v1/chat/completions`,
      headers: HEADERS,
      shapes: [{ body: BODY }],
      mostConnections: 8,
      requestsPerLevel: 8,
      leastPerConnection: 8,
      mostRequests: 1000,
      timeoutS: 10,
      longestS: 30,
    });
    const { model } = calibrationOf(levels, way) ?? {};
    const mean = meanS(model?.service ?? { fixed: 1 }, { inTokens: 1, outTokens: 1 });
    expect(Math.abs(mean / 0.6 - 1)).toBeLessThan(0.05);
    const { perRequest = 0, from = 0 } = model?.slowdown ?? {};
    expect(Math.abs((1 + perRequest * (8 - from)) / 2.5 - 1)).toBeLessThan(0.05);
  });
});
