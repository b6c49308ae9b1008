import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { liveOptions } from '../../src/commands/live-options.ts';
import { bill, findTarget, reachableOrigin } from '../../src/commands/live-target.ts';
import { endpointUrls } from '../../src/engine/live/endpoint-url.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import { startStub } from '../../stubs/server.ts';

const scenario = parseScenario({
  durationS: 10,
  arrivals: { process: 'constant', ratePerS: 2 },
  classes: { task: { prompt: 'Say yes.', maxTokens: 8, retry: { max: 0 } } },
});
const schedule = buildSchedule(scenario);

describe('what a run would send', () => {
  it('is said in requests, rate and tokens', () => {
    expect(bill({ maxRequests: Number.POSITIVE_INFINITY, timeScale: 1 }, scenario, schedule)).toBe(
      '20 requests over 10 s (2/s), about 40 prompt tokens, at most 160 output tokens',
    );
  });

  it('is no more than it may be', () => {
    expect(bill({ maxRequests: 5, timeScale: 1 }, scenario, schedule)).toMatch(
      /^5 requests over 2 s/,
    );
  });

  it('is said in minutes of the wall, once for all settings of a sweep', () => {
    const longer = parseScenario({ ...scenario, durationS: 300 });
    const all = { maxRequests: Number.POSITIVE_INFINITY, plays: 3 };
    expect(bill({ ...all, timeScale: 1 }, longer, buildSchedule(longer))).toMatch(
      /^3 times 600 requests over 5 min \(2\/s\)/,
    );
    expect(bill({ ...all, timeScale: 0.1 }, longer, buildSchedule(longer))).toMatch(
      /600 requests over 30 s \(20\/s\)/,
    );
  });

  it('goes to no other machine without consent, and nothing is looked up for it', async () => {
    const options = {
      ...{ endpoint: 'https://models.invalid/v1', model: 'm', apiKey: 'sk-secret', timeScale: 1 },
      ...{ ca: undefined, insecure: false, yes: false, maxRequests: 5, maxTokens: 100 },
    };
    const said: string[] = [];
    const found = findTarget(options, scenario, schedule, (text) => said.push(text));
    await expect(found).rejects.toThrow(/not this machine; expected --yes/);
    expect(said[0]).toBe('endpoint: POST https://models.invalid/v1/chat/completions');
    expect(said.join()).not.toContain('sk-secret');
  });
});

describe('an endpoint on this machine', () => {
  const base = {
    ...{ model: undefined, apiKey: undefined, ca: undefined, insecure: false, yes: false },
    ...{ maxRequests: 5, maxTokens: 100 },
  };

  async function found(timeScale: number, said: string[] = []) {
    const stub = await startStub({ scenario, port: 0, timeScale: 0.1 });
    try {
      const endpoint = `http://127.0.0.1:${stub.port}/v1`;
      return await findTarget({ ...base, endpoint, timeScale }, scenario, schedule, (text) => {
        said.push(text);
      });
    } finally {
      await stub.close();
    }
  }

  it('is told, before anything is sent, what it will be sent, and needs no consent', async () => {
    const said: string[] = [];
    expect(await found(0.1, said)).toMatchObject({ isStub: true });
    expect(said[1]).toMatch(/^this sends 5 requests over .* to http:\/\/127\.0\.0\.1/);
  });

  it.each([1, 0.13])('that is a stub on another scale than %d is refused', async (timeScale) => {
    await expect(found(timeScale)).rejects.toThrow(
      /--time-scale: expected 0\.1, the scale of the stub at http.*, got/,
    );
  });
});

it('names localhost to the gate by the address that answered (C19)', () => {
  const urls = endpointUrls('http://localhost:8000');
  const four = { host: '127.0.0.1', family: 4 } as const;
  const six = { host: '::1', family: 6 } as const;
  expect(reachableOrigin({ urls, address: four })).toBe('http://127.0.0.1:8000');
  expect(reachableOrigin({ urls, address: six })).toBe('http://[::1]:8000');
  const named = endpointUrls('https://models.invalid');
  expect(reachableOrigin({ urls: named, address: four })).toBe('https://models.invalid');
});

describe('the options of a live run', () => {
  const flags = { timeScale: 1, port: 0, maxFailures: 20 };

  it('take a flag before the environment, and ours before anybody else’s', () => {
    const env = {
      MC_ENDPOINT: 'http://mc',
      OPENAI_BASE_URL: 'http://openai',
      MC_MODEL: 'mc-model',
    };
    expect(liveOptions(flags, env)).toMatchObject({ endpoint: 'http://mc', model: 'mc-model' });
    expect(liveOptions({ ...flags, endpoint: 'http://flag', model: 'flag' }, env)).toMatchObject({
      endpoint: 'http://flag',
      model: 'flag',
    });
    expect(liveOptions(flags, { OPENAI_BASE_URL: 'http://openai' }).endpoint).toBe('http://openai');
  });

  it('take a key from the environment alone', () => {
    expect(liveOptions(flags, { OPENAI_API_KEY: 'sk-1' }).apiKey).toBe('sk-1');
    expect(liveOptions(flags, { OPENAI_API_KEY: 'sk-1', MC_API_KEY: 'mc-1' }).apiKey).toBe('mc-1');
    expect(liveOptions(flags, { MC_API_KEY: '' }).apiKey).toBeUndefined();
  });
});

it('is given up at once where the run is interrupted while the endpoint hangs', async () => {
  const server = createServer(() => controller.abort());
  const controller = new AbortController();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = {
    ...{ endpoint, model: 'm', apiKey: undefined, timeScale: 1, ca: undefined, insecure: false },
    ...{ yes: false, maxRequests: 5, maxTokens: 100, signal: controller.signal },
  };
  await expect(findTarget(options, scenario, schedule, () => {})).rejects.toMatchObject({
    ...{ message: 'interrupted before anything was measured', exitCode: 1 },
  });
  await new Promise((resolve) => server.close(resolve));
});
