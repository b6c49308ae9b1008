import { afterEach, expect, it, vi } from 'vitest';
import { LIMITS, PhaseTimer } from '../../src/gateway/phase-timer.ts';

afterEach(() => vi.useRealTimers());

function armed(ms: number | null): { over: () => number; timer: PhaseTimer } {
  vi.useFakeTimers();
  let count = 0;
  const timer = new PhaseTimer(() => count++);
  timer.arm(LIMITS.idle, ms);
  return { over: () => count, timer };
}

it('is over after its time, once, and begins again with whatever comes', () => {
  const { over, timer } = armed(1000);
  vi.advanceTimersByTime(900);
  timer.refresh();
  vi.advanceTimersByTime(900);
  expect(over()).toBe(0);
  vi.advanceTimersByTime(5000);
  expect(over()).toBe(1);
});

it.each([null, 2 ** 31, 1e12])(
  'is never over without a limit, or with one beyond any timer: %s',
  (ms) => {
    const { over } = armed(ms);
    vi.advanceTimersByTime(1e7);
    expect(over()).toBe(0);
  },
);
