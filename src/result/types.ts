/**
 * The one result, `schemaVersion` 1: what `bench`, `sim` and `import` write and what every page
 * reads. Durations in seconds unless the name says otherwise; shares 0 to 1; `null` where there is
 * no data, never 0 or NaN.
 */
import type { Scenario } from '../scenario/types.ts';
import type { Verdict } from '../verdicts/types.ts';
import type { Message } from './messages.ts';

/** A figure over replications: mean of the runs, its 95 % Student interval, and the 2.5 to 97.5 % quantiles of the runs. */
export interface Replicated {
  readonly mean: number;
  readonly lo: number;
  readonly hi: number;
  readonly band: readonly [number, number];
}

/** A number of one run, or its spread over replications. */
export type Figure = number | Replicated | null;

export interface Distribution {
  readonly n: Figure;
  readonly mean: Figure;
  readonly p50: Figure;
  readonly p95: Figure;
  readonly p99: Figure;
  readonly max: Figure;
}

export interface Outcomes {
  readonly offered: Figure;
  readonly unsent: Figure;
  readonly undecided: Figure;
  readonly rejected: Figure;
  readonly admitted: Figure;
  readonly completed: Figure;
  readonly failed: Figure;
  readonly expired: Figure;
  readonly abandoned: Figure;
  readonly killed: Figure;
  readonly censored: Figure;
  readonly sloBreached: Figure;
}

export interface Rates {
  /** (rejected + expired) / offered */
  readonly rejection: Figure;
  /** sloBreached / (completed + failed + killed + censored past the SLO) */
  readonly breach: Figure;
  /** completed within the SLO / offered */
  readonly goodput: Figure;
}

/** Where 1 - goodput went, each a share of offered, by counterfactual simulation. */
export interface LossSplit {
  readonly threshold: Figure;
  readonly capacity: Figure;
  readonly holds: Figure;
  readonly retries: Figure;
  readonly upstream: Figure;
}

export interface Attempts {
  readonly total: Figure;
  readonly retries: Figure;
  /** Attempts / requests sent. */
  readonly amplification: Figure;
  readonly rejected: Figure;
  readonly transportRetries: Figure;
}

export interface Tokens {
  readonly in: Figure;
  readonly out: Figure;
  /** What restarts would make again, of the refused ones too: runbook 001's restart_tokens. */
  readonly restarted: Figure;
  /** Made for requests that missed, died or were preempted. */
  readonly wasted: Figure;
  /** Prompt and output tokens that restarts did make again. */
  readonly redone: Figure;
  /** All tokens that the upstream worked on: prompts, output, and what was redone. */
  readonly worked: Figure;
  /** redone / worked */
  readonly redoneShare: Figure;
  /** wasted / worked */
  readonly wastedShare: Figure;
}

/**
 * Slot time that went to callers who left without their answer, their patience or their timeout
 * being at an end; of their last attempts. null where no slot was seen.
 */
export interface CallersGone {
  /** Slot seconds, before they left and after. */
  readonly slotS: Figure;
  /** Of these, work done after they had left. */
  readonly afterS: Figure;
  /** slotS / all slot seconds that were given to requests. */
  readonly share: Figure;
}

/** Of the requests that got a slot: how often each was preempted. */
export interface PreemptsPerTask {
  readonly mean: Figure;
  readonly max: Figure;
}

export interface ClassResult {
  readonly outcomes: Outcomes;
  readonly rates: Rates;
  readonly responseS: Distribution;
  readonly waitS: Distribution;
  readonly refusalS: Distribution;
  readonly heldS: Distribution;
}

/**
 * One bin of queue age; the first is the empty queue, `{fromS: 0, toS: 0}`. The others are of one
 * width and cover the greatest age. `decisions` = admitted + rejected + expired: here admitted
 * means not turned away, so that the three stack up.
 */
export interface AgeBin {
  readonly fromS: number;
  readonly toS: number | null;
  /** Time that the age was in this bin. */
  readonly timeS: number;
  readonly decisions: number;
  readonly admitted: number;
  readonly rejected: number;
  readonly expired: number;
  readonly sloBreached: number;
  readonly slots: number | null;
  readonly busy: number | null;
}

export interface TimePoint {
  /** Start of the interval. Ages, depth, leases, slots and busy are its time averages. */
  readonly tS: number;
  readonly queueAgeS: number;
  readonly queueDepth: number;
  readonly leases: number;
  readonly slots: number | null;
  readonly busy: number | null;
  /** The least slack of the interval. */
  readonly slackS: number | null;
  /** Decisions of the interval; admitted are those that got a slot in it. */
  readonly admitted: number;
  readonly rejected: number;
  readonly expired: number;
  /** Requests that ended in the interval, and their tokens. */
  readonly sloBreached: number;
  readonly completed: number;
  readonly retries: number;
  readonly tokens: number;
}

export interface Histogram {
  readonly fromS: number;
  readonly toS: number;
  readonly n: number;
}

