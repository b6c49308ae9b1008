/** One VU of the stand-in: its own module, its own clock, and the modules `k6/*` in its context. */
import type { K6Metrics } from './metrics.ts';
import type { K6RunOptions } from './stand-in.ts';

export class TestAborted extends Error {}
export class Interrupted extends Error {}

export interface VuClock {
  /** Since the Unix epoch, with fractions. */
  nowMs: number;
  readonly testStartMs: number;
  readonly executorStartMs: number;
  hardEndMs: number;
}

type Exports = Record<string, unknown>;

interface PostParams {
  readonly headers: Record<string, string>;
  readonly timeout: number;
  readonly tags: Record<string, string>;
}

/** What is global in Node and not in k6: a script that touches one fails here as it would there. */
const ABSENT = [
  'process',
  'Buffer',
  'fetch',
  'performance',
  'globalThis',
  'global',
  'setImmediate',
  'structuredClone',
  'queueMicrotask',
  'Intl',
  'URL',
  'TextEncoder',
  'TextDecoder',
  'crypto',
];

/** Reading `Date` takes a little time, or a script that waits for it to turn would wait for ever. */
const DATE_READ_MS = 0.001;

export class K6Vu {
  private context: 'init' | 'vu' | 'summary' = 'init';
  private exports: Exports = {};
  private iteration = 0;
  private readonly metadata: Record<string, string> = {};

  constructor(
    readonly id: number,
    readonly clock: VuClock,
    private readonly metrics: K6Metrics,
    private readonly shared: Map<string, readonly unknown[]>,
    private readonly options: K6RunOptions,
  ) {}

  init(code: string): Exports {
    const module = { exports: {} as Exports };
    const names = ['module', 'exports', 'require', '__ENV', 'open', 'Date', 'console'];
    const run = new Function(...names, ...ABSENT, code) as (...values: unknown[]) => void;
    const require = (name: string) => this.module(name);
    const open = (name: string) => this.open(name);
    run(module, module.exports, require, { ...this.options.env }, open, this.date(), {});
    this.exports = module.exports;
    return this.exports;
  }

  iterate(name: string, iteration: number): void {
    this.context = 'vu';
    this.iteration = iteration;
    (this.exports[name] as () => void)();
    this.context = 'init';
  }

  summarise(data: unknown): unknown {
    this.context = 'summary';
    const summarise = this.exports['handleSummary'] as ((data: unknown) => unknown) | undefined;
    return summarise?.(data) ?? {};
  }

  private module(name: string): unknown {
    const modules: Record<string, () => unknown> = {
      k6: () => ({ sleep: (s: number) => this.sleep(s) }),
      'k6/data': () => ({ SharedArray: this.sharedArray() }),
      'k6/execution': () => ({ __esModule: true, default: this.execution() }),
      'k6/http': () => ({ __esModule: true, default: { post: this.post } }),
      'k6/metrics': () => this.metricClasses(),
    };
    const make = modules[name];
    if (make === undefined) throw new Error(`k6: no module ${name}`);
    return make();
  }

  private only(context: 'init' | 'vu', what: string): void {
    if (this.context !== context) {
      const where = context === 'init' ? 'the init context' : 'VU code';
      throw new Error(`k6: ${what} is available in ${where} only`);
    }
  }

  private advance(ms: number): void {
    this.clock.nowMs += ms;
    if (this.clock.nowMs > this.clock.hardEndMs) {
      this.clock.nowMs = this.clock.hardEndMs;
      throw new Interrupted();
    }
  }

  private sleep(s: number): void {
    this.only('vu', 'sleep()');
    if (!(s >= 0)) throw new Error(`k6: sleep(${s})`);
    this.advance(s * 1000);
  }

  private date(): unknown {
    return {
      now: () => {
        this.clock.nowMs += DATE_READ_MS;
        return Math.floor(this.clock.nowMs);
      },
    };
  }

