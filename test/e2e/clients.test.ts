import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { portOf, type Running, run, scratch, start } from './program.ts';

// Alone on two idle cores all of it takes seconds; beside other tests it may take a while.
vi.setConfig({ testTimeout: 90_000 });

const place = scratch();
const parts: Running[] = [];
let base = '';

beforeAll(async () => {
  const scenario = ['smoke', '--slots', '1', '--queue-capacity', '0', '--max-wait', 'off'];
  const stub = start(['stub', ...scenario, '--port', '0']);
  parts.push(stub);
  const upstream = `http://127.0.0.1:${await portOf(stub)}`;
  const gateway = start(['gateway', ...scenario, '--port', '0', '--upstream', upstream, '--stub']);
  parts.push(gateway);
  base = `http://127.0.0.1:${await portOf(gateway)}`;
}, 90_000);
afterAll(async () => {
  for (const { child } of parts.reverse()) child.kill('SIGTERM');
  const ends = await Promise.all(parts.map(({ ended }) => ended));
  place.remove();
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
}, 90_000);

const messages = [{ role: 'user' as const, content: 'Say yes.' }];

describe('the gate in front of the stub', () => {
  it('serves the openai client, in one piece', async () => {
    const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: 'none', maxRetries: 0 });
    const answer = await client.chat.completions.create({ model: 'm', messages, max_tokens: 5 });
    expect(answer.choices[0]?.message.content).not.toBe('');
    expect(answer.usage?.completion_tokens).toBe(5);
  });

  it('serves the openai client, streaming', async () => {
    const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: 'none', maxRetries: 0 });
    const stream = await client.chat.completions.create({
      ...{ model: 'm', messages, max_tokens: 5, stream: true },
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage: number | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage?.completion_tokens ?? usage;
    }
    expect(text).not.toBe('');
    expect(usage).toBe(5);
  });

  it('serves curl, and refuses in words that curl shows', async () => {
    const body = JSON.stringify({ model: 'm', messages, max_tokens: 8 });
    const argv = [
      '-s',
      '-m',
      '10',
      '-w',
      '\n%{http_code}',
      `${base}/v1/chat/completions`,
      '-d',
      body,
    ];
    const curl = async () => (await promisify(execFile)('curl', argv)).stdout;
    const answers = await Promise.all([curl(), curl()]);
    const refused = answers.find((text) => text.endsWith('429'));
    expect(answers.some((text) => text.endsWith('200'))).toBe(true);
    expect(JSON.parse(refused?.split('\n')[0] ?? '')).toMatchObject({ error: 'queue_capacity' });
  });

  it('is an endpoint like any other, known for a stub', async () => {
    const folder = place.path('through');
    const argv = ['bench', 'smoke', '--endpoint', `${base}/v1/`, '--slots', '1'];
    const ended = await run([...argv, '--max-requests', '5', '--out', folder, '--json']);
    expect(ended.stderr).toContain(`endpoint: POST ${base}/v1/chat/completions`);
    expect(ended.stderr).toMatch(/cut short: --max-requests 5 reached/);
    const result = JSON.parse(ended.stdout);
    expect(result.environment).toMatchObject({ target: 'stub', endpoint: base });
    expect(result.attempts.total).toBe(5);
  }, 90_000);
});
