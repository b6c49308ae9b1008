/** The figures of the design for runbook 003, played as an open loop, against 2000 seeds of an independent simulation. */
import { describe, expect, it, vi } from 'vitest';
import { simulate } from '../../src/engine/sim.ts';
import { replicationSeed } from '../../src/random.ts';
import { parseScenario, type ScenarioInput } from '../../src/scenario/schema.ts';

vi.setConfig({ testTimeout: 120_000 });

const RUSH: ScenarioInput = {
  name: 'overload',
  durationS: 300,
  sloS: 60,
  arrivals: { process: 'poisson', ratePerS: 0.8, bursts: [{ fromS: 120, toS: 240, factor: 2 }] },
  model: { service: { uniform: [5, 30] }, slots: 0 },
};

function means(gate: ScenarioInput['gate'], replications: number) {
  const scenario = parseScenario({ ...RUSH, gate });
  const sum = { offered: 0, admitted: 0, late: 0, goodput: 0 };
  for (let k = 0; k < replications; k++) {
    const run = { offered: 0, admitted: 0, late: 0 };
    const sink = {
      request(row: { waitUs: number | null; endUs: number; intendedUs: number }) {
        run.offered++;
        if (row.waitUs === null) return;
        run.admitted++;
        if (row.endUs - row.intendedUs > 60e6) run.late++;
      },
    };
    simulate(scenario, { seed: replicationSeed(1, k), sink });
    sum.offered += run.offered / replications;
    sum.admitted += run.admitted / replications;
    sum.late += run.late / replications;
    sum.goodput += (run.admitted - run.late) / run.offered / replications;
  }
  return sum;
}

const near = (got: number, expected: number, by: number) =>
  expect(Math.abs(got - expected), `expected ${expected} ± ${by}, got ${got}`).toBeLessThan(by);

describe('burst: four workers, DEPTH 2, 200 replications', () => {
  it.each([
    [25, 76.2, 10.6, 1],
    [5, 73.1, 2.1, 1],
    [40, 78.3, 20, 1.4],
    [1e9, 78.9, 22.3, 1.4],
  ])('AGE %s admits %s, %s of them late', (ageRejectS, admitted, late, lateBy) => {
    const got = means({ slots: 4, ageRejectS, depthMultiple: 2 }, 200);
    near(got.offered, 336, 4);
    near(got.admitted, admitted, 1.3);
    near(got.late, late, lateBy);
  });

  it('without a rule everybody is admitted and nearly all are late', () => {
    const got = means({ slots: 4 }, 200);
    near(got.admitted, got.offered, 1e-6);
    near(got.late, 320, 5);
  });
});

describe('rush: 16 slots, one rule at a time, goodput', () => {
  it.each([
    [{}, 0.559, 0.015],
    [{ ageRejectS: 30 }, 0.694, 0.015],
    [{ ageRejectS: 15 }, 0.759, 0.01],
    [{ ageRejectS: 10 }, 0.759, 0.01],
    [{ maxWaitS: 30 }, 0.823, 0.01],
    [{ maxWaitS: 34 }, 0.806, 0.01],
    [{ maxWaitS: 40 }, 0.754, 0.01],
    [{ slots: 20, maxWaitS: 30 }, 0.934, 0.01],
    [{ slots: 24, maxWaitS: 30 }, 0.995, 0.01],
  ])('%j serves %s in time', (gate, goodput, by) => {
    near(means({ slots: 16, ...gate }, 250).goodput, goodput, by);
  });

  it('a limit on the wait of SLO less longest service leaves nobody late', () => {
    near(means({ slots: 16, maxWaitS: 30 }, 50).late, 0, 1e-9);
  });
});
