import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { sFromUs } from '../src/units.ts';
import type { Driver } from './driver.ts';

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 240, 480];
const TOKEN_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** How a request ended: vLLM's `finished_reason`. */
export type Finished = 'stop' | 'length' | 'abort' | 'error';

/** What a finished request took, in microseconds of scenario time. */
export interface Timing {
  readonly arrivedUs: number;
  readonly startedUs: number;
  readonly firstTokenUs: number;
  readonly endUs: number;
  readonly tokens: number;
}

/**
 * What the stub exports, under vLLM's names and in scenario seconds, every series at 0 from the
 * start. `vllm:inter_token_latency_seconds` has one value for each request, its mean gap.
 * `cpu_busy_seconds_total` is the compute done, in seconds of one slot.
 */
export class StubMetrics {
  readonly registry = new Registry();
  private readonly preemptions: Counter;
  private readonly success: Counter<'finished_reason'>;
  private readonly promptTokens: Counter;
  private readonly generationTokens: Counter;
  private readonly firstToken = this.histogram('time_to_first_token', SECONDS);
  private readonly interToken = this.histogram('inter_token_latency', TOKEN_SECONDS);
  private readonly endToEnd = this.histogram('e2e_request_latency', SECONDS);
  private readonly queueTime = this.histogram('request_queue_time', SECONDS);

  constructor(driver: Driver) {
    this.gauge('vllm:num_requests_running', 'Requests in service', () => driver.inService);
    this.gauge('vllm:num_requests_waiting', 'Requests waiting for a slot', () => driver.waiting);
    // The second is its older name: dashboards ask for either.
    for (const name of ['vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc']) {
      this.gauge(name, 'Memory blocks in use, 0 to 1', () => driver.memoryShare());
    }
    this.preemptions = this.counter('vllm:num_preemptions_total', 'Requests that were preempted');
    this.promptTokens = this.counter('vllm:prompt_tokens_total', 'Prompt tokens taken in');
    this.generationTokens = this.counter('vllm:generation_tokens_total', 'Tokens made');
    this.success = new Counter({
      name: 'vllm:request_success_total',
      help: 'Requests that ended, by how',
      labelNames: ['finished_reason'],
      registers: [this.registry],
    });
    for (const reason of ['stop', 'length', 'abort', 'error'] satisfies Finished[]) {
      this.success.inc({ finished_reason: reason }, 0);
    }
    this.busy(driver);
  }

  private counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }

  private gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  private histogram(name: string, buckets: number[]): Histogram {
    const full = `vllm:${name}_seconds`;
    return new Histogram({ name: full, help: full, buckets, registers: [this.registry] });
  }

  private busy(driver: Driver): void {
    new Counter({
      name: 'cpu_busy_seconds_total',
      help: 'Compute done, in scenario seconds of one slot',
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(sFromUs(driver.computeUs()));
      },
    });
  }

  preempted(): void {
    this.preemptions.inc();
  }

  promptTaken(tokens: number): void {
    this.promptTokens.inc(tokens);
  }

  tokensMade(tokens: number): void {
    this.generationTokens.inc(tokens);
  }

  ended(reason: Finished): void {
    this.success.inc({ finished_reason: reason });
  }

  served(timing: Timing): void {
    const { arrivedUs, startedUs, firstTokenUs, endUs, tokens } = timing;
    this.queueTime.observe(sFromUs(startedUs - arrivedUs));
    this.firstToken.observe(sFromUs(firstTokenUs - arrivedUs));
    this.endToEnd.observe(sFromUs(endUs - arrivedUs));
    if (tokens > 1) this.interToken.observe(sFromUs(endUs - firstTokenUs) / (tokens - 1));
  }
}
