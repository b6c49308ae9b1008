/** What an operator, or a fault, does at the gate of a drill: by hand, over loopback. */
import { request } from 'undici';
import { HAND_SEQ } from './watch.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

const TIMEOUT_MS = 10_000;

/** A gate as its operator sees it. */
export class Operator {
  private asked = 0;

  constructor(readonly url: string) {}

  get(path: string): Promise<Reply> {
    return this.call('GET', path);
  }

  put(path: string, body: unknown): Promise<Reply> {
    return this.call('PUT', path, JSON.stringify(body));
  }

  post(path: string): Promise<Reply> {
    return this.call('POST', path);
  }

  delete(path: string): Promise<Reply> {
    return this.call('DELETE', path);
  }

  /** The value of a metric without labels; undefined where it has none now. */
  async metric(name: string): Promise<number | undefined> {
    const { body } = await this.get('/metrics');
    const line = new RegExp(`^${name} (\\S+)$`, 'm').exec(String(body))?.[1];
    return line === undefined ? undefined : Number(line);
  }

  /** Asks for a session of a class; undefined where nothing came before `timeoutMs`, as when it queues. */
  async session(
    className: string,
    client: string,
    { attempt = 0, timeoutMs = TIMEOUT_MS }: { attempt?: number; timeoutMs?: number } = {},
  ): Promise<Session | undefined> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      const { statusCode, headers, body } = await request(`${this.url}/v1/chat/completions`, {
        method: 'POST',
        signal: controller.signal,
        headers: {
          'content-type': 'application/json',
          'x-loadline-class': className,
          'x-loadline-client': client,
          'x-loadline-attempt': String(attempt),
          'x-loadline-seq': String(HAND_SEQ + this.asked++),
        },
        body: JSON.stringify({
          model: 'loadline-stub',
          stream: true,
          messages: [{ role: 'user', content: 'Are you there?' }],
        }),
      });
      const refused = statusCode >= 400;
      const said = refused ? parsed(await body.text()) : undefined;
      body.on('error', () => {});
      return { status: statusCode, headers, body: said, hangUp: () => controller.abort() };
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  private async call(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    body?: string,
  ): Promise<Reply> {
    const answer = await request(`${this.url}${path}`, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, body: parsed(text) };
  }
}

/** An answer that has begun, or a refusal. */
export interface Session extends Reply {
  hangUp(): void;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A field of an answer in JSON; undefined where it is not there. */
export function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}
