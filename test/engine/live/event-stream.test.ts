import { describe, expect, it } from 'vitest';
import { readEventStream, type StreamFacts } from '../../../src/engine/live/event-stream.ts';

const content = (text: string) =>
  `data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":${JSON.stringify(text)}},"finish_reason":null}]}\n\n`;
const FINISH = 'data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const USAGE =
  'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8}}\n\n';
const DONE = 'data: [DONE]\n\n';

function factsOf(...chunks: (string | Uint8Array)[]): StreamFacts {
  const stream = readEventStream();
  for (const chunk of chunks) stream.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  stream.end();
  return stream.facts;
}

/** The field cases by name: bytes, and what they must come to. */
const CASES: readonly [string, string, Partial<StreamFacts>][] = [
  [
    'no space after the colon (C1)',
    'data:{"choices":[{"delta":{"content":"a"}}]}\n\ndata:[DONE]\n\n',
    { tokens: 1, finished: true },
  ],
  [
    'a finish reason and usage, then the end, without [DONE] (C2)',
    content('a') + FINISH + USAGE,
    { tokens: 1, finished: true, finishReason: 'stop', inTokens: 5, outTokens: 3 },
  ],
  [
    'empty, null and missing choices (C3)',
    `data: {"choices":[],"prompt_filter_results":[]}\n\ndata: {"choices":null}\n\ndata: {}\n\n${content('a')}${USAGE}${DONE}`,
    { tokens: 1, finished: true, inTokens: 5 },
  ],
  [
    'reasoning alone (C4)',
    `data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}\n\n${USAGE}${DONE}`,
    { tokens: 1, content: false, finished: true, outTokens: 3 },
  ],
  [
    'an error event inside a 200 (C5)',
    `${content('a')}event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n`,
    { tokens: 1, finished: false, error: { code: 'overloaded_error', message: 'Overloaded' } },
  ],
  [
    'an error frame with a number for a code (C5)',
    'data: {"error":{"message":"x","code":429}}\n\n',
    { tokens: 0, error: { code: '429', message: 'x' } },
  ],
  [
    'comments (C7)',
    `: OPENROUTER PROCESSING\n\n:\n${content('a')}: omniroute-latency-ms=337\n${DONE}`,
    { tokens: 1, finished: true, error: undefined },
  ],
  [
    'empty heartbeats (C8)',
    `data:\n\n${content('a')}data: \n\n${content('b')}${DONE}`,
    { tokens: 2, finished: true, error: undefined },
  ],
  [
    'characters of several bytes (C10)',
    content('🌍') + content('北') + DONE,
    { tokens: 2, finished: true },
  ],
  [
    'a role alone (D9)',
    'data: {"choices":[{"delta":{"role":"assistant","content":""}}]}\n\n',
    { tokens: 0, content: false, finished: false },
  ],
  [
    'zeros that mean nothing was counted (C14)',
    `${content('a')}data: {"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}\n\n${DONE}`,
    { tokens: 1, inTokens: undefined, outTokens: undefined },
  ],
  [
    'lines that end with a carriage return',
    content('a').replaceAll('\n', '\r\n') + DONE,
    { tokens: 1, finished: true },
  ],
];

describe('an event stream', () => {
  it.each(CASES)('reads %s', (_, text, expected) => {
    expect(factsOf(text)).toMatchObject(expected);
  });

  it.each(CASES)('reads the same wherever it is cut: %s', (_, text) => {
    const bytes = Buffer.from(text);
    const whole = factsOf(bytes);
    for (let at = 1; at < bytes.length; at++) {
      expect(factsOf(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole);
    }
    expect(factsOf(...[...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it('counts a first token when it comes, not when the stream is over', () => {
    const stream = readEventStream();
    stream.push(Buffer.from(content('')));
    expect(stream.facts.tokens).toBe(0);
    stream.push(Buffer.from(content('a')));
    expect(stream.facts.tokens).toBe(1);
  });
});
