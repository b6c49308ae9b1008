import { expect, it } from 'vitest';
import { countLine, ranNothing } from './count-reporter.ts';

it('counts a file that did not load as failed', () => {
  expect(countLine({ passed: 3, failed: 1, skipped: 2, broken: 1 })).toBe(
    '3 passed, 2 failed, 2 skipped',
  );
});

it('does not take a suite of skipped tests for one that ran', () => {
  expect(ranNothing({ passed: 0, failed: 0, skipped: 4, broken: 0 })).toBe(true);
  expect(ranNothing({ passed: 1, failed: 0, skipped: 4, broken: 0 })).toBe(false);
});
