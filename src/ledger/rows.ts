/**
 * What the engines tell the result, in one vocabulary: the simulator says these as they happen,
 * the live engine says them after it has joined the client's ledger with the gate's.
 * All instants are microseconds of scenario time since the start of the run.
 * State, busy, decision, lease and preempt rows come in the order of time.
 */
import { CODES, type Code, type KillCode } from '../admission/types.ts';
import type { Outcome } from '../client/types.ts';

export type { Code, KillCode } from '../admission/types.ts';
export type { Outcome } from '../client/types.ts';

/** The code that a text is; undefined where it is none. */
export function codeNamed(text: string): Code | undefined {
  return CODES.find((code) => code === text);
}

/** A request that has ended, once each. */
export interface RequestRow {
  readonly kind: 'request';
  readonly seq: number;
  readonly class: string;
  readonly intendedUs: number;
  /** First attempt written to the wire; null: never. */
  readonly sentUs: number | null;
  readonly firstByteUs: number | null;
  /** First generated token on any channel. */
  readonly firstTokenUs: number | null;
  /** First token of the answer itself, after any reasoning. Absent: not on a wire (a simulation). */
  readonly firstContentUs?: number | null;
  readonly endUs: number;
  readonly outcome: Outcome;
  /** Why it was turned away, killed or failed at a restart; a failure's kind otherwise; null where it went well. */
  readonly code: Code | KillCode | FailureCode | null;
  /** When the last attempt met the door, and the queue age there; null where it never did. */
  readonly doorUs: number | null;
  readonly doorAgeUs: number | null;
  /** From the door to the slot, of the last attempt; null where no slot was given. */
  readonly waitUs: number | null;
  /** How long the slot was held, of the last attempt. */
  readonly heldUs: number | null;
  readonly attempts: number;
  readonly inTokens: number;
  readonly outTokens: number;
  readonly preempts: number;
  readonly restartTokens: number;
  /** What a shadowed gate would have said. */
  readonly wouldReject: Code | null;
  /** What the last attempt was told where it did not go well; absent: nothing, or not on a wire. */
  readonly text?: string;
  /** Times that a reused connection was dead before a byte went out, and another was taken. */
  readonly transportRetries?: number;
}

/** Failures that are not a decision of the gate. */
export type FailureCode =
  | 'connect'
  | 'reset'
  | 'truncated'
  | 'status'
  | 'in_stream'
  | 'not_a_completion'
  | 'timeout'
  | 'aborted'
  | 'transport_retry'
  | 'overload'
  | 'preempted'
  | 'too_large';

/** The gate's state from this instant on. */
export interface StateRow {
  readonly kind: 'state';
  readonly atUs: number;
  /** Arrival of the oldest queued request; -1: none waits. */
  readonly oldestUs: number;
  readonly queued: number;
  readonly leased: number;
  readonly slots: number;
  /** Deadline slack at this instant; null where no class has a deadline. */
  readonly slackUs: number | null;
  /** Arrival of the oldest queued batch request, -1: none (slack falls with time while one waits). */
  readonly oldestBatchUs: number;
}

/** Compute done since the start, in slot-microseconds; straight between two of these. */
export interface BusyRow {
  readonly kind: 'busy';
  readonly atUs: number;
  readonly computeUs: number;
}

/**
 * What the gate decided on an attempt, counted by the queue age at the door. One row for each
 * attempt that met the door, said when its fate there is known: `rejected`, `expired`, or
 * `admitted` (it got a slot, or its caller left before the gate came to an end with it).
 */
export interface DecisionRow {
  readonly kind: 'decision';
  readonly atUs: number;
  readonly seq: number;
  readonly attempt: number;
  readonly class: string;
  readonly decision: 'admitted' | 'rejected' | 'expired';
  readonly code: Code | null;
  /** Queue age at the door. */
  readonly ageUs: number;
}

/** A lease that ended, or still held at the end. */
export interface LeaseRow {
  readonly kind: 'lease';
  readonly seq: number;
  readonly class: string;
  readonly client: string | null;
  readonly fromUs: number;
  readonly toUs: number;
  readonly ended: 'completed' | 'failed' | 'cancelled' | 'killed' | 'preempted' | 'open';
  readonly outTokens: number;
  /** When the client last read something; null: unknown. */
  readonly lastReadUs: number | null;
}

/** A lease that was taken back in mid work. */
export interface PreemptRow {
  readonly kind: 'preempt';
  readonly atUs: number;
  readonly seq: number;
  readonly class: string;
  /** Output tokens that were made for nothing: all of them where the request is not replayed. */
  readonly wastedTokens: number;
  /** Prompt and output tokens that a restart makes again. */
  readonly restartTokens: number;
  readonly slackUs: number | null;
  readonly queueAgeUs: number;
  readonly replayed: boolean;
}

export type Row = RequestRow | StateRow | BusyRow | DecisionRow | LeaseRow | PreemptRow;

/** Whom the engines tell. A row is read at once and never kept: its teller may use the object again. */
export interface RowSink {
  request(row: RequestRow): void;
  state(row: StateRow): void;
  busy(row: BusyRow): void;
  decision(row: DecisionRow): void;
  preempt(row: PreemptRow): void;
  /** Absent where nobody wants them. */
  lease?(row: LeaseRow): void;
}

/** How well the generator kept its schedule. A simulation is exact. */
export interface Pace {
  /** Sent minus intended of each first attempt that was sent, in microseconds. */
  readonly latenessUs: readonly number[];
  readonly sentUs: readonly number[];
  readonly intendedUs: readonly number[];
  readonly eventLoopP99Ms: number | null;
}
