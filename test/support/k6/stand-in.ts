/**
 * A small stand-in for k6, in virtual time: it runs a bundle as k6's documentation says that k6
 * would, and refuses what k6 refuses. It is no load generator: the server is a function.
 *
 * Iterations are played whole, in the order in which VUs take them, each on its VU's own clock.
 * That is exact for a server that knows an answer when the request comes: an executor hands out
 * iterations in order of time, and a script that sleeps until its arrival is due sends in order too.
 */
import { transformSync } from 'esbuild';
import { K6Metrics, type Point } from './metrics.ts';
import { Interrupted, K6Vu, TestAborted, type VuClock } from './vu.ts';

export interface K6Request {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Since the Unix epoch. */
  readonly atMs: number;
}

export interface K6Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** To the response's head, and from there to its end. */
  readonly waitingMs: number;
  readonly receivingMs?: number;
  readonly errorCode?: number;
}

export interface K6RunOptions {
  readonly server: (request: K6Request) => K6Answer;
  readonly env?: Readonly<Record<string, string>>;
  /** What `open` finds, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** `--execution-segment index/of:(index+1)/of` with the sequence of equal parts. */
  readonly segment?: { readonly index: number; readonly of: number };
  /** When this instance starts, since the Unix epoch: pods start staggered. */
  readonly startMs?: number;
}

export interface K6Run {
  readonly exitCode: number;
  readonly points: readonly Point[];
  /** As `--out json` writes it. */
  readonly ndjson: string;
  /** What `handleSummary` gave, by file. */
  readonly files: Readonly<Record<string, string>>;
  readonly iterations: readonly number[];
}

interface Executor {
  readonly exec: string;
  readonly vus: number;
  readonly iterations: number;
  readonly maxDurationMs: number;
  readonly gracefulStopMs: number;
}

const START_MS = Date.UTC(2026, 0, 1);
/** The run has a clock that starts before its first executor does. */
const INIT_MS = 812.345678;

export function runK6(bundle: string, options: K6RunOptions): K6Run {
  return new Run(bundle, options).play();
}

class Run {
  private readonly code: string;
  private readonly metrics = new K6Metrics();
  private readonly shared = new Map<string, readonly unknown[]>();
  private readonly iterations: number[] = [];
  private readonly testStartMs: number;

  constructor(
    bundle: string,
    private readonly options: K6RunOptions,
  ) {
    this.code = transformSync(bundle, { format: 'cjs', target: 'es2020' }).code;
    this.testStartMs = (options.startMs ?? START_MS) + 0.25;
  }

  play(): K6Run {
    const first = this.vu(0);
    const script = first.init(this.code);
    const configured = readOptions(script['options'], script);
    this.metrics.configure(configured);
    const executor = configured.executor;
    const exitCode = this.execute(executor);
    const summary = this.metrics.summary(exitCode === 0 ? 0 : exitCode);
    const files = first.summarise(summary.data) as Record<string, string>;
    return {
      exitCode: exitCode === 0 && summary.crossed ? 99 : exitCode,
      points: this.metrics.points,
      ndjson: this.metrics.ndjson(),
      files,
      iterations: this.iterations,
    };
  }

  private vu(id: number): K6Vu {
    const clock: VuClock = {
      nowMs: this.testStartMs + INIT_MS,
      testStartMs: this.testStartMs,
      executorStartMs: Math.floor(this.testStartMs + INIT_MS),
      hardEndMs: Number.POSITIVE_INFINITY,
    };
    return new K6Vu(id, clock, this.metrics, this.shared, this.options);
  }

  private execute(executor: Executor): number {
    const { index, of } = this.options.segment ?? { index: 0, of: 1 };
    const count = scaled(executor.vus, index, of);
    if (count === 0) return 0;
    const vus = Array.from({ length: count }, (_, place) => {
      const vu = this.vu(place + 1);
      vu.init(this.code);
      vu.clock.hardEndMs = vu.clock.nowMs + executor.maxDurationMs + executor.gracefulStopMs;
      return vu;
    });
    const softEndMs = this.testStartMs + INIT_MS + executor.maxDurationMs;
    for (let iteration = index; iteration < executor.iterations; iteration += of) {
      const vu = earliest(vus);
      if (vu.clock.nowMs >= softEndMs) break;
      this.iterations.push(iteration);
      const code = iterate(vu, executor.exec, iteration);
      if (code !== 0) return code;
    }
    return 0;
  }
}

function iterate(vu: K6Vu, exec: string, iteration: number): number {
  try {
    vu.iterate(exec, iteration);
    return 0;
  } catch (error) {
    if (error instanceof TestAborted) return 108;
    if (error instanceof Interrupted) return 0;
    throw error;
  }
}

function earliest(vus: readonly K6Vu[]): K6Vu {
  let first = vus[0] as K6Vu;
  for (const vu of vus) if (vu.clock.nowMs < first.clock.nowMs) first = vu;
  return first;
}

/** The share of `total` that falls to one of `of` equal segments. */
function scaled(total: number, index: number, of: number): number {
  return Math.floor(((index + 1) * total) / of) - Math.floor((index * total) / of);
}

export interface Configured {
  readonly executor: Executor;
  readonly thresholds: Readonly<Record<string, readonly string[]>>;
  readonly trendStats: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
}

const OPTIONS = [
  'scenarios',
  'thresholds',
  'summaryTrendStats',
  'tags',
  'noCookiesReset',
  'userAgent',
];
const SCENARIO = ['executor', 'exec', 'vus', 'iterations', 'maxDuration', 'gracefulStop'];

function readOptions(value: unknown, script: Record<string, unknown>): Configured {
  const options = value as Record<string, unknown>;
  refuseUnknown(options, OPTIONS);
  const scenarios = Object.values(options['scenarios'] as object) as Record<string, unknown>[];
  const [scenario] = scenarios;
  if (scenario === undefined || scenarios.length !== 1) throw invalid('one scenario');
  refuseUnknown(scenario, SCENARIO);
  if (scenario['executor'] !== 'shared-iterations') throw invalid('shared-iterations');
  const { vus, iterations, exec } = scenario as { vus: number; iterations: number; exec: string };
  if (!Number.isInteger(vus) || vus < 1) throw invalid(`vus from 1, got ${vus}`);
  if (!(iterations >= vus)) throw invalid(`${vus} iterations for as many vus, got ${iterations}`);
  if (typeof script[exec] !== 'function') throw invalid(`an exported function ${exec}`);
  return {
    executor: {
      ...{ exec, vus, iterations },
      maxDurationMs: durationMs(scenario['maxDuration'] ?? '10m'),
      gracefulStopMs: durationMs(scenario['gracefulStop'] ?? '30s'),
    },
    thresholds: options['thresholds'] as Configured['thresholds'],
    trendStats: options['summaryTrendStats'] as string[],
    tags: options['tags'] as Configured['tags'],
  };
}

function refuseUnknown(value: object, known: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) throw invalid(`a known option, got ${key}`);
  }
}

/** k6 ends with 104. */
function invalid(expected: string): Error {
  return new Error(`k6: invalid configuration: expected ${expected}`);
}

function durationMs(value: unknown): number {
  const [, number = '', unit = ''] = /^(\d+)(s|m|h)$/.exec(String(value)) ?? [];
  const factor = { s: 1e3, m: 6e4, h: 3.6e6 }[unit];
  if (factor === undefined) throw invalid(`a duration, got ${String(value)}`);
  return Number(number) * factor;
}
