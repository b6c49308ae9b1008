/** The bodies of an OpenAI-compatible answer, as text. */

/** What all parts of one answer share. */
export interface AnswerHead {
  readonly id: string;
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
}

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export type FinishReason = 'stop' | 'length';

const WORDS = ['tide', 'hull', 'rope', 'bell', 'keel', 'sail', 'deck', 'port', 'mast', 'wave'];

/** The text of output token `n`, from 1: one word each. */
export function tokenText(n: number): string {
  return `${n === 1 ? '' : ' '}${WORDS[(n - 1) % WORDS.length] as string}`;
}

function usageJson({ promptTokens, completionTokens }: Usage): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** The events of one streamed answer. The head of a chunk is rendered once: it is the same in all. */
export class ChunkWriter {
  private readonly open: string;

  constructor(
    head: AnswerHead,
    private readonly includeUsage: boolean,
  ) {
    const { id, model, created } = head;
    const json = JSON.stringify({ id, object: 'chat.completion.chunk', created, model });
    this.open = `data: ${json.slice(0, -1)},"choices":[`;
  }

  role(): string {
    return this.event('{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}');
  }

  /** One event for each of the tokens `from` + 1 to `to`. */
  tokens(from: number, to: number): string {
    let text = '';
    for (let n = from + 1; n <= to; n++) {
      const delta = `{"content":"${tokenText(n)}"}`;
      text += this.event(`{"index":0,"delta":${delta},"finish_reason":null}`);
    }
    return text;
  }

  end(reason: FinishReason, usage: Usage): string {
    const last = this.event(`{"index":0,"delta":{},"finish_reason":"${reason}"}`);
    const counts = this.includeUsage
      ? `${this.open}],"usage":${JSON.stringify(usageJson(usage))}}\n\n`
      : '';
    return `${last}${counts}data: [DONE]\n\n`;
  }

  private event(choice: string): string {
    return `${this.open}${choice}]${this.includeUsage ? ',"usage":null' : ''}}\n\n`;
  }
}

/** A whole answer. */
export function completionJson(head: AnswerHead, reason: FinishReason, usage: Usage): string {
  const { id, model, created } = head;
  const words: string[] = [];
  for (let n = 1; n <= usage.completionTokens; n++) words.push(tokenText(n));
  const message = { role: 'assistant', content: words.join('') };
  const choices = [{ index: 0, message, finish_reason: reason }];
  return JSON.stringify({
    id,
    object: 'chat.completion',
    created,
    model,
    choices,
    usage: usageJson(usage),
  });
}

/** An error in the shape of OpenAI's. */
export function errorJson(
  code: string,
  message: string,
  more: Readonly<Record<string, number>> = {},
): string {
  const type = code === 'preempted' ? 'server_error' : 'invalid_request_error';
  return JSON.stringify({ error: { message, type, param: null, code, ...more } });
}
