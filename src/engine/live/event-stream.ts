/**
 * The answer inside an event stream, from whoever speaks it: chat completions with or without
 * `[DONE]`, reasoning channels, usage in the last chunk, comments and empty heartbeats, and errors
 * inside a 200.
 */
import { createParser } from 'eventsource-parser';

/** What a stream has said so far. */
export interface StreamFacts {
  /** Events with generated text on any channel: one token each at most servers. */
  tokens: number;
  /** One with text on the answer's own channel has come. */
  content: boolean;
  /** `[DONE]`, or a finish reason: the answer is whole. */
  finished: boolean;
  finishReason: string | null;
  /** As the server counted; undefined where it did not say. */
  inTokens: number | undefined;
  outTokens: number | undefined;
  error: StreamError | undefined;
}

export interface StreamError {
  readonly code: string;
  readonly message: string;
}

export interface EventStream {
  readonly facts: StreamFacts;
  push(chunk: Uint8Array): void;
  /** The bytes are over: an event without its blank line still counts. */
  end(): void;
}

/** Channels of a delta on which generated text comes. */
const CHANNELS = ['content', 'reasoning_content', 'reasoning', 'refusal', 'text'] as const;

type Fields = Readonly<Record<string, unknown>>;

/** Reads an event stream; chunks may be cut anywhere, also inside a character. */
export function readEventStream(): EventStream {
  const facts = newFacts();
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: ({ event, data }) => takeEvent(facts, event, data),
    onError: () => {},
  });
  return {
    facts,
    push: (chunk) => parser.feed(decoder.decode(chunk, { stream: true })),
    end() {
      parser.feed(`${decoder.decode()}\n\n`);
    },
  };
}

export function newFacts(): StreamFacts {
  return {
    tokens: 0,
    content: false,
    finished: false,
    finishReason: null,
    inTokens: undefined,
    outTokens: undefined,
    error: undefined,
  };
}

function takeEvent(facts: StreamFacts, event: string | undefined, data: string): void {
  const text = data.trim();
  if (text === '') return;
  if (text === '[DONE]') {
    facts.finished = true;
    return;
  }
  const value = parsed(text);
  if (event === 'error') facts.error ??= errorOf(value) ?? { code: 'error', message: text };
  if (value !== undefined) takeObject(facts, value);
}

function parsed(text: string): Fields | undefined {
  try {
    return asFields(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
}

/** Takes a chunk of a stream, or a whole completion. */
export function takeObject(facts: StreamFacts, value: Fields): void {
  facts.error ??= errorOf(value);
  takeUsage(facts, asFields(value['usage']));
  const choices = value['choices'];
  if (!Array.isArray(choices)) return;
  for (const each of choices) takeChoice(facts, asFields(each) ?? {});
}

function takeChoice(facts: StreamFacts, choice: Fields): void {
  const reason = choice['finish_reason'];
  if (typeof reason === 'string' && reason !== '') {
    facts.finished = true;
    facts.finishReason = reason;
  }
  const said = asFields(choice['delta']) ?? asFields(choice['message']) ?? choice;
  if (CHANNELS.some((channel) => hasText(said[channel])) || hasCalls(said)) facts.tokens++;
  if (hasText(said['content']) || hasText(said['text'])) facts.content = true;
}

function hasText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function hasCalls(said: Fields): boolean {
  return Array.isArray(said['tool_calls']) && said['tool_calls'].length > 0;
}

/** A count of 0 prompt tokens is a server that does not count: absent, not zero. */
function takeUsage(facts: StreamFacts, usage: Fields | undefined): void {
  const inTokens = count(usage?.['prompt_tokens']);
  const outTokens = count(usage?.['completion_tokens']);
  if (inTokens !== undefined && inTokens > 0) facts.inTokens = inTokens;
  if (outTokens !== undefined && (outTokens > 0 || facts.tokens === 0)) facts.outTokens = outTokens;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** `{"error": …}` as text or as an object, or an event of type error; undefined for anything else. */
export function errorOf(value: Fields | undefined): StreamError | undefined {
  const error = value?.['error'];
  if (typeof error === 'string' && error !== '') {
    const message = value?.['message'] ?? value?.['reason'];
    return { code: error, message: typeof message === 'string' ? message : error };
  }
  const fields = asFields(error);
  if (fields === undefined) return undefined;
  const code = fields['code'] ?? fields['type'] ?? 'error';
  return { code: String(code), message: String(fields['message'] ?? fields['type'] ?? code) };
}
