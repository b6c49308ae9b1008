import { afterEach, describe, expect, it } from 'vitest';
import { bodyOf, CHAT, type TestStub, testStub } from './support.ts';

let stub: TestStub;
afterEach(() => stub.close());

describe('metrics', () => {
  it('are there from the start, at 0, under the names of vLLM', async () => {
    stub = await testStub({});
    const names = [
      'vllm:num_requests_running',
      'vllm:num_requests_waiting',
      'vllm:kv_cache_usage_perc',
      'vllm:gpu_cache_usage_perc',
      'vllm:num_preemptions_total',
      'vllm:prompt_tokens_total',
      'vllm:generation_tokens_total',
      'vllm:time_to_first_token_seconds_count',
      'vllm:inter_token_latency_seconds_count',
      'vllm:e2e_request_latency_seconds_count',
      'vllm:request_queue_time_seconds_count',
      'vllm:request_success_total{finished_reason="stop"}',
      'vllm:request_success_total{finished_reason="length"}',
      'vllm:request_success_total{finished_reason="abort"}',
      'cpu_busy_seconds_total',
    ];
    const values = await Promise.all(names.map(async (name) => [name, await stub.metric(name)]));
    expect(Object.fromEntries(values)).toEqual(Object.fromEntries(names.map((name) => [name, 0])));
  });

  it('count what was served', async () => {
    stub = await testStub({ service: { fixed: 0.01 } });
    const body = { ...CHAT, max_tokens: 5 };
    for (let i = 0; i < 3; i++) await (await stub.post('/v1/chat/completions', body)).text();
    expect(await stub.metric('vllm:generation_tokens_total')).toBe(15);
    expect(await stub.metric('vllm:prompt_tokens_total')).toBe(9);
    expect(await stub.metric('vllm:e2e_request_latency_seconds_count')).toBe(3);
    expect(await stub.metric('vllm:request_success_total{finished_reason="length"}')).toBe(3);
  });
});

describe('the live configuration', () => {
  it('holds from the next request on', async () => {
    stub = await testStub({ service: { fixed: 60 } });
    const answer = await stub.post('/admin/config', { service: { fixed: 0.001 }, slots: 2 });
    expect((await bodyOf(answer)).model).toMatchObject({ service: { fixed: 0.001 }, slots: 2 });
    await (await stub.post('/v1/chat/completions', CHAT)).text();
    const read = await bodyOf(fetch(`${stub.url}/admin/config`));
    expect(read.model.slots).toBe(2);
  });

  it.each([[{ slots: -1 }], [{ slotz: 1 }], [{ service: { fixed: 'long' } }]])(
    'refuses %j and keeps what it had',
    async (change) => {
      stub = await testStub({ slots: 3 });
      const answer = await stub.post('/admin/config', change);
      expect(answer.status).toBe(400);
      expect((await bodyOf(answer)).error.message).toContain('model');
      const read = await bodyOf(fetch(`${stub.url}/admin/config`));
      expect(read.model.slots).toBe(3);
    },
  );
});

it('restarts its clock and its model', async () => {
  stub = await testStub({ service: { fixed: 0.01 } });
  await (await stub.post('/v1/chat/completions', CHAT)).text();
  expect(await stub.metric('cpu_busy_seconds_total')).toBeCloseTo(0.01, 6);
  expect((await stub.post('/admin/restart', {})).status).toBe(200);
  expect(await stub.metric('cpu_busy_seconds_total')).toBe(0);
});

it('is healthy', async () => {
  stub = await testStub({});
  expect((await fetch(`${stub.url}/healthz`)).status).toBe(200);
});
