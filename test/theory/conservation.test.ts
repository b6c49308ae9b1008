import { describe, expect, it, vi } from 'vitest';
import { simulate } from '../../src/engine/sim.ts';
import type { StateRow } from '../../src/ledger/rows.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import { queue, SEEDS, verdictOn } from './measure.ts';

vi.setConfig({ testTimeout: 120_000 });

interface Averages {
  readonly queued: number;
  readonly leased: number;
  readonly ageS: number;
  readonly closed: number;
}

/** Averages over time from the gate's states, and the same as the arrivals saw it or made it. */
function twoViews(seed: number): { overTime: Averages; ofArrivals: Averages } {
  const durationS = 20_000;
  const scenario = parseScenario(queue({ durationS, gate: { slots: 4, ageRejectS: 10 } }));
  const endUs = durationS * 1e6;
  const time = { queued: 0, leased: 0, ageS: 0, closed: 0 };
  const seen = { queued: 0, leased: 0, ageS: 0, closed: 0 };
  let arrivals = 0;
  let last: StateRow | undefined;
  const integrate = (toUs: number) => {
    const fromUs = last?.atUs ?? 0;
    const dt = Math.min(toUs, endUs) - fromUs;
    if (last === undefined || dt <= 0) return;
    time.queued += last.queued * dt;
    time.leased += last.leased * dt;
    if (last.oldestUs < 0) return;
    const a = fromUs - last.oldestUs;
    time.ageS += ((a + dt / 2) * dt) / 1e6;
    time.closed += Math.max(0, Math.min(dt, a + dt - 10e6));
  };
  simulate(scenario, {
    seed,
    sink: {
      state(row) {
        integrate(row.atUs);
        last = row;
      },
      request(row) {
        arrivals++;
        seen.queued += (row.waitUs ?? 0) / endUs;
        seen.leased += (row.heldUs ?? 0) / endUs;
        seen.ageS += (row.doorAgeUs ?? 0) / 1e6;
        if ((row.doorAgeUs ?? 0) > 10e6) seen.closed++;
      },
    },
  });
  integrate(endUs);
  return {
    overTime: {
      queued: time.queued / endUs,
      leased: time.leased / endUs,
      ageS: time.ageS / endUs,
      closed: time.closed / endUs,
    },
    ofArrivals: { ...seen, ageS: seen.ageS / arrivals, closed: seen.closed / arrivals },
  };
}

const views = SEEDS.map(twoViews);

describe("Little's law", () => {
  it.each(['queued', 'leased'] as const)('L = lambda W for the %s', (which) => {
    for (const { overTime, ofArrivals } of views) {
      expect(Math.abs(overTime[which] / ofArrivals[which] - 1)).toBeLessThan(0.004);
    }
  });
});

describe('Poisson arrivals see time averages', () => {
  it.each([
    ['ageS', 0.08],
    ['closed', 0.4],
  ] as const)('of %s', (which, within) => {
    const ratios = views.map(({ overTime, ofArrivals }) => ofArrivals[which] / overTime[which]);
    expect(verdictOn(ratios, 1, within)).toBeUndefined();
  });
});
