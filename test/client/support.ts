import type { RetryRule } from '../../src/client/types.ts';

/** Tries again the moment it is refused. */
export const AT_ONCE: RetryRule = {
  max: 1000,
  baseUs: 0,
  capUs: 0,
  jitter: 'none',
  budget: null,
  honourRetryAfter: false,
  onRefusal: true,
  onFailure: true,
};
