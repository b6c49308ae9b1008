/**
 * The door of the model machine: an endpoint that works on requests. It has its own slots (0: as
 * many as come), slows down under load, makes tokens, writes checkpoints and is preempted. No
 * event per token: how far a request has come is asked for, not announced.
 */

/** What an arrival needs. Drawn once, with the arrival; policies never see it. */
export interface Demand {
  /** Compute on an otherwise idle model. */
  readonly serviceUs: number;
  readonly inTokens: number;
  readonly outTokens: number;
  /** How long the caller keeps the slot; 0: until the answer ends. */
  readonly holdUs: number;
}

/** How speed falls as load rises: speed = 1 / (1 + perRequest * max(0, inService - from)). */
export interface Slowdown {
  readonly perRequest: number;
  readonly from: number;
}

export type Preempts =
  | { readonly type: 'none' }
  /** Each first run of a request is preempted after this many decode ticks. */
  | { readonly type: 'ticks'; readonly ticks: number; readonly tickTokens: number }
  /** A Poisson process over each request in service. */
  | { readonly type: 'rate'; readonly perS: number }
  /** Blocks of memory: the youngest request is evicted when they run out. */
  | { readonly type: 'memory'; readonly blocks: number; readonly blockTokens: number }
  /** The whole host goes, at these instants; `noticeUs` before it nothing new is started. */
  | {
      readonly type: 'spot';
      readonly atUs: readonly number[];
      readonly noticeUs: number;
      readonly backUs: number;
    };

export interface ModelConfig {
  /** 0: unlimited. */
  readonly slots: number;
  readonly slowdown: Slowdown;
  /** Share of a slot's compute that a running request uses, by class (an interactive hold: .05). */
  readonly compute: Readonly<Record<string, number>>;
  /** From the start of service to its first token, on an idle model; the rest of the tokens are spread evenly. */
  readonly firstTokenUs: number | null;
  /** Output tokens between checkpoints; 0: none are written. */
  readonly checkpointTokens: number;
  /** Work that writing one checkpoint takes, spread over the tokens between two (runbook 001: "fsync cost"). */
  readonly checkpointCostUs: number;
  readonly preempts: Preempts;
  readonly seed: number;
}

/** What the model has to know of a request. The driver keeps it as it is while the model has it. */
export interface Work {
  readonly class: string;
  readonly demand: Demand;
  /** The place of its draws. */
  readonly keySeq: number;
  readonly attempt: number;
}

export type PreemptCause = 'ticks' | 'rate' | 'memory' | 'spot' | 'operator';

export type Input =
  /** `resumeTokens`: output tokens that need not be made again (the prompt is always redone). */
  | (Work & { readonly type: 'start'; readonly id: number; readonly resumeTokens: number })
  | { readonly type: 'cancel'; readonly id: number }
  /** Take the slot of this request, or of the whole host. */
  | { readonly type: 'preempt'; readonly id?: number }
  | { readonly type: 'configure'; readonly config: Partial<ModelConfig> }
  | { readonly type: 'tick' };

export type Effect =
  /** Service has begun (at once, or when one of the model's own slots came free). */
  | { readonly type: 'started'; readonly atUs: number; readonly id: number }
  | {
      readonly type: 'finished';
      readonly atUs: number;
      readonly id: number;
      readonly firstTokenUs: number;
      readonly outTokens: number;
    }
  | {
      readonly type: 'preempted';
      readonly atUs: number;
      readonly id: number;
      readonly outTokens: number;
      readonly checkpointTokens: number;
      readonly why: PreemptCause;
    }
  /** It can never be served (its memory does not fit). */
  | {
      readonly type: 'failed';
      readonly atUs: number;
      readonly id: number;
      readonly why: 'too_large';
    };

/** What is read at `nowUs` is exact while nothing is due before it: `apply` a tick first. */
export interface Model {
  apply(input: Input, nowUs: number): Effect[];
  /** When the earliest thing is due; Infinity: nothing is. */
  nextWakeUs(): number;
  readonly inService: number;
  readonly waiting: number;
  /** Compute done so far, in microseconds of one slot: the integral of the sum of compute shares in service. */
  computeUs(nowUs: number): number;
  /** Output tokens that a request has made by now; undefined when it is not here. */
  tokens(id: number, nowUs: number): number | undefined;
  /** When it will have made one more token if the load stays as it is; undefined when it has made all. */
  nextTokenUs(id: number, nowUs: number): number | undefined;
  /** Share of memory blocks in use, 0 to 1. */
  memoryShare(): number;
}
