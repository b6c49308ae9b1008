import { expect, it } from 'vitest';
import { startRunClock } from '../../../src/engine/live/clock.ts';
import { startPacer, type Turns } from '../../../src/engine/live/pacer.ts';

/** Time that moves only when somebody sleeps; each turn of the loop takes `turnMs`. */
class FakeTime implements Turns {
  ms = 0;
  private due: (() => void) | undefined;
  private readyMs = 0;

  constructor(
    private readonly turnMs: number,
    private readonly errorMs: number,
  ) {}

  later(run: () => void, ms: number): void {
    this.due = run;
    this.readyMs = this.ms + Math.max(0, ms + this.errorMs);
  }

  soon(run: () => void): void {
    this.due = run;
    this.readyMs = this.ms + this.turnMs;
  }

  runUntil(endMs: number): void {
    while (this.due !== undefined && this.readyMs <= endMs) {
      const run = this.due;
      this.due = undefined;
      this.ms = this.readyMs;
      run();
    }
  }
}

function played(dueUs: number[], time: FakeTime, timeScale = 1): number[] {
  const clock = startRunClock(timeScale, 0, () => time.ms);
  const ranUs: number[] = [];
  let next = 0;
  startPacer(
    clock,
    {
      nextDueUs: () => dueUs[next],
      run(nowUs) {
        while ((dueUs[next] ?? Number.POSITIVE_INFINITY) <= nowUs) {
          ranUs.push(nowUs);
          next++;
        }
      },
    },
    time,
  );
  time.runUntil(1e6);
  return ranUs;
}

it('runs nothing before its time, though timers fire early, and little after', () => {
  const dueUs = Array.from({ length: 200 }, (_, i) => i * 7_311);
  const ranUs = played(dueUs, new FakeTime(0.05, -0.9));
  expect(ranUs).toHaveLength(200);
  for (const [i, at] of ranUs.entries()) {
    expect(at).toBeGreaterThanOrEqual(dueUs[i]!);
    expect(at - dueUs[i]!).toBeLessThanOrEqual(100);
  }
});

it('keeps to the absolute schedule: lateness does not add up (D1)', () => {
  const dueUs = Array.from({ length: 1_000 }, (_, i) => i * 5_000);
  const ranUs = played(dueUs, new FakeTime(0.3, 1.2));
  expect(ranUs.at(-1)! - dueUs.at(-1)!).toBeLessThan(1_000);
});

it('runs all that is due in one turn, without a re-anchored schedule after a stall', () => {
  const dueUs = [0, 1_000, 1_000, 2_000, 300_000];
  const ranUs = played(dueUs, new FakeTime(50, 0));
  expect(ranUs.slice(1, 4)).toEqual([ranUs[1], ranUs[1], ranUs[1]]);
  expect(ranUs[4]! - 300_000).toBeLessThan(51_000);
});

it('plays a compressed schedule in as much less wall time', () => {
  const time = new FakeTime(0.01, 0);
  const ranUs = played([0, 10_000_000], time, 0.1);
  expect(ranUs[1]).toBeGreaterThanOrEqual(10_000_000);
  expect(time.ms).toBeCloseTo(1_000, 0);
});
