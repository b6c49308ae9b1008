import type { StreamKey } from '../random.ts';
import type { Timer } from './timers.ts';
import type { ClientClass, Outcome, Wish } from './types.ts';

/** A crowd of callers of one class. */
export interface ClassState {
  readonly rules: ClientClass;
  readonly backoff: StreamKey;
  readonly patience: StreamKey;
  requests: number;
  retries: number;
}

/** One caller, until it has its answer or has given up. */
export interface Request {
  /** As the driver gave it. */
  readonly wish: Wish;
  readonly of: ClassState;
  phase: 'inFlight' | 'answered' | 'waiting' | 'settled';
  /** 0 for the first. */
  attempt: number;
  /** How the attempt before the one to come ended; read only while waiting. */
  last: Outcome;
}

/** How an attempt ended that was not answered. */
export interface Failure {
  /** The bucket if no other try follows. */
  readonly as: 'rejected' | 'expired' | 'failed' | 'undecided' | 'killed';
  /** What the refusal asked for. */
  readonly retryAfterUs: number;
  /** False: the server asked not to. */
  readonly mayRetry: boolean;
}

/** Whether anything can be heard of its attempt: it is neither between two nor settled. */
export function isUnderWay({ phase }: Request): boolean {
  return phase === 'inFlight' || phase === 'answered';
}

/** Whether a timer still has a purpose. */
export function isLive({ kind, subject, attempt }: Timer<Request>): boolean {
  switch (kind) {
    case 'retry':
      return subject.phase === 'waiting' && subject.attempt === attempt;
    case 'hold':
      return subject.phase === 'answered' && subject.attempt === attempt;
    case 'patience':
      return subject.phase === 'inFlight' || subject.phase === 'waiting';
    case 'timeout':
      return subject.phase !== 'settled';
  }
}

/** A kill is the gate's decision, so it falls under the rule for refusals. */
export function mayTryAgain({ of, attempt }: Request, { as, mayRetry }: Failure): boolean {
  const { retry } = of.rules;
  const isDecision = as !== 'failed' && as !== 'undecided';
  const wants = isDecision ? retry.onRefusal : retry.onFailure;
  if (!wants || !mayRetry || attempt >= retry.max) return false;
  return retry.budget === null || of.retries + 1 <= retry.budget * of.requests;
}
