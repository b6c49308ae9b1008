import { expect, it } from 'vitest';
import type { Ending } from '../../../src/engine/live/answer.ts';
import { createBreaker, NO_LIMITS } from '../../../src/engine/live/breaker.ts';

const failed: Ending = { as: 'failed', code: 'reset', mayRetry: true, text: 'reset by peer' };
const refused: Ending = {
  as: 'rejected',
  code: 'overload',
  retryAfterUs: undefined,
  mayRetry: true,
  text: '',
};

it('ends a run after failures in a row, and refusals are none', () => {
  const breaker = createBreaker({ ...NO_LIMITS, maxFailuresInARow: 2 });
  expect(breaker.ended(failed)).toBeNull();
  expect(breaker.ended(refused)).toBeNull();
  expect(breaker.ended(failed)).toBeNull();
  expect(breaker.ended(failed)).toMatch(/2 requests in a row failed.*reset by peer/);
});

it('ends a run when its requests or its tokens are spent', () => {
  const breaker = createBreaker({ ...NO_LIMITS, maxRequests: 2, maxTokens: 10 });
  expect(breaker.sent()).toBeNull();
  expect(breaker.sent()).toContain('--max-requests 2');
  breaker.tokens(10);
  expect(breaker.ended({ as: 'completed' })).toContain('--max-tokens 10');
});

it('ends a run at once where the account is spent (B7)', () => {
  expect(createBreaker(NO_LIMITS).ended({ ...failed, quotaSpent: true })).toContain(
    'no quota left',
  );
});
