/** What a verdict is judged on: windows of measurements, and what is known beside them. */

/** A stretch of a run, or the present moment. Averages over it unless the name says otherwise. */
export interface Window {
  readonly fromS: number;
  readonly toS: number;
  /** Of the oldest queued request, at the end of the window. */
  readonly queueAgeS: number;
  readonly queued: number;
  readonly leased: number;
  /** Share of capacity that computed, 0 to 1; null: unknown. */
  readonly busy: number | null;
  /** The least of the window; null: no deadline. */
  readonly slackS: number | null;
  readonly completed: number;
}

/** A slot that was held. Instants on the clock of the windows. */
export interface HeldLease {
  /** Whom an operator would name: the client, else the id. */
  readonly name: string;
  readonly kind: 'batch' | 'interactive';
  readonly fromS: number;
  /** null: still held. */
  readonly toS: number | null;
  /** When its client last took something; null: unknown. */
  readonly lastReadS: number | null;
  /** Output tokens that it has made; null: unknown. */
  readonly tokens: number | null;
}

/** The rules in force that a verdict speaks of, by the names of the scenario. null: off. */
export interface RulesInForce {
  readonly slackRejectS: number | null;
  readonly holdRejectS: number;
  readonly slackAdmitS: number;
  readonly retryBudget: number | null;
  readonly killWindowS: number | null;
  readonly rejectInteractive: boolean;
  /** The limits at the door and on the wait that are on: `{ maxWaitS: 30 }`. */
  readonly limits: Readonly<Record<string, number>>;
}

/** What became of the requests of a whole run; shares 0 to 1. */
export interface Served {
  readonly offered: number;
  readonly rejection: number;
  readonly breach: number;
  readonly goodput: number;
}

/** Why requests were lost, as a share of offered. */
export interface Loss {
  readonly kind: 'refused' | 'failed' | 'other';
  /** The code of a refusal or a failure, else a word: `queue_age`, `connect`, `late`. */
  readonly what: string;
  readonly share: number;
}

/** What might be done, for a forecast. */
export type Change =
  /** These holds end at `atS`; all others go on. */
  | { readonly type: 'end-holds'; readonly atS: number; readonly names: readonly string[] }
  /** The gate as it is but for these fields, and the model too where it has some. */
  | {
      readonly type: 'gate';
      readonly set: Readonly<Record<string, number | null>>;
      readonly model?: {
        readonly checkpointTokens?: number;
        readonly preempts?: { readonly type: 'none' };
      };
    };

/** What a simulation of a change gives. */
export interface Forecast extends Served {
  /** Seeds that it is the mean of, that of the run itself among them; absent: one. */
  readonly runs?: number;
  /** Batch work with a deadline. */
  readonly batchInTime: number;
  readonly batch: number;
}

/** Plays the same arrivals with a change; undefined where no simulation can speak for what was run. */
export type Foresee = (change: Change) => Forecast | undefined;

export interface Facts {
  /** How the windows came about. */
  readonly source: 'simulated' | 'observed';
  /** True: the last window is now, and what is advised is for now. */
  readonly isLive: boolean;
  /** Why nothing may be concluded; empty: it may. */
  readonly distrust: readonly string[];
  readonly rerun: string;
  /** Seeds of which `served` is the mean, those of a forecast from the first on; absent: one. */
  readonly seeds?: number;
  readonly slots: number;
  readonly sloS: number;
  readonly batch: { readonly deadlineS: number; readonly expectedS: number } | null;
  readonly hasInteractive: boolean;
  readonly rules: RulesInForce;
  readonly leases: readonly HeldLease[];
  /** Interactive callers that tried again, with the most retries of one request. */
  readonly retries: readonly { readonly name: string; readonly retries: number }[];
  /** null: the run is still going on. */
  readonly served: Served | null;
  /** Every service that the scenario can draw outlasts its SLO; absent: some do not, or nobody knows. */
  readonly shortSlo?: { readonly sloS: number; readonly serviceS: number };
  /** Where 1 - goodput of the run went, shares of offered; absent where it was not worked out. */
  readonly lost?: { readonly threshold: number; readonly capacity: number };
  /** What became of whom the goodput lacks, the greatest first. */
  readonly lostBy?: readonly Loss[];
  /** The code with which a gate that runs refuses everybody at present. */
  readonly refuses?: string;
  /** Scheme, host and port of the gate; a shell variable for the reader's own where the gate of a run has ended. */
  readonly adminUrl: string;
  readonly foresee: Foresee;
}

/** Runbook 000: CPU under .3 while queue age is over 60 s is a contradiction. */
export const IDLE_BUSY = 0.3;
export const OLD_QUEUE_S = 60;
/** Runbook 000: what stands where the scenario has the rule off. */
export const SLACK_REJECT_S = 90;
export const RETRY_BUDGET = 2;
export const KILL_WINDOW_S = 60;
/** Loss from which somebody should do something. */
export const NOTABLE_LOSS = 0.02;
/** Of offered: settings within this of the best are as good, as `tune` has it. */
export const SAME = 0.01;
/** Below this share of compute a pool whose slots are all out is not known to lack capacity. */
export const BUSY_FROM = 0.7;