/** Bounded series for charts. */
export interface Series {
  /** Response times of the completed. */
  readonly response: readonly Histogram[];
  readonly wait: readonly Histogram[];
  /** Waits of the granted by the time of their arrival: quantiles in bins. */
  readonly waitOverTime: readonly {
    readonly tS: number;
    readonly p50: number;
    readonly p95: number;
    readonly max: number;
  }[];
  /** At most 200 leases, the longest held first. */
  readonly leases: readonly {
    readonly seq: number;
    readonly class: string;
    readonly client: string | null;
    readonly fromS: number;
    readonly toS: number;
    readonly ended: string;
    readonly outTokens: number;
    readonly lastReadS: number | null;
  }[];
  /** At most 20 requests that were tried again, the most often tried first. */
  readonly retried: readonly {
    readonly seq: number;
    readonly class: string;
    readonly retries: number;
  }[];
  /** What went wrong in its own words, identifiers left out: at most 10, the most frequent first. */
  readonly messages: readonly Message[];
  /** At most 500 preempts. */
  readonly preempts: readonly {
    readonly tS: number;
    readonly seq: number;
    readonly queueAgeS: number;
    /** Deadline slack of the gate. */
    readonly slackS: number | null;
    /** What is left of the task's own deadline: runbook 001's deadline_slack_ms. null: it has none. */
    readonly taskSlackS: number | null;
    readonly wastedTokens: number;
    readonly restartTokens: number;
    readonly replayed: boolean;
  }[];
}

export interface Health {
  readonly status: 'ok' | 'generator-limited' | 'interrupted';
  /** Why it is not ok, or a note on an ok run. */
  readonly notes: readonly string[];
  readonly requestedRate: number;
  readonly achievedRate: number;
  readonly peakPer100ms: { readonly intended: number; readonly sent: number };
  readonly latenessMs: { readonly p50: number; readonly p99: number; readonly max: number } | null;
  readonly eventLoopP99Ms: number | null;
  /** Squared coefficient of variation of the gaps, intended and as sent; null below 3 arrivals. */
  readonly gapScv: { readonly intended: number; readonly achieved: number } | null;
}

export interface Result {
  readonly schemaVersion: 1;
  readonly engine: 'sim' | 'live' | 'k6';
  readonly scenario: {
    readonly name: string;
    readonly digest: string;
    readonly resolved: Scenario;
  };
  readonly seed: number;
  readonly replications: number;
  readonly timeScale: number;
  readonly schedule: { readonly digest: string; readonly count: number; readonly ratePerS: number };
  readonly health: Health;
  readonly outcomes: Outcomes;
  readonly rejectedBy: Readonly<Record<string, Figure>>;
  readonly wouldReject: Readonly<Record<string, Figure>>;
  readonly failedBy: Readonly<Record<string, Figure>>;
  readonly rates: Rates;
  readonly lossSplit: LossSplit | null;
  readonly attempts: Attempts;
  readonly responseS: Distribution;
  readonly waitS: Distribution;
  readonly serviceS: Distribution;
  /** To the head of the answer. Like `firstContentS`, of a wire only, and not in older results. */
  readonly firstByteS?: Distribution;
  /** To the first generated token on any channel, reasoning too. */
  readonly ttftS: Distribution;
  /** To the first token of the answer itself, after any reasoning. */
  readonly firstContentS?: Distribution;
  readonly refusalS: Distribution;
  readonly utilization: { readonly slots: Figure; readonly busy: Figure };
  /** Time-weighted mean and max; p99 is the age that was exceeded for 1 % of the time. */
  readonly queueAgeS: { readonly mean: Figure; readonly p99: Figure; readonly max: Figure };
  readonly tokens: Tokens;
  readonly preempts: Figure;
  readonly preemptsPerTask: PreemptsPerTask;
  /** Requests that were preempted and failed for it: at a restart, or because none was made. */
  readonly lostToPreempts: Figure;
  /** Absent in results of versions before it. */
  readonly callersGone?: CallersGone;
  readonly byClass: Readonly<Record<string, ClassResult>>;
  /** Over replications: means of the counts, pooled time averages. */
  readonly byQueueAge: readonly AgeBin[];
  /** Replication 0. */
  readonly timeline: readonly TimePoint[];
  /** Replication 0. */
  readonly series: Series;
  readonly verdicts: readonly Verdict[];
  readonly environment: Environment;
}

/** What a reader needs to judge where the figures come from. Nothing that changes from run to run of the same command in `sim`. */
export interface Environment {
  /** `stub`, `endpoint` (somebody's server) or `none` (virtual time). */
  readonly target: 'stub' | 'endpoint' | 'none';
  /** Origin only: never a key, never a query. */
  readonly endpoint: string | null;
  readonly model: string | null;
  readonly direct: boolean;
  readonly loadline: string;
  readonly node: string | null;
  readonly cpus: number | null;
  readonly startedAt: string | null;
  readonly notes: readonly string[];
  /** SHA-256 of each ledger of a live run, and of its schedule, by the name of its file. */
  readonly ledgers?: Readonly<Record<string, string>>;
  /** How it was asked for; absent where its name alone asks for it, or nobody typed it. */
  readonly asked?: Asked;
}

/** What was typed for a scenario, to be typed again. */
export interface Asked {
  /** Its name or path; null where flags alone made it. */
  readonly scenario: string | null;
  /** Of the environment, those that change a scenario. */
  readonly variables: Readonly<Record<string, string>>;
  /** Flags and `--set`s, unquoted. */
  readonly words: readonly string[];
}
