import { expect, test } from 'vitest';
import { retryDelayUs } from '../../src/client/backoff.ts';
import { streamKey } from '../../src/random.ts';
import { AT_ONCE } from './support.ts';

const BACKOFF = streamKey(1, 'backoff', 'b');

test('the delay stays a number after more tries than a number can double', () => {
  for (const jitter of ['none', 'full'] as const) {
    const at = (attempt: number) => retryDelayUs({ ...AT_ONCE, jitter }, BACKOFF, 0, attempt, 0);
    expect([at(1), at(1023), at(1024), at(100_000)]).toEqual([0, 0, 0, 0]);
  }
});

test('it grows to its cap and stays there', () => {
  const rule = { ...AT_ONCE, baseUs: 100, capUs: 350 };
  const delays = [0, 1, 2, 2000].map((attempt) => retryDelayUs(rule, BACKOFF, 0, attempt, 0));
  expect(delays).toEqual([100, 200, 350, 350]);
});
