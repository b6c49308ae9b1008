/**
 * The door of the admission machine: everything that can happen to it and everything it can say.
 * Plain data only, so that a ledger of these is the machine's whole history.
 */

/** Which rules a class falls under. */
export type Kind = 'batch' | 'interactive';

/** What the gate does with the verdicts of its rules. */
export type Mode = 'enforce' | 'shadow' | 'admit-always' | 'reject_preempt_budget' | 'drain';

/** Why a request was turned away: a closed set that stands in log, header, metrics and result. */
export const CODES = [
  'queue_age',
  'queue_depth',
  'queue_capacity',
  'max_wait',
  'deadline_slack',
  'interactive_cap',
  'retry_budget',
  'predicted_wait',
  'slack_zero',
  'task_age',
  'preempt_budget',
  'restart_tokens',
  'draining',
  'upstream_down',
] as const;
export type Code = (typeof CODES)[number];

/** Why a lease was ended by the gate. */
export type KillCode = 'max_hold' | 'no_progress' | 'operator';

/** What the gate knows of a class. */
export interface ClassRules {
  readonly kind: Kind;
  /** Higher is served first. */
  readonly priority: number;
  /** False: where no slot is free the request is refused (`queue_capacity`), never queued. */
  readonly mayQueue: boolean;
  /** From arrival to the end of the work; null: none. */
  readonly deadlineUs: number | null;
  /** Compute of one request, believed until completed work tells better. */
  readonly expectedComputeUs: number;
  /** Whether preempted work may be started again. */
  readonly replay: boolean;
}

/** All that `configure` may change while the gate runs. `null` turns a rule off. */
export interface Policy {
  readonly slots: number;
  /** Refuse arrivals while the oldest queued request is older than this. */
  readonly ageRejectUs: number | null;
  /** Refuse while all slots are leased and more than this times `slots` wait. */
  readonly depthMultiple: number | null;
  /** The queue holds at most this many. */
  readonly queueCapacity: number | null;
  /** A wait ends here, the moment it is due. */
  readonly maxWaitUs: number | null;
  /** A lease ends here. */
  readonly maxHoldUs: number | null;
  readonly slackRejectUs: number | null;
  readonly holdRejectUs: number;
  readonly slackAdmitUs: number;
  /** At most this many interactive leases. */
  readonly interactiveCap: number | null;
  /** Refuse an interactive request that has been retried more often than this. */
  readonly retryBudget: number | null;
  /** Refuse when the wait that this request would meet is longer. */
  readonly predictedWaitUs: number | null;
  /** Kill an interactive lease whose tokens grow while batch waits and none completed for this long. */
  readonly killWindowUs: number | null;
  /** What a refused client is told to wait, before jitter. */
  readonly retryAfterUs: number;
  readonly mode: Mode;
  /** Runbook 001: at dispatch and restart, fail a task older than this share of its deadline. */
  readonly queueAgeFraction: number | null;
  /** Runbook 001: tokens that a task may cost; restarts may burn `restartFraction` of them. */
  readonly taskBudgetTokens: number | null;
  readonly restartFraction: number;
  /** Runbook 001: preempts after which a task is not started again. */
  readonly maxPreempts: number | null;
  /** Enter `reject_preempt_budget` after `maxPreempts` preempts on the host. */
  readonly stopAfterPreempts: boolean;
  /** Operator flag of runbook 000: off, `deadline-slack` is silent and interactive leases are capped at one. */
  readonly rejectInteractive: boolean;
  /** Set by the driver when the upstream cannot be reached: 503 at once, nothing is queued. */
  readonly upstreamDown: boolean;
}

/** What an admission machine is made from. */
export interface AdmissionConfig {
  readonly policy: Policy;
  /** By class name; a request of a class that is not here is treated as the first one. */
  readonly classes: Readonly<Record<string, ClassRules>>;
  /** Keys the jitter of Retry-After. */
  readonly seed: number;
}

/** What the gate may know of a request. The driver keeps it as it is while the gate has it. */
export interface GateRequest {
  readonly seq: number;
  /** 0 for the first try. */
  readonly attempt: number;
  readonly class: string;
  readonly client?: string;
  /** The caller's own deadline, counted from arrival; the wait ends here (`slack_zero`) if nothing ends it before. */
  readonly deadlineUs?: number;
}

/** A request at the door. `id` is the driver's and unique for each attempt. */
export interface ArriveInput extends GateRequest {
  readonly type: 'arrive';
  readonly id: number;
}

/** What an upstream that took a slot back had done by then. */
export interface Preempted {
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Output tokens that a restart need not make again. */
  readonly checkpointTokens: number;
}

