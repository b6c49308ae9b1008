import type { Ending } from './answer.ts';

/** What ends a run before its time. Infinity: nothing does. */
export interface Limits {
  readonly maxRequests: number;
  readonly maxTokens: number;
  /** Failures in a row, refusals not counted. */
  readonly maxFailuresInARow: number;
}

export const NO_LIMITS: Limits = {
  maxRequests: Number.POSITIVE_INFINITY,
  maxTokens: Number.POSITIVE_INFINITY,
  maxFailuresInARow: Number.POSITIVE_INFINITY,
};

/** Counts what costs money or does harm; each method says why the run must end now, or null. */
export interface Breaker {
  sent(): string | null;
  tokens(count: number): void;
  ended(ending: Ending): string | null;
}

export function createBreaker(limits: Limits): Breaker {
  let requests = 0;
  let tokens = 0;
  let failures = 0;
  return {
    sent() {
      requests++;
      return requests >= limits.maxRequests ? `--max-requests ${limits.maxRequests} reached` : null;
    },
    tokens(count) {
      tokens += count;
    },
    ended(ending) {
      failures = ending.as === 'failed' || ending.as === 'undecided' ? failures + 1 : 0;
      if (ending.as === 'failed' && ending.quotaSpent === true) {
        return `the account has no quota left: ${ending.text}`;
      }
      if (tokens >= limits.maxTokens) return `--max-tokens ${limits.maxTokens} reached`;
      if (failures < limits.maxFailuresInARow) return null;
      const last = ending.as === 'failed' || ending.as === 'undecided' ? ending.text : '';
      return `${failures} requests in a row failed, the last with: ${last}`;
    },
  };
}
