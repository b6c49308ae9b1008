import { describe, expect, it } from 'vitest';
import { Answer } from '../../../src/engine/live/answer.ts';

const SSE = { 'content-type': 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };

function ending(status: number, headers: Record<string, string>, body: string, gated = false) {
  const answer = new Answer(gated);
  answer.head(status, headers);
  if (body !== '') answer.chunk(Buffer.from(body));
  return answer.end(Date.UTC(2026, 9, 21));
}

describe('an answer', () => {
  it('is complete as JSON or as a stream', () => {
    expect(ending(200, JSON_TYPE, '{"choices":[{"message":{"content":"yes"}}]}').as).toBe(
      'completed',
    );
    expect(
      ending(200, SSE, 'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n').as,
    ).toBe('completed');
  });

  it('is read as a stream also where the server calls it text', () => {
    const body = 'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n';
    expect(ending(200, { 'content-type': 'text/plain' }, body).as).toBe('completed');
  });

  it.each([
    ['text/plain', 'unsupported model: x'],
    ['application/json', '{"ok":true}'],
    ['application/json', ''],
  ])('of 200 that is no completion is a failure with its first words (C13): %s', (type, body) => {
    expect(ending(200, { 'content-type': type }, body)).toMatchObject({
      as: 'failed',
      code: 'not_a_completion',
      text: expect.stringContaining(body.slice(0, 200)),
    });
  });

  it('keeps 200 characters of a long error (C13)', () => {
    const end = ending(502, { 'content-type': 'text/plain' }, 'x'.repeat(30_000));
    expect(end).toMatchObject({ as: 'failed', code: 'status' });
    expect('text' in end && end.text.length).toBe(200);
  });

  it('that is a web page is called one, with its title or first words alone', () => {
    const html = { 'content-type': 'text/html' };
    const page = '<!doctype html><head><title>502 Bad Gateway</title></head><body>nginx</body>';
    expect(ending(502, html, page)).toMatchObject({ text: 'a web page: 502 Bad Gateway' });
    const login = '<html><style>p { color: red }</style><body><p>please log in</p></body></html>';
    expect(ending(200, JSON_TYPE, login)).toMatchObject({
      ...{ code: 'not_a_completion', text: '200, a web page: please log in' },
    });
    const long = ending(500, html, `<html>${'x '.repeat(30_000)}`);
    expect('text' in long && long.text).toBe(`a web page: ${'x '.repeat(30)}`);
  });

  it.each([
    ['a refusal', 500, JSON_TYPE, '{"error":{"message":"no: Bearer sk-secret-key"}}'],
    ['a rate limit', 429, JSON_TYPE, '{"error":{"message":"Bearer sk-secret-key"}}'],
    ['a page', 500, {}, '<html><title>sk-secret-key</title>'],
    ['what is no completion', 200, { 'content-type': 'text/plain' }, 'who is sk-secret-key?'],
    ['a stream', 200, SSE, 'data: {"error":{"message":"key sk-secret-key","code":"x"}}\n\n'],
    ['an event', 200, SSE, 'event: error\ndata: sk-secret-key\n\n'],
    ['an excerpt that ends in it', 500, {}, `${'x'.repeat(195)} sk-secret-key`],
  ])('repeats no key that %s shows', (_, status, headers, body) => {
    for (const gated of [false, true]) {
      const answer = new Answer(gated, 'sk-secret-key');
      answer.head(status, headers);
      answer.chunk(Buffer.from(body));
      const end = answer.end(0);
      expect('text' in end && end.text).toContain('…');
      expect('text' in end && end.text).not.toContain('sk-s');
    }
  });

  it('is shown with its control characters as escapes', () => {
    const body = '\u001b[2Jgone\u0007 \u009b31m';
    expect(ending(500, { 'content-type': 'text/plain' }, body)).toMatchObject({
      text: '\\u001b[2Jgone\\u0007 \\u009b31m',
    });
  });

  it.each([
    [
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    ],
    ['data: {"error":{"message":"x","code":429}}'],
  ])('of 200 with an error in its stream has failed, and overload is told (C5): %s', (frame) => {
    const body = `data: {"choices":[{"delta":{"content":"a"}}]}\n\n${frame}\n\n`;
    for (const gated of [true, false]) {
      expect(ending(200, SSE, body, gated)).toMatchObject({ as: 'failed', code: 'overload' });
      expect(ending(200, SSE, `${body}data: [DONE]\n\n`, gated).as).toBe('failed');
    }
  });

  it('of 200 with another error in its stream keeps its reason (C5)', () => {
    const frame = 'data: {"error":{"message":"weights were lost","code":"internal"}}\n\n';
    expect(ending(200, SSE, frame)).toMatchObject({
      ...{ as: 'failed', code: 'in_stream', text: 'internal: weights were lost' },
    });
  });

  it('that was aborted under load is no success (A15)', () => {
    const body = '{"choices":[{"finish_reason":"abort","message":{"content":""}}]}';
    expect(ending(200, JSON_TYPE, body)).toMatchObject({ as: 'failed', code: 'aborted' });
  });

  it.each([500, 503])('of %i that says the server is busy is an overload (A6)', (status) => {
    const body = '{"error":"server busy, please try again.  maximum pending requests exceeded"}';
    const end = ending(status, JSON_TYPE, body, true);
    expect(end).toMatchObject({ as: 'failed', code: 'overload' });
    expect('text' in end && end.text).toContain('maximum pending requests exceeded');
  });

  it('of 429 without a gate of ours is a refusal that says how long to wait (B9, B3)', () => {
    const headers = { ...JSON_TYPE, 'retry-after': '7', 'retry-after-ms': '1500' };
    expect(ending(429, headers, '{"error":"slow down"}')).toMatchObject({
      as: 'rejected',
      code: 'overload',
      retryAfterUs: 1_500_000,
    });
  });

  it('tells a spent quota from a limit of concurrency in the same words (B7)', () => {
    const spent = '{"error":{"code":"insufficient_quota","type":"insufficient_quota"}}';
    const limit =
      '{"status":429,"error":"INSUFFICIENT QUOTA","message":"You exceeded your current limit of concurrent requests."}';
    expect(ending(429, JSON_TYPE, spent)).toMatchObject({ as: 'failed', quotaSpent: true });
    expect(ending(429, JSON_TYPE, limit)).toMatchObject({ as: 'rejected', mayRetry: true });
  });

  it('carries the decision of our gate', () => {
    const reject = { 'x-loadline-decision': 'reject', 'x-loadline-reason': 'queue_age' };
    const expire = { 'x-loadline-decision': 'expire', 'x-loadline-reason': 'max_wait' };
    expect(ending(429, reject, '{}', true)).toMatchObject({ as: 'rejected', code: 'queue_age' });
    expect(ending(429, expire, '{}', true)).toMatchObject({ as: 'expired', code: 'max_wait' });
    const asked = { ...reject, 'x-should-retry': 'false' };
    expect(ending(429, asked, '{}', true)).toMatchObject({ mayRetry: false });
  });

  it('does not believe a decision that no gate of ours stands behind', () => {
    const claimed = { 'x-loadline-decision': 'reject', 'x-loadline-reason': 'queue_age' };
    expect(ending(500, claimed, '{}')).toMatchObject({ as: 'failed', code: 'status' });
  });

  it('that our gate ended is a kill, in the stream or before it', () => {
    const frame = 'data: {"error":{"code":"max_hold","message":"held too long"}}\n\n';
    const admitted = { 'x-loadline-decision': 'admit', 'x-loadline-reason': 'max_hold' };
    expect(ending(200, SSE, frame, true)).toMatchObject({ as: 'killed', code: 'max_hold' });
    expect(ending(503, admitted, '{"error":"max_hold","reason":"held"}', true)).toMatchObject({
      as: 'killed',
      code: 'max_hold',
    });
  });

  it('that stops before its end is truncated, and whole where it had ended', () => {
    const half = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n';
    expect(ending(200, SSE, half)).toMatchObject({ as: 'failed', code: 'truncated' });
    const answer = new Answer(false);
    answer.head(200, SSE);
    answer.chunk(Buffer.from(`${half}data: [DONE]\n\n`));
    expect(answer.broken({ kind: 'reset', message: 'reset', untouched: false }).as).toBe(
      'completed',
    );
  });

  it('that never came is undecided behind a gate and a failure without one', () => {
    const failure = { kind: 'reset', message: 'reset', untouched: false } as const;
    expect(new Answer(true).broken(failure)).toMatchObject({ as: 'undecided', code: 'reset' });
    expect(new Answer(false).broken(failure)).toMatchObject({ as: 'failed', code: 'reset' });
  });
});
