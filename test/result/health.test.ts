import { describe, expect, it } from 'vitest';
import type { Pace } from '../../src/ledger/rows.ts';
import { type Asked, healthOf } from '../../src/result/health.ts';

const asked: Asked = {
  count: 1000,
  durationS: 10,
  sloS: 2,
  timeScale: 1,
  unsent: 0,
  interrupted: false,
};

/** 1000 sends in 10 s, each as late as `lateUs` says. */
function paceOf(lateUs: (i: number) => number, loopMs = 1): Pace {
  const intendedUs = Array.from({ length: 1000 }, (_, i) => i * 10_000);
  const latenessUs = intendedUs.map((_, i) => lateUs(i));
  const sentUs = intendedUs.map((at, i) => at + (latenessUs[i] ?? 0));
  return { intendedUs, sentUs, latenessUs, eventLoopP99Ms: loopMs };
}

describe('health', () => {
  it('is ok where every send was in time', () => {
    const health = healthOf(
      paceOf(() => 500),
      asked,
    );
    expect(health).toMatchObject({
      status: 'ok',
      notes: [],
      achievedRate: 100,
      requestedRate: 100,
    });
    expect(health.latenessMs).toEqual({ p50: 0.5, p99: 0.5, max: 0.5 });
    expect(health.gapScv?.achieved).toBeCloseTo(0, 9);
  });

  it('is limited where less than 99 % of the rate was sent (D1)', () => {
    const slow = paceOf((i) => i * 1000);
    const health = healthOf(slow, { ...asked, sloS: 1e6 });
    expect(health.status).toBe('generator-limited');
    expect(health.notes.join()).toContain('sent 91/s of 100/s asked');
  });

  it('shows the burst of sends that follows a stall, beside the intended peak (D3)', () => {
    const stalled = paceOf((i) => (i >= 400 && i < 450 ? (450 - i) * 10_000 : 0));
    const health = healthOf(stalled, asked);
    expect(health.peakPer100ms).toEqual({ intended: 10, sent: 60 });
    expect(health.status).toBe('generator-limited');
    expect(health.notes.join()).toContain('ms late');
  });

  it('is limited by a blocked event loop and by requests never sent (D5)', () => {
    const health = healthOf(
      paceOf(() => 0, 80),
      { ...asked, unsent: 3 },
    );
    expect(health.notes).toEqual([
      '3 of 1000 requests were never sent',
      "the generator's event loop stood still: p99 80 ms",
    ]);
  });

  it('says interrupted where the run did not come to its end', () => {
    const health = healthOf(
      paceOf(() => 0),
      { ...asked, interrupted: true },
    );
    expect(health.status).toBe('interrupted');
  });
});
