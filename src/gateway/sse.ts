/**
 * What the gate needs to know of an event stream that it passes on: how many tokens, and whether
 * an error frame stood in it. It looks at line starts only and parses JSON of error frames alone.
 */

/** An error that the upstream sent inside a committed answer. */
export interface StreamError {
  readonly code: string;
  readonly message: string;
  /** Numbers of a preempt, where the upstream gives them. */
  readonly promptTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly checkpointTokens: number | undefined;
}

const NEWLINE = 10;
const LINE_LIMIT = 64 * 1024;

export class StreamScan {
  /** Data lines so far, `[DONE]` and error frames aside: one token each at most servers. */
  tokens = 0;
  error: StreamError | undefined;
  done = false;
  /** The line that says what the answer cost; servers send it last. */
  usageLine = '';
  private tail = '';

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.line(this.tail + chunk.toString('latin1', from, end));
      this.tail = '';
      from = end + 1;
    }
    if (from < chunk.length && this.tail.length < LINE_LIMIT) {
      this.tail += chunk.toString('latin1', from);
    }
  }

  private line(line: string): void {
    if (!line.startsWith('data:')) return;
    const data = line.slice(5).trim();
    if (data === '[DONE]') this.done = true;
    else if (isErrorFrame(data)) this.error = readStreamError(data) ?? this.error;
    else if (isToken(data)) this.tokens++;
    if (data.includes('"usage":{')) this.usageLine = data;
  }
}

/** OpenAI's frame, and Anthropic's, whose event is named before. */
function isErrorFrame(data: string): boolean {
  return /^\{\s*"(?:error"|type"\s*:\s*"error")/.test(data);
}

/** Whether a data line carries generated tokens: not a role, a usage, an error, the end or a heartbeat. */
export function isToken(data: string): boolean {
  if (!data.startsWith('{') || data.includes('"choices":[]') || isErrorFrame(data)) return false;
  return (
    !data.includes('"delta":{}') && !data.includes('"delta":{"role":"assistant","content":""}')
  );
}

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Reads `{"error": …}`, as a string or as an object; undefined where it is no such thing. */
export function readStreamError(json: string): StreamError | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(json, 'latin1').toString('utf8'));
  } catch {
    return undefined;
  }
  const { error } = (parsed ?? {}) as { error?: unknown };
  if (typeof error === 'string') return streamError({ code: error, message: error });
  return typeof error === 'object' && error !== null
    ? streamError(error as Record<string, unknown>)
    : undefined;
}

function streamError(fields: Readonly<Record<string, unknown>>): StreamError {
  return {
    code: String(fields['code'] ?? fields['type'] ?? 'error'),
    message: String(fields['message'] ?? ''),
    promptTokens: whole(fields['prompt_tokens']),
    outputTokens: whole(fields['output_tokens']),
    checkpointTokens: whole(fields['checkpoint_tokens']),
  };
}

/** An error in the stream of a committed answer. No `[DONE]` follows it. */
export function errorFrame(code: string, message: string): string {
  return `data: ${JSON.stringify({ error: { message, type: 'loadline', code } })}\n\n`;
}
