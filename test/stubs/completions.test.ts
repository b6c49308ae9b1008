import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { bodyOf, CHAT, demand, type TestStub, testStub } from './support.ts';

let stub: TestStub;
afterEach(() => stub.close());

function client(): OpenAI {
  return new OpenAI({ baseURL: `${stub.url}/v1`, apiKey: 'unused', maxRetries: 0 });
}

const messages = [{ role: 'user' as const, content: 'x'.repeat(40) }];

describe('a chat completion', () => {
  it('is whole, with usage, for the openai client', async () => {
    stub = await testStub({ service: { fixed: 0.02 } });
    const answer = await client().chat.completions.create({ model: 'm', messages, max_tokens: 5 });
    const [choice] = answer.choices;
    expect(choice?.message.content?.split(' ')).toHaveLength(5);
    expect(choice?.finish_reason).toBe('length');
    expect(answer.usage).toEqual({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
    expect(answer.model).toBe('m');
  });

  it('streams one chunk for each token, then usage, to the openai client', async () => {
    stub = await testStub({ service: { fixed: 0.05 } });
    const stream = await client().chat.completions.create({
      model: 'm',
      messages,
      max_tokens: 7,
      stream: true,
      stream_options: { include_usage: true },
    });
    const texts: string[] = [];
    const reasons: string[] = [];
    let total: number | undefined;
    for await (const chunk of stream) {
      const [choice] = chunk.choices;
      if (choice?.delta.content) texts.push(choice.delta.content);
      if (choice?.finish_reason) reasons.push(choice.finish_reason);
      total = chunk.usage?.total_tokens ?? total;
    }
    expect(texts).toHaveLength(7);
    expect(reasons).toEqual(['length']);
    expect(total).toBe(17);
  });

  it('ends a stream with [DONE] and sends no usage that was not asked for', async () => {
    stub = await testStub({ service: { fixed: 0.01 } });
    const text = await (
      await stub.post('/v1/chat/completions', { ...CHAT, stream: true, max_tokens: 2 })
    ).text();
    const events = text.trim().split('\n\n');
    expect(events.at(-1)).toBe('data: [DONE]');
    expect(events).toHaveLength(1 + 2 + 1 + 1);
    expect(text).not.toContain('usage');
    const first = JSON.parse(events[0]!.slice('data: '.length));
    expect(first).toMatchObject({
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }],
    });
  });

  it('takes the work from the header of our generator', async () => {
    stub = await testStub({ service: { fixed: 50 } });
    const answer = await stub.post('/v1/chat/completions', CHAT, {
      'x-loadline-demand': demand(1000, 3),
    });
    expect((await bodyOf(answer)).usage).toEqual({
      prompt_tokens: 10,
      completion_tokens: 3,
      total_tokens: 13,
    });
  });

  it('draws the same work again from the same seed', async () => {
    const took = async (): Promise<number> => {
      stub = await testStub({ service: { uniform: [0.1, 40] } }, { timeScale: 0.001 });
      for (let i = 0; i < 3; i++) await (await stub.post('/v1/chat/completions', CHAT)).text();
      const busy = await stub.metric('cpu_busy_seconds_total');
      await stub.close();
      return busy!;
    };
    const first = await took();
    expect(first).toBeGreaterThan(0.3);
    // The stub looks up to a timer's tick late; what it then counts is what was due.
    expect(await took()).toBeCloseTo(first, 9);
  });

  it('resumes behind the tokens that a restart need not make again', async () => {
    stub = await testStub({ service: { fixed: 1 }, resume: true, checkpointTokens: 5 });
    const text = await (
      await stub.post(
        '/v1/chat/completions',
        { ...CHAT, stream: true },
        { 'x-loadline-demand': demand(20_000, 8), 'x-loadline-resume-tokens': '5' },
      )
    ).text();
    expect(text.match(/"content":"[^"]+"/g)).toHaveLength(3);
  });
});

describe('the time of an answer', () => {
  it('is never early, and seldom late', async () => {
    stub = await testStub({});
    const late: number[] = [];
    for (let i = 0; i < 40; i++) {
      const serviceUs = 3000 + i * 371;
      const from = performance.now();
      const answer = await stub.post('/v1/chat/completions', CHAT, {
        'x-loadline-demand': demand(serviceUs, 1, i),
      });
      late.push(performance.now() - from - serviceUs / 1000);
      await answer.text();
    }
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(late.sort((a, b) => a - b)[20]).toBeLessThan(50);
  });

  it('is scaled, while the metrics speak scenario time', async () => {
    stub = await testStub({ service: { fixed: 20 } }, { timeScale: 0.002 });
    const from = performance.now();
    await (await stub.post('/v1/chat/completions', CHAT)).text();
    const wallMs = performance.now() - from;
    expect(wallMs).toBeGreaterThanOrEqual(40);
    expect(wallMs).toBeLessThan(2000);
    expect(await stub.metric('cpu_busy_seconds_total')).toBeCloseTo(20, 9);
  });
});

describe('a request that is none', () => {
  it.each([
    ['broken JSON', '{"messages": [', 'expected JSON'],
    ['no messages', '{}', 'messages'],
    ['a list', '[]', 'JSON object'],
    ['a senseless limit', JSON.stringify({ ...CHAT, max_tokens: 'many' }), 'max_tokens'],
  ])('is answered with 400: %s', async (_, body, expected) => {
    stub = await testStub({});
    const answer = await stub.post('/v1/chat/completions', body);
    expect(answer.status).toBe(400);
    expect((await bodyOf(answer)).error.message).toContain(expected);
  });

  it('is answered with 404 where there is no such route, without its query', async () => {
    stub = await testStub({});
    const answer = await stub.post('/v1/nothing?key=secret', {});
    expect(answer.status).toBe(404);
    const { error } = await bodyOf(answer);
    expect(error.code).toBe('not_found');
    expect(error.message).not.toContain('secret');
  });

  it('may come without a content type, as curl -d sends it', async () => {
    stub = await testStub({ service: { fixed: 0.001 } });
    const answer = await stub.post('/v1/chat/completions', CHAT, {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(answer.status).toBe(200);
    await answer.text();
  });
});

it('lists its model', async () => {
  stub = await testStub({});
  const { data } = await client().models.list();
  expect(data.map(({ id }) => id)).toEqual(['loadline-stub']);
});
