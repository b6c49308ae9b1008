import { afterEach, expect, it, vi } from 'vitest';
import { startRunClock } from '../../../src/engine/live/clock.ts';

afterEach(() => vi.useRealTimers());

it('goes on evenly when somebody sets the wall clock', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const clock = startRunClock(1, performance.now());
  vi.advanceTimersByTime(1000);
  const before = clock.nowUs();
  vi.setSystemTime(Date.now() - 5000);
  expect(clock.nowUs()).toBe(before);
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(clock.nowUs()).toBe(before);
  vi.advanceTimersByTime(250);
  expect(clock.nowUs() - before).toBe(250_000);
});