export type Input =
  | ArriveInput
  /** The upstream has answered. */
  | { readonly type: 'release'; readonly id: number; readonly outcome: 'completed' | 'failed' }
  /** The client has gone, queued or leased. */
  | { readonly type: 'cancel'; readonly id: number }
  /** Tokens generated so far on a lease, in total. */
  | { readonly type: 'progress'; readonly id: number; readonly tokens: number }
  /** The upstream took the slot back in mid work. */
  | (Preempted & { readonly type: 'preempted'; readonly id: number })
  | { readonly type: 'kill'; readonly id: number }
  | { readonly type: 'configure'; readonly policy: Partial<Policy> }
  | { readonly type: 'drain' }
  | { readonly type: 'tick' };

/** Why and how a request was turned away. */
export interface Refusal {
  readonly code: Code;
  /** The text of the code; may hold the configured number. */
  readonly reason: string;
}

/** `atUs` is when the effect was due, which a late driver may learn a little later. */
export type Effect =
  /** The request has a slot. `shadow`: what a shadowed gate would have said. */
  | {
      readonly type: 'granted';
      readonly atUs: number;
      readonly id: number;
      readonly waitUs: number;
      readonly shadow?: Refusal;
    }
  | {
      readonly type: 'queued';
      readonly atUs: number;
      readonly id: number;
      readonly shadow?: Refusal;
    }
  /** Turned away at the door. */
  | {
      readonly type: 'rejected';
      readonly atUs: number;
      readonly id: number;
      readonly code: Code;
      readonly reason: string;
      readonly queueAgeUs: number;
      readonly retryAfterUs: number;
    }
  /** Turned away after it had queued. */
  | {
      readonly type: 'expired';
      readonly atUs: number;
      readonly id: number;
      readonly code: Code;
      readonly reason: string;
      readonly waitUs: number;
      readonly queueAgeUs: number;
      readonly retryAfterUs: number;
    }
  /** The gate ended the lease; the driver must end the work and not release it again. */
  | {
      readonly type: 'killed';
      readonly atUs: number;
      readonly id: number;
      readonly code: KillCode;
      readonly reason: string;
      readonly heldUs: number;
    }
  /** A preempted task keeps its lease and starts again. */
  | {
      readonly type: 'replay';
      readonly atUs: number;
      readonly id: number;
      readonly preempts: number;
      readonly restartTokens: number;
      /** Output tokens that the upstream may resume from. */
      readonly resumeTokens: number;
    }
  /** A preempted task may not start again; its lease is released. */
  | {
      readonly type: 'failed';
      readonly atUs: number;
      readonly id: number;
      readonly code: Code;
      readonly reason: string;
      readonly preempts: number;
      readonly restartTokens: number;
    }
  /** Asked to drain, and empty. */
  | { readonly type: 'drained'; readonly atUs: number };

/** A lease as an operator sees it. */
export interface LeaseView {
  readonly id: number;
  readonly seq: number;
  readonly class: string;
  readonly kind: Kind;
  readonly client: string | undefined;
  readonly sinceUs: number;
  readonly tokens: number;
}

/** What a rule may look at. Never the demand of a request. */
export interface View {
  readonly policy: Policy;
  readonly leased: number;
  readonly queued: number;
  readonly interactiveLeased: number;
  /** When the oldest queued request of any class arrived; -1 when none waits. */
  readonly oldestQueuedUs: number;
  /** When the oldest queued batch request arrived; -1 when none waits. */
  readonly oldestBatchUs: number;
  /** Deadline slack at `nowUs`, of the oldest queued batch request; the whole deadline when none waits; undefined without a batch deadline. */
  slackUs(nowUs: number): number | undefined;
  /** How long the longest-held lease of this kind has been held; 0 when none is. */
  longestHoldUs(kind: Kind, nowUs: number): number;
  /** The wait that a new request of this class would meet. */
  predictedWaitUs(className: string, nowUs: number): number;
  /** Expected compute of one request of this class: measured where there is evidence. */
  expectedComputeUs(className: string): number;
  /** Whether deadline-slack refuses interactive work now (the last verdict stays between its two thresholds). */
  readonly slackClosed: boolean;
}

/** Age of the oldest queued request; 0 when none waits. */
export function queueAgeUs(view: View, nowUs: number): number {
  return view.oldestQueuedUs < 0 ? 0 : nowUs - view.oldestQueuedUs;
}

/** The machine. One door; it reads no clock. Going back in time throws. */
export interface Admission {
  apply(input: Input, nowUs: number): Effect[];
  /** When the earliest thing is due; Infinity: nothing is. The driver owns the timer. */
  nextWakeUs(): number;
  readonly view: View;
  leases(): LeaseView[];
}
