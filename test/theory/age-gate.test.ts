import { describe, expect, it, vi } from 'vitest';
import { simulate } from '../../src/engine/sim.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import { interval, measure, quantile, queue, SEEDS, verdictOn } from './measure.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Columns: limit, rate, then share turned away, mean wait and p99, each with its standard error. */
const TABLE = [
  [2, 0.8, [0.0965, 0.0004], [0.703, 0.002], [6.28, 0.02]],
  [5, 0.8, [0.0546, 0.0001], [1.279, 0.004], [9.22, 0.03]],
  [10, 0.8, [0.0218, 0.0005], [1.99, 0.006], [12.64, 0.07]],
  [20, 0.8, [0.0037, 0.0002], [2.709, 0.026], [17.34, 0.13]],
  [2, 1.25, [0.2796, 0.0009], [1.595, 0.004], [8.73, 0.03]],
  [5, 1.25, [0.2477, 0.0009], [3.334, 0.007], [13.79, 0.04]],
  [10, 1.25, [0.2259, 0.0006], [6.392, 0.014], [21.42, 0.08]],
  [20, 1.25, [0.2137, 0.0008], [12.77, 0.03], [35.6, 0.1]],
] as const;

describe('the oldest-age gate at M/M/4 agrees with an independent simulation', () => {
  it.each(TABLE)('T = %s s at rate %s', (ageRejectS, ratePerS, loss, wait, p99) => {
    const scenario = queue({ durationS: 20_000, ratePerS, gate: { slots: 4, ageRejectS } });
    const runs = SEEDS.map((seed) => measure(scenario, seed));
    const check = (values: number[], [value, error]: readonly [number, number], within: number) =>
      expect(verdictOn(values, value, within, 3.3 * error)).toBeUndefined();
    check(
      runs.map((run) => run.loss),
      loss,
      ageRejectS === 20 && ratePerS === 0.8 ? 1.2 : 0.4,
    );
    check(
      runs.map((run) => run.meanWaitS),
      wait,
      0.3,
    );
    check(
      runs.map((run) => quantile(run.waitsS, 0.99)),
      p99,
      0.3,
    );
  });

  it('a limit that is never reached changes nothing', () => {
    const gated = measure(queue({ gate: { slots: 4, ageRejectS: 1e9 } }), 11);
    const open = measure(queue({ gate: { slots: 4 } }), 11);
    expect(gated.loss).toBe(0);
    expect(gated.waitsS).toEqual(open.waitsS);
  });
});

describe('the fluid limit of the gate: 100 slots at twice their load, T = 20 s', () => {
  const T = 20;
  const RHO = 2;
  const RATE = 50;
  const durationS = 1200;
  const scenario = parseScenario(
    queue({ durationS, ratePerS: RATE, gate: { slots: 100, ageRejectS: T } }),
  );
  const waitsS: number[] = [];
  let offered = 0;
  let rejected = 0;
  let peak = 0;
  let emptied = 0;
  let wasClosed = false;
  simulate(scenario, {
    seed: 5,
    sink: {
      state(row) {
        peak = Math.max(peak, row.queued);
        if (row.queued === 0 && wasClosed && row.atUs < durationS * 1e6) {
          emptied++;
          wasClosed = false;
        }
      },
      request(row) {
        offered++;
        if (row.waitUs !== null) waitsS.push(row.waitUs / 1e6);
        if (row.outcome !== 'rejected') return;
        rejected++;
        wasClosed = true;
      },
    },
  });

  it('turns away what is beyond capacity', () => {
    expect(rejected / offered).toBeCloseTo(1 - 1 / RHO, 1);
  });
  it('has a sawtooth of the period that the formula gives', () => {
    const periodS = (RHO * RHO * T) / (RHO - 1);
    expect(durationS / emptied / periodS).toBeGreaterThan(0.85);
    expect(durationS / emptied / periodS).toBeLessThan(1.15);
  });
  it('lets a queue of lambda T grow', () => {
    expect(Math.abs(peak / (RATE * T) - 1)).toBeLessThan(0.15);
  });
  it('makes the unluckiest wait rho T, not T, and the others half as long', () => {
    const { mean } = interval(waitsS);
    expect(Math.abs(Math.max(...waitsS) / (RHO * T) - 1)).toBeLessThan(0.15);
    expect(Math.abs(mean / ((RHO * T) / 2) - 1)).toBeLessThan(0.1);
  });
});
