import type { ChatRequest } from './work.ts';

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter(isObject)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

/** Reads the body of `POST /v1/chat/completions`; a text where it is not one, saying what was expected. */
export function readChatRequest(body: unknown): ChatRequest | string {
  if (!isObject(body)) return 'body: expected a JSON object';
  const { messages, model, stream_options: options } = body;
  if (!Array.isArray(messages)) return 'messages: expected a list of messages';
  const limit = body['max_completion_tokens'] ?? body['max_tokens'] ?? null;
  if (limit !== null && !(Number.isInteger(limit) && (limit as number) >= 1)) {
    return 'max_tokens: expected a whole number from 1';
  }
  const texts = messages.filter(isObject).map((message) => textOf(message['content']));
  return {
    model: typeof model === 'string' ? model : '',
    prompt: texts.join('\n'),
    limit: limit as number | null,
    stream: body['stream'] === true,
    includeUsage: isObject(options) && options['include_usage'] === true,
  };
}
