import type { StreamKey } from '../random.ts';
import { drawsAt, streamKey } from '../random.ts';
import { US_PER_S } from '../units.ts';
import type { ModelConfig } from './types.ts';

/** Requests remembered as preempted; the longest ago are forgotten first. */
const REMEMBERED = 1_000_000;
/** Apart from any number of attempts, so that each run of an attempt has a draw of its own. */
const RUN_STRIDE = 65_536;

/** Which run of a request is preempted, and when: by ticks on its first run, or at a keyed rate on each. */
export class PreemptPlan {
  private readonly runs = new Map<string, number>();
  private readonly keys = new Map<string, StreamKey>();

  constructor(private config: ModelConfig) {}

  /** Holds for runs that start from now on. */
  configure(config: ModelConfig): void {
    this.config = config;
    this.keys.clear();
  }

  /** Whether any request that has been preempted is still remembered. */
  get remembers(): boolean {
    return this.runs.size > 0;
  }

  /** Tokens after which this run is preempted; 0: never. */
  tickTokens(className: string, keySeq: number, outTokens: number): number {
    const { preempts } = this.config;
    if (preempts.type !== 'ticks' || this.runsOf(className, keySeq) > 0) return 0;
    const tokens = preempts.ticks * preempts.tickTokens;
    return tokens > 0 && tokens < outTokens ? tokens : 0;
  }

  /** From the start of this run to its preempt, in whole microseconds from 1; Infinity: never. */
  afterUs(className: string, keySeq: number, attempt: number): number {
    const { preempts } = this.config;
    if (preempts.type !== 'rate' || preempts.perS <= 0) return Number.POSITIVE_INFINITY;
    const run = this.runsOf(className, keySeq);
    const draw = drawsAt(this.keyOf(className), keySeq, attempt + run * RUN_STRIDE).exponential();
    return Math.max(1, Math.ceil((draw / preempts.perS) * US_PER_S));
  }

  preempted(className: string, keySeq: number): void {
    const name = requestName(className, keySeq);
    const run = this.runsOf(className, keySeq) + 1;
    this.runs.delete(name);
    this.runs.set(name, run);
    if (this.runs.size > REMEMBERED) this.runs.delete(this.runs.keys().next().value as string);
  }

  finished(className: string, keySeq: number): void {
    this.runs.delete(requestName(className, keySeq));
  }

  private runsOf(className: string, keySeq: number): number {
    if (this.runs.size === 0) return 0;
    return this.runs.get(requestName(className, keySeq)) ?? 0;
  }

  private keyOf(className: string): StreamKey {
    const known = this.keys.get(className);
    if (known) return known;
    const key = streamKey(this.config.seed, 'preempt', className);
    this.keys.set(className, key);
    return key;
  }
}

function requestName(className: string, keySeq: number): string {
  return `${keySeq} ${className}`;
}
