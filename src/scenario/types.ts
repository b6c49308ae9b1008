/**
 * A scenario after parsing: plain data, every default filled in, durations in seconds, `null` for
 * a rule that is off. The one schema that produces it is in `schema.ts`.
 */
import type { Kind, Mode } from '../admission/types.ts';

export type { Demand } from '../model/types.ts';

/** A positive duration in seconds that is drawn. */
export type Distribution =
  | { readonly fixed: number }
  | { readonly uniform: readonly [from: number, to: number] }
  /** The mean. */
  | { readonly exponential: number }
  /** `scv`: squared coefficient of variation. */
  | { readonly lognormal: { readonly mean: number; readonly scv: number } }
  | { readonly gamma: { readonly mean: number; readonly scv: number } }
  /** With probability `share` the second mean; each exponential unless `scv` is 0 (then fixed). */
  | {
      readonly bimodal: {
        readonly first: number;
        readonly second: number;
        readonly share: number;
        readonly scv: 0 | 1;
      };
    }
  /** Drawn with equal chance from what was observed. */
  | { readonly empirical: readonly number[] };

/** Service per token: prompt / prefill rate, then one gap for each output token. */
export interface TokenService {
  readonly tokens: {
    readonly prefillPerS: number;
    readonly gapS: number;
    /** Fixed cost before the prefill. */
    readonly overheadS: number;
  };
}

/** A window in which the rate is multiplied. */
export interface Burst {
  readonly fromS: number;
  readonly toS: number;
  readonly factor: number;
}

export type Arrivals =
  | { readonly process: 'poisson'; readonly ratePerS: number; readonly bursts: readonly Burst[] }
  | { readonly process: 'constant'; readonly ratePerS: number; readonly bursts: readonly Burst[] }
  /** `burstiness`: the gamma shape; 1 is Poisson, below 1 is burstier. */
  | {
      readonly process: 'gamma';
      readonly ratePerS: number;
      readonly burstiness: number;
      readonly bursts: readonly Burst[];
    }
  /** Poisson whose rate goes linearly from one value to the other over the run. */
  | {
      readonly process: 'ramp';
      readonly fromPerS: number;
      readonly toPerS: number;
      readonly bursts: readonly Burst[];
    }
  /** At these instants. */
  | { readonly process: 'at'; readonly atS: readonly number[] }
  /**
   * Recorded arrivals, from a file beside the scenario:
   *
   *     arrivals: { process: 'trace', file: 'monday.csv', speed: 2, dequantiseS: 1 }
   *
   * or `--trace monday.csv`. The format is told by the first line: Azure, Mooncake, BurstGPT, Qwen,
   * a table with a column `timestamp`, `at_s` or `at_ms` (and, as far as known, `input_tokens`,
   * `output_tokens`, `duration_s`, `class`, `status`, `caller`, `attempt`), or a schedule or client
   * ledger of an earlier run. The first row is at 0; rows at or after `durationS` are left out. Gaps
   * are divided by `speed`, tokens are not. `rows` and `notes` (rate, SCV, ties, unit, rejected and left out rows) are
   * filled by the loader.
   */
  | {
      readonly process: 'trace';
      readonly file: string;
      readonly format: 'auto' | 'azure' | 'mooncake' | 'burstgpt' | 'qwen' | 'csv' | 'loadline';
      readonly unit: 'auto' | 's' | 'ms';
      readonly speed: number;
      /** Spread tied time stamps over this many seconds (0: leave them). */
      readonly dequantiseS: number;
      readonly limit: number | null;
      /** Whether rows that are taken for retries of refused ones count as demand. */
      readonly retries: 'kept' | 'left-out';
      readonly rows: readonly TraceRow[];
      /** Absent where no file was read. */
      readonly notes?: readonly string[] | undefined;
    };

/** One recorded arrival; what was not recorded is null and is drawn. */
export interface TraceRow {
  readonly atUs: number;
  readonly inTokens: number | null;
  readonly outTokens: number | null;
  readonly serviceUs: number | null;
  readonly class: string | null;
  /** Taken for another try of a request that was turned away. */
  readonly retry?: boolean | undefined;
  /** Turned away: what it asked for was never seen. */
  readonly refused?: boolean | undefined;
  /** What its last try was served with. */
  readonly served?:
    | { readonly serviceUs: number | null; readonly outTokens: number | null }
    | undefined;
}

