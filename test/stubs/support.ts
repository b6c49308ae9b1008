import { parseScenario } from '../../src/scenario/schema.ts';
import { startStub } from '../../stubs/server.ts';
import type { LogLine } from '../../stubs/site.ts';

export interface TestStub {
  readonly url: string;
  readonly log: LogLine[];
  close(): Promise<void>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The value of a metric without labels, or with exactly these. */
  metric(name: string): Promise<number | undefined>;
}

/** A stub whose model is described by `model`, on a free port. */
export async function testStub(
  model: object,
  { classes = { task: {} }, timeScale = 1, keepAliveMs = 5000 } = {},
): Promise<TestStub> {
  const log: LogLine[] = [];
  const scenario = parseScenario({ seed: 7, arrivals: { ratePerS: 1 }, classes, model });
  const stub = await startStub({
    scenario,
    port: 0,
    timeScale,
    keepAliveMs,
    log: (line) => log.push(line),
  });
  const url = `http://127.0.0.1:${stub.port}`;
  return {
    url,
    log,
    close: () => stub.close(),
    post: (path, body, headers = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async metric(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      const line = text.split('\n').find((each) => each.startsWith(`${name} `));
      return line === undefined ? undefined : Number(line.slice(name.length + 1));
    },
  };
}

/** Waits until a condition holds; fails the test where it never does. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 5000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('the condition never held');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export const CHAT = { model: 'any', messages: [{ role: 'user', content: 'hello there' }] };

/** What our generator would send in `x-loadline-demand`. */
export function demand(serviceUs: number, outTokens: number, keySeq = 0, holdUs = 0): string {
  return `service=${serviceUs};in=10;out=${outTokens};hold=${holdUs};key=${keySeq};attempt=0`;
}

/** What an answer of the stub may hold. */
export interface StubBody {
  readonly error: { readonly code: string; readonly message: string };
  readonly usage: Readonly<Record<string, number>>;
  readonly model: { readonly slots: number };
}

export async function bodyOf(answer: Promise<Response> | Response): Promise<StubBody> {
  return (await (await answer).json()) as StubBody;
}
