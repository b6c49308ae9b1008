import { describe, expect, it } from 'vitest';
import { admissionDrill } from '../../src/drills/admission.ts';

function drill(as: string) {
  return admissionDrill.run({
    ...{ as, mode: undefined, live: false, timeScale: undefined, seed: undefined },
    ...{ out: undefined, force: false, say: () => {} },
  });
}

describe('drill admission', { timeout: 60_000 }, () => {
  it('as published stalls its own arrivals and cannot reject', async () => {
    const { json, lines } = await drill('published');
    const { scheduled, mean } = json as { scheduled: number; mean: Record<string, number> };
    expect(scheduled).toBeCloseTo(336, 9);
    expect(mean['offered']).toBeGreaterThan(66);
    expect(mean['offered']).toBeLessThan(74);
    expect(mean['rejected']).toBe(0);
    expect(mean['stalledS']).toBeGreaterThan(200);
    expect(lines[1]).toMatch(/arrivals stood still/);
  });

  it('as corrected gives the open loop that the numbers describe', async () => {
    const { json, claims, head, lines } = await drill('corrected');
    expect(head[0]).toMatch(
      /^Add workers or offer less: .*AGE 25 s, DEPTH 2 a worker.* serves \d+ %/,
    );
    expect(lines[0]).toMatch(/^requests, mean of 100 runs each/);
    const { settings } = json as { settings: Record<string, number>[] };
    const [asWritten, ageOff, always] = settings;
    // DESIGN.md: 336 offered, 76.2 admitted, 260 rejected, 10.6 late; sd of a mean of 100 is 1.9, .5, 2, .4.
    expect(Math.abs((asWritten?.['offered'] ?? 0) - 336)).toBeLessThan(4);
    expect(Math.abs((asWritten?.['admitted'] ?? 0) - 76.2)).toBeLessThan(1);
    expect(Math.abs((asWritten?.['turnedAway'] ?? 0) - 260)).toBeLessThan(4.5);
    expect(Math.abs((asWritten?.['late'] ?? 0) - 10.6)).toBeLessThan(1);
    expect(Math.abs((ageOff?.['admitted'] ?? 0) - 78.9)).toBeLessThan(1);
    expect(always?.['turnedAway']).toBe(0);
    expect(claims.find(({ claim }) => claim.includes('60 %'))?.measured).toMatch(/^100 %/);
  });
});