export interface Retry {
  readonly max: number;
  readonly baseS: number;
  readonly capS: number;
  readonly jitter: 'full' | 'none';
  /** Retries as a share of requests; null: no budget. */
  readonly budget: number | null;
  readonly honourRetryAfter: boolean;
  readonly onRefusal: boolean;
  readonly onFailure: boolean;
}

export interface ClassSpec {
  readonly kind: Kind;
  /** Of the scenario's arrivals, 0 to 1; null where the class has its own process. */
  readonly share: number | null;
  readonly arrivals: Arrivals | null;
  readonly priority: number;
  readonly prompt: string;
  readonly maxTokens: number;
  readonly stream: boolean;
  /** Drawn lengths; null: the prompt as it is, `maxTokens` out. */
  readonly inTokens: number | null;
  readonly outTokens: number | null;
  readonly mayQueue: boolean;
  readonly deadlineS: number | null;
  /** What the gate believes of one request's compute until it has evidence; null: the mean of its service. */
  readonly expectedComputeS: number | null;
  /** Overrides `model.service`. */
  readonly service: Distribution | TokenService | null;
  /** How long the caller keeps its slot; null: until the answer ends. */
  readonly hold: Distribution | null;
  /** Share of a slot's compute while in service. */
  readonly compute: number;
  /** How long a caller waits for an answer to begin. */
  readonly patience: { readonly fixed: number } | { readonly exponential: number } | null;
  /** From the intended instant to the end. */
  readonly timeoutS: number | null;
  readonly retry: Retry;
  /** Whether preempted work may be started again. */
  readonly replay: boolean;
  /** The class's own SLO; null: the scenario's. */
  readonly sloS: number | null;
}

export interface Gate {
  readonly slots: number;
  readonly ageRejectS: number | null;
  readonly depthMultiple: number | null;
  readonly queueCapacity: number | null;
  readonly maxWaitS: number | null;
  readonly maxHoldS: number | null;
  readonly slackRejectS: number | null;
  readonly holdRejectS: number;
  readonly slackAdmitS: number;
  readonly interactiveCap: number | null;
  readonly retryBudget: number | null;
  readonly predictedWaitS: number | null;
  readonly killWindowS: number | null;
  readonly retryAfterS: number;
  readonly mode: Mode;
  readonly queueAgeFraction: number | null;
  readonly taskBudgetTokens: number | null;
  readonly restartFraction: number;
  readonly maxPreempts: number | null;
  readonly stopAfterPreempts: boolean;
  readonly rejectInteractive: boolean;
  readonly rationale: string | null;
}

export type PreemptSpec =
  | { readonly type: 'none' }
  | { readonly type: 'ticks'; readonly ticks: number; readonly tickTokens: number }
  | { readonly type: 'rate'; readonly perS: number }
  | { readonly type: 'memory'; readonly blocks: number; readonly blockTokens: number }
  | {
      readonly type: 'spot';
      readonly atS: readonly number[];
      readonly noticeS: number;
      readonly backS: number;
    };

export interface ModelSpec {
  readonly service: Distribution | TokenService;
  /** 0: as many as come. */
  readonly slots: number;
  readonly firstTokenS: number | null;
  readonly slowdown: { readonly perRequest: number; readonly from: number };
  readonly checkpointTokens: number;
  /** Compute that one checkpoint costs. */
  readonly checkpointCostS: number;
  readonly preempts: PreemptSpec;
  /** How a preempt looks on the wire. */
  readonly preemptSignal: 'error' | 'reset' | 'silence';
  /** Whether a restart may resume from the last checkpoint. */
  readonly resume: boolean;
  /** A fitted model, written by `calibrate`; its fields replace the ones above. */
  readonly file: string | null;
}

export interface Scenario {
  readonly name: string;
  readonly description: string;
  readonly durationS: number;
  readonly sloS: number;
  readonly seed: number;
  /** How long the end waits for what is in flight; null: until nothing is. */
  readonly drainS: number | null;
  /** Arrivals before this are dropped from the figures. */
  readonly warmupS: number;
  /** null where every class has its own process. */
  readonly arrivals: Arrivals | null;
  readonly classes: Readonly<Record<string, ClassSpec>>;
  readonly gate: Gate;
  readonly model: ModelSpec;
  /** The generator never has more than this in flight; what it could not send is counted `unsent`. */
  readonly maxInFlight: number;
  /** Conditions on the result, e.g. `{ 'rates.breach': '<0.05' }`; a crossed one ends the command with 99. */
  readonly thresholds: Readonly<Record<string, string>>;
}
