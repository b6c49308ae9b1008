/** The closed loop: so many connections, each asking again as soon as it has been answered, by autocannon. */
import autocannon from 'autocannon';
import { UserError } from '../errors.ts';
import type { Level } from './calibration.ts';
import type { Sample } from './sample.ts';

/** One of the requests that every connection makes in turn. */
export interface Shape {
  readonly body: string;
}

export interface ClosedLoopOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly shapes: readonly Shape[];
  readonly connections: number;
  readonly requestsPerConnection: number;
  /** For one answer, in seconds. */
  readonly timeoutS: number;
  /** For the whole level, in seconds; what is answered by then counts. */
  readonly longestS: number;
  readonly signal?: AbortSignal;
}

/** What the last response said; autocannon tells body and time one right after the other. */
interface Told {
  inTokens: number;
  outTokens: number;
}

/**
 * Runs one level. No rate is set: autocannon's would send in bunches, one a second.
 * @throws UserError where nothing answers at all, although it was not interrupted
 */
export async function closedLoop(options: ClosedLoopOptions): Promise<Level> {
  const { connections, requestsPerConnection } = options;
  const samples: Sample[] = [];
  const told: Told = { inTokens: 0, outTokens: 0 };
  const seen = { errors: 0, retryAfterS: null as number | null };
  const expected = connections * requestsPerConnection;
  const requests = options.shapes.map(({ body }) => ({
    body,
    onResponse: (_status: number, text: string, _context: object, headers?: object) => {
      Object.assign(told, usageIn(text));
      seen.retryAfterS ??= retryAfterIn(headers ?? {});
    },
  }));
  const settings = {
    url: options.url,
    method: 'POST' as const,
    headers: { ...options.headers },
    connections,
    maxConnectionRequests: requestsPerConnection,
    duration: Math.ceil(options.longestS),
    timeout: Math.ceil(options.timeoutS),
    bailout: 2 * connections + 5,
    sampleInt: 50,
    requests,
  };
  await new Promise<void>((resolve, reject) => {
    const instance = autocannon(settings, (error: unknown) => {
      options.signal?.removeEventListener('abort', stop);
      if (error instanceof Error) reject(error);
      else resolve();
    });
    const stop = () => instance.stop();
    options.signal?.addEventListener('abort', stop);
    const count = () => {
      if (samples.length + seen.errors >= expected) stop();
    };
    instance.on('response', (_client, status, _bytes, ms) => {
      const endS = performance.now() / 1000;
      samples.push({ connections, startS: endS - ms / 1000, endS, status, ...told });
      count();
    });
    instance.on('reqError', () => {
      seen.errors++;
      count();
    });
  });
  if (samples.length === 0 && options.signal?.aborted !== true) {
    throw new UserError(
      `${options.url}: expected an answer, got none on ${connections} connections`,
      1,
    );
  }
  return { connections, samples, ...seen };
}

function usageIn(text: string): Told {
  try {
    const { usage } = JSON.parse(text) as { usage?: Record<string, number> };
    return {
      inTokens: usage?.['prompt_tokens'] ?? 0,
      outTokens: usage?.['completion_tokens'] ?? 0,
    };
  } catch {
    return { inTokens: 0, outTokens: 0 };
  }
}

function retryAfterIn(headers: object): number | null {
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after');
  const seconds = Number(found?.[1] ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : null;
}
