import { Agent, request } from 'undici';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { bodyOf, CHAT, demand, type TestStub, testStub, until } from './support.ts';

let stub: TestStub;
const agent = new Agent();
afterEach(() => stub.close());
afterAll(() => agent.destroy());

function send(body: object, headers: Record<string, string>, signal?: AbortSignal) {
  return request(`${stub.url}/v1/chat/completions`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...CHAT, ...body }),
    ...(signal === undefined ? {} : { signal }),
  });
}

const running = () => stub.metric('vllm:num_requests_running');

describe('a client that goes', () => {
  it('frees the slot before the headers, with one abort line', async () => {
    stub = await testStub({ slots: 1 });
    const gone = new AbortController();
    const sent = send({}, { 'x-loadline-demand': demand(60e6, 5) }, gone.signal);
    await until(async () => (await running()) === 1);
    gone.abort();
    await expect(sent).rejects.toThrow();
    await until(async () => (await running()) === 0);
    expect(stub.log.filter(({ event }) => event === 'abort')).toHaveLength(1);
  });

  it('frees the slot in mid stream, and what waited is served', async () => {
    stub = await testStub({ slots: 1 });
    const gone = new AbortController();
    const first = await send(
      { stream: true },
      { 'x-loadline-demand': demand(60e6, 6000) },
      gone.signal,
    );
    first.body.on('error', () => undefined);
    const second = send({}, { 'x-loadline-demand': demand(1000, 1, 1) });
    await until(async () => (await stub.metric('vllm:num_requests_waiting')) === 1);
    gone.abort();
    expect(await (await second).body.text()).toContain('"completion_tokens":1');
    expect(stub.log.filter(({ event }) => event === 'abort')).toHaveLength(1);
  });

  it('leaves a queue of the model without a trace but its line', async () => {
    stub = await testStub({ slots: 1 });
    const [holder, waiter] = [new AbortController(), new AbortController()];
    const held = send({}, { 'x-loadline-demand': demand(60e6, 5) }, holder.signal);
    await until(async () => (await running()) === 1);
    const waits = send({}, { 'x-loadline-demand': demand(60e6, 5, 1) }, waiter.signal);
    await until(async () => (await stub.metric('vllm:num_requests_waiting')) === 1);
    waiter.abort();
    await expect(waits).rejects.toThrow();
    await until(async () => (await stub.metric('vllm:num_requests_waiting')) === 0);
    holder.abort();
    await expect(held).rejects.toThrow();
    await until(async () => (await running()) === 0);
    expect(stub.log.filter(({ event }) => event === 'abort')).toHaveLength(2);
  });

  it('with the last chunk in hand is no abort', async () => {
    stub = await testStub({});
    for (let i = 0; i < 20; i++) {
      const gone = new AbortController();
      const answer = await send(
        { stream: true },
        { 'x-loadline-demand': demand(2000, 2, i) },
        gone.signal,
      );
      for await (const chunk of answer.body) if (String(chunk).includes('[DONE]')) break;
      gone.abort();
    }
    await until(async () => (await running()) === 0);
    expect(stub.log).toEqual([]);
    expect(await stub.metric('vllm:request_success_total{finished_reason="abort"}')).toBe(0);
  });

  it('is one of many: every slot comes back, one line each', async () => {
    stub = await testStub({});
    for (let round = 0; round < 4; round++) {
      const clients = Array.from({ length: 100 }, () => new AbortController());
      const sent = clients.map(({ signal }, i) =>
        send({ stream: i % 2 === 0 }, { 'x-loadline-demand': demand(60e6, 50, i) }, signal)
          .then(({ body }) => body.text())
          .catch(() => 'gone'),
      );
      await until(async () => (await running()) === 100);
      for (const each of clients) each.abort();
      expect(new Set(await Promise.all(sent))).toEqual(new Set(['gone']));
      await until(async () => (await running()) === 0);
    }
    expect(stub.log.filter(({ event }) => event === 'abort')).toHaveLength(400);
  });
});

