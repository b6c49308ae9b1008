/**
 * The door of the client machine: what one crowd of callers does. It decides when a request is
 * tried again, when its caller gives up, how long a slot is held, and when the caller hangs up.
 */

export type Jitter = 'full' | 'none';

/** When and how often a refused or failed request is tried again. */
export interface RetryRule {
  /** Tries after the first; 0: never. */
  readonly max: number;
  readonly baseUs: number;
  readonly capUs: number;
  readonly jitter: Jitter;
  /** Retries allowed as a share of requests so far (.1 caps amplification at 1.1); null: no budget. */
  readonly budget: number | null;
  /** Wait at least as long as the refusal asked for. */
  readonly honourRetryAfter: boolean;
  /** False: an admission refusal is final (interactive clients fail closed). */
  readonly onRefusal: boolean;
  /** False: a failure of the upstream is final. */
  readonly onFailure: boolean;
}

export interface ClientClass {
  readonly retry: RetryRule;
  /** Mean or fixed patience until an answer begins; null: endless. Drawn for each request. */
  readonly patience: Patience | null;
  /** From the intended instant to the end, all tries together; null: none. At its end the request has failed. */
  readonly timeoutUs: number | null;
}

/** How long a caller waits for an answer to begin. */
export type Patience =
  | { readonly type: 'fixed'; readonly us: number }
  | { readonly type: 'exponential'; readonly meanUs: number };

export interface ClientConfig {
  readonly classes: Readonly<Record<string, ClientClass>>;
  readonly seed: number;
}

/** Where a request ends up, once and for all. Its bucket is that of its last attempt. */
export type Outcome =
  | 'unsent'
  | 'undecided'
  | 'rejected'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'abandoned'
  | 'killed'
  | 'censored';

/** What a caller wants. The driver keeps it as it is until the request is settled. */
export interface Wish {
  readonly seq: number;
  readonly class: string;
  /** The place of its draws. */
  readonly keySeq: number;
  /** 0: the caller leaves when the answer ends. */
  readonly holdUs: number;
}

/** Why a caller ends an attempt. `hold`: it has had what it came for, so this is a completion. */
export type HangUp = 'patience' | 'timeout' | 'hold' | 'stop';

export type Input =
  /** The intended instant has come. */
  | (Wish & { readonly type: 'arrive' })
  /** The answer has begun (its headers are here): patience ends, a hold begins. */
  | { readonly type: 'answered'; readonly seq: number }
  /** Turned away. `retryAfterUs` as the server asked; `mayRetry` false: it asked not to. */
  | {
      readonly type: 'refused';
      readonly seq: number;
      readonly as: 'rejected' | 'expired';
      readonly retryAfterUs?: number;
      readonly mayRetry?: boolean;
    }
  | { readonly type: 'completed'; readonly seq: number }
  /** `as`: the bucket if no retry follows. A kill is the gate's decision: it is tried again only where refusals are. */
  | {
      readonly type: 'failed';
      readonly seq: number;
      readonly as: 'failed' | 'undecided' | 'killed';
      readonly mayRetry?: boolean;
    }
  /** The run is over: what is in flight is settled as censored, what waits to retry as its last attempt ended. */
  | { readonly type: 'stop' }
  | { readonly type: 'tick' };

export type Effect =
  | { readonly type: 'send'; readonly atUs: number; readonly seq: number; readonly attempt: number }
  /** End the attempt in flight. */
  | {
      readonly type: 'hangUp';
      readonly atUs: number;
      readonly seq: number;
      readonly why: HangUp;
    }
  | {
      readonly type: 'settled';
      readonly atUs: number;
      readonly seq: number;
      readonly outcome: Outcome;
      readonly attempts: number;
    };

export interface Client {
  apply(input: Input, nowUs: number): Effect[];
  /** When the earliest thing is due; Infinity: nothing is. */
  nextWakeUs(): number;
  /** Requests not yet settled. */
  readonly open: number;
}