  private open(name: string): string {
    this.only('init', 'open()');
    const text = this.options.files?.[name.replace(/^\.\//, '')];
    if (text === undefined) throw new Error(`k6: open ${name}: no such file`);
    return text;
  }

  /** Filled once for all VUs; each read is a copy that cannot be written to. */
  private sharedArray(): unknown {
    const construct = (_target: object, [name, make]: [string, () => unknown[]]): object => {
      this.only('init', 'new SharedArray()');
      const rows = this.shared.get(name) ?? make();
      if (!Array.isArray(rows)) throw new Error('k6: a SharedArray is made from an array');
      this.shared.set(name, rows);
      return readOnly(rows);
    };
    return new Proxy(class {}, { construct });
  }

  private execution(): unknown {
    const vu = this;
    return {
      scenario: {
        get iterationInTest() {
          vu.only('vu', 'exec.scenario');
          return vu.iteration;
        },
        get startTime() {
          vu.only('vu', 'exec.scenario');
          return vu.clock.executorStartMs;
        },
      },
      instance: {
        get currentTestRunDuration() {
          vu.only('vu', 'exec.instance');
          return vu.clock.nowMs - vu.clock.testStartMs;
        },
      },
      test: {
        abort: (why: string) => {
          throw new TestAborted(why);
        },
      },
      vu: { metrics: { metadata: this.metadataProxy() } },
    };
  }

  private metadataProxy(): unknown {
    return new Proxy(this.metadata, {
      set: (target, key, value) => {
        this.only('vu', 'exec.vu.metrics.metadata');
        if (!['string', 'number', 'boolean'].includes(typeof value)) {
          throw new TypeError('k6: metadata are strings, numbers or booleans');
        }
        return Reflect.set(target, key, String(value));
      },
    });
  }

  private readonly post = (url: string, body: string, params: PostParams): unknown => {
    this.only('vu', 'http');
    const { clock } = this;
    const { headers, timeout: timeoutMs } = params;
    const atMs = clock.nowMs;
    const answer = this.options.server({ url, body, headers, timeoutMs, atMs });
    const durationMs = answer.waitingMs + (answer.receivingMs ?? 0);
    const timedOut = durationMs > timeoutMs;
    this.advance(Math.min(durationMs, timeoutMs));
    const status = timedOut ? 0 : answer.status;
    const tags = { ...params.tags, method: 'POST', url, status: String(status) };
    const timings = {
      ...{ blocked: 0, connecting: 0, tls_handshaking: 0, sending: 0 },
      waiting: timedOut ? 0 : answer.waitingMs,
      receiving: timedOut ? 0 : (answer.receivingMs ?? 0),
      duration: Math.min(durationMs, timeoutMs),
    };
    for (const name of ['blocked', 'connecting', 'sending', 'waiting', 'receiving', 'duration']) {
      this.add(`http_req_${name}`, 'trend', timings[name as keyof typeof timings], tags);
    }
    this.add('http_reqs', 'counter', 1, tags);
    return {
      status,
      headers: timedOut ? {} : canonical(answer.headers ?? {}),
      body: timedOut ? null : (answer.body ?? ''),
      error_code: timedOut ? 1050 : (answer.errorCode ?? 0),
      timings,
    };
  };

  private metricClasses(): unknown {
    const vu = this;
    const make = (type: 'counter' | 'rate' | 'trend') =>
      class {
        constructor(readonly name: string) {
          vu.only('init', 'new Metric()');
          if (!/^[A-Za-z_][A-Za-z0-9_]{1,127}$/.test(name)) throw new Error(`k6: metric ${name}`);
        }
        add(value: number | boolean, tags: Record<string, string> = {}): void {
          vu.only('vu', 'metric.add()');
          vu.add(this.name, type, value, tags);
        }
      };
    return { Counter: make('counter'), Rate: make('rate'), Trend: make('trend') };
  }

  private add(
    metric: string,
    type: 'counter' | 'rate' | 'trend',
    value: number | boolean,
    tags: object,
  ): void {
    const number = Number(value);
    if (!Number.isFinite(number)) throw new Error(`k6: ${metric}: ${value} is no number`);
    this.metrics.add({
      ...{ metric, type, value: number, atMs: this.clock.nowMs },
      tags: tags as Record<string, string>,
      metadata: { ...this.metadata },
    });
  }
}

function readOnly(rows: readonly unknown[]): object {
  return new Proxy(rows, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'object' ? deepFrozen(structuredClone(value)) : value;
    },
    set: () => {
      throw new TypeError('k6: a SharedArray cannot be changed');
    },
  });
}

/** As Go writes them. */
function canonical(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => {
    const written = name.toLowerCase().replace(/(^|-)([a-z])/g, (found) => found.toUpperCase());
    return [written, value];
  });
  return Object.fromEntries(entries);
}

function deepFrozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFrozen);
  return Object.freeze(value);
}