describe('a hold', () => {
  it('streams its tokens and then stays until the client goes', async () => {
    stub = await testStub({}, { classes: { task: { compute: 0.5 } } });
    const gone = new AbortController();
    const answer = await send(
      { stream: true },
      { 'x-loadline-demand': demand(10_000, 4, 0, 60e6) },
      gone.signal,
    );
    let text = '';
    answer.body.on('data', (chunk) => {
      text += chunk;
    });
    answer.body.on('error', () => undefined);
    await until(() => (text.match(/"content":"\w| \w/g) ?? []).length >= 4);
    expect(text).not.toContain('[DONE]');
    expect(await running()).toBe(1);
    gone.abort();
    await until(async () => (await running()) === 0);
  });
});

describe('a preempt on the wire', () => {
  const model = {
    service: { fixed: 1 },
    preempts: { type: 'ticks', ticks: 2, tickTokens: 20 },
    checkpointTokens: 15,
  };
  const work = { 'x-loadline-demand': demand(50_000, 200) };

  it('is a frame in the stream, with the numbers of a restart, and no [DONE]', async () => {
    stub = await testStub(model);
    const text = await (await send({ stream: true }, work)).body.text();
    const last = text.trim().split('\n\n').at(-1)!;
    expect(JSON.parse(last.slice('data: '.length)).error).toMatchObject({
      code: 'preempted',
      prompt_tokens: 10,
      output_tokens: 40,
      checkpoint_tokens: 30,
    });
    expect(text.match(/"content":"[^"]+"/g)).toHaveLength(40);
    expect(text).not.toContain('[DONE]');
    expect(await stub.metric('vllm:num_preemptions_total')).toBe(1);
  });

  it('is followed by no token, however late the stub looks', async () => {
    stub = await testStub(model);
    const answer = await send({ stream: true }, work);
    const end = performance.now() + 100;
    while (performance.now() < end);
    expect((await answer.body.text()).match(/"content":"[^"]+"/g)).toHaveLength(40);
    expect(await stub.metric('vllm:generation_tokens_total')).toBe(40);
  });

  it('is a 503 where nothing has been sent, and the second run goes through', async () => {
    stub = await testStub(model);
    const first = await send({}, work);
    expect(first.statusCode).toBe(503);
    expect(await first.body.text()).toContain('"code":"preempted"');
    const second = await send({}, work);
    expect(second.statusCode).toBe(200);
    await second.body.text();
  });

  it('is a reset where the scenario says so', async () => {
    stub = await testStub({ ...model, preemptSignal: 'reset' });
    await expect(send({ stream: true }, work).then(({ body }) => body.text())).rejects.toThrow();
    await expect(send({}, { 'x-loadline-demand': demand(50_000, 200, 1) })).rejects.toThrow();
  });

  it('is silence where the scenario says so: the slot is free, the stream says nothing', async () => {
    stub = await testStub({ ...model, preemptSignal: 'silence' });
    const answer = await send({ stream: true }, work);
    let ended = false;
    answer.body.on('data', () => undefined).on('error', () => undefined);
    answer.body.on('end', () => {
      ended = true;
    });
    await until(async () => (await stub.metric('vllm:num_preemptions_total')) === 1);
    expect(await running()).toBe(0);
    expect(ended).toBe(false);
  });

  it('comes by request, for one caller or for the host', async () => {
    stub = await testStub({ service: { fixed: 60 } });
    const work1 = { 'x-loadline-demand': demand(60e6, 10, 1), 'x-loadline-seq': '41' };
    const work2 = { 'x-loadline-demand': demand(60e6, 10, 2), 'x-loadline-seq': '42' };
    const [first, second] = [send({}, work1), send({}, work2)];
    await until(async () => (await running()) === 2);
    expect(await (await stub.post('/admin/preempt', { seq: 41 })).json()).toEqual({ preempted: 1 });
    expect((await first).statusCode).toBe(503);
    expect((await stub.post('/admin/preempt', { seq: 41 })).status).toBe(400);
    expect(await (await stub.post('/admin/preempt', {})).json()).toEqual({ preempted: 1 });
    expect((await second).statusCode).toBe(503);
  });
});

describe('a request that can never fit', () => {
  it('fails at once', async () => {
    stub = await testStub({ preempts: { type: 'memory', blocks: 2, blockTokens: 16 } });
    const answer = await send({ stream: true }, { 'x-loadline-demand': demand(60e6, 100) });
    expect(answer.statusCode).toBe(400);
    expect(await answer.body.text()).toContain('"code":"too_large"');
  });
});

describe('a fault', () => {
  const quick = { 'x-loadline-demand': demand(5000, 50) };

  it('is met by as many requests as it says', async () => {
    stub = await testStub({});
    await stub.post('/admin/fault', { type: 'status', status: 502, body: 'bad', requests: 2 });
    const codes: number[] = [];
    for (let i = 0; i < 3; i++) {
      const answer = await send({}, quick);
      codes.push(answer.statusCode);
      await answer.body.text();
    }
    expect(codes).toEqual([502, 502, 200]);
  });

  it('may be met by chance, with words of its own for each (E8)', async () => {
    stub = await testStub({});
    const body = '{"error":{"message":"overloaded (ref: {ref})"}}';
    await stub.post('/admin/fault', { type: 'status', status: 503, body, share: 0.5 });
    const refs: string[] = [];
    for (let i = 0; i < 40; i++) {
      const answer = await send({}, quick);
      const text = await answer.body.text();
      const ref = /\(ref: ([0-9a-f]{12})\)/.exec(text)?.[1];
      expect(ref !== undefined).toBe(answer.statusCode === 503);
      if (ref !== undefined) refs.push(ref);
    }
    expect(refs.length).toBeGreaterThan(10);
    expect(refs.length).toBeLessThan(30);
    expect(new Set(refs).size).toBe(refs.length);
  });

  it('may be a page with status 200', async () => {
    stub = await testStub({});
    await stub.post('/admin/fault', { type: 'html' });
    const answer = await send({}, quick);
    expect(answer.headers['content-type']).toContain('text/html');
    expect(await answer.body.text()).toContain('<h1>');
  });

  it('may be a reset', async () => {
    stub = await testStub({});
    await stub.post('/admin/fault', { type: 'reset' });
    await expect(send({}, quick)).rejects.toThrow();
  });

  it('may cut a stream, and the slot is free', async () => {
    stub = await testStub({});
    await stub.post('/admin/fault', { type: 'truncate', afterTokens: 3 });
    const answer = await send({ stream: true }, { 'x-loadline-demand': demand(2e6, 200) });
    let text = '';
    const read = async () => {
      for await (const chunk of answer.body) text += chunk;
    };
    await expect(read()).rejects.toThrow();
    expect(text.match(/"content":"[^"]+"/g)).toHaveLength(3);
    expect(await running()).toBe(0);
    expect(stub.log).toEqual([]);
  });

  it('may cut an answer that is no stream', async () => {
    stub = await testStub({});
    await stub.post('/admin/fault', { type: 'truncate', afterTokens: 3 });
    const answer = await send({}, quick);
    await expect(answer.body.text()).rejects.toThrow();
  });

  it('may hang: nothing comes until the client goes', async () => {
    stub = await testStub({});
    await stub.post('/admin/fault', { type: 'hang' });
    await expect(send({}, quick, AbortSignal.timeout(100))).rejects.toThrow();
    expect(await running()).toBe(0);
  });

  it('may keep the headers back', async () => {
    stub = await testStub({});
    await stub.post('/admin/fault', { type: 'slow-headers', delayS: 0.15 });
    const from = performance.now();
    const answer = await send({ stream: true }, quick);
    expect(performance.now() - from).toBeGreaterThanOrEqual(149);
    await answer.body.text();
  });

  it('that is none is refused with what was expected', async () => {
    stub = await testStub({});
    const answer = await stub.post('/admin/fault', { type: 'status', status: 42 });
    expect(answer.status).toBe(400);
    expect((await bodyOf(answer)).error.message).toContain('status');
  });
});

describe('a caller that does not read', () => {
  it('gets a large answer whole, piece by piece', async () => {
    stub = await testStub({});
    const answer = await send({ stream: true }, { 'x-loadline-demand': demand(1000, 60_000) });
    await until(async () => (await running()) === 0);
    const text = await answer.body.text();
    expect(text.match(/"content":"[^"]+"/g)).toHaveLength(60_000);
    expect(text.trim().endsWith('data: [DONE]')).toBe(true);
  });
});
