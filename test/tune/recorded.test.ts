import { describe, expect, it } from 'vitest';
import { drawsAt, streamKey } from '../../src/random.ts';
import type { Scenario, TraceRow } from '../../src/scenario/types.ts';
import { changesFor } from '../../src/tune/changed-worlds.ts';
import { evidenceOf, resampledWorld } from '../../src/tune/evidence.ts';
import { recordedRows, withRowsScaled, withRowsSpread } from '../../src/tune/recorded.ts';
import { resampledRows } from '../../src/tune/resampled-rows.ts';
import { spreadDoubled } from '../../src/tune/spread-doubled.ts';
import { evaluate, loggedRush, smallRush } from './support.ts';

const rowsOf = (scenario: Scenario): readonly TraceRow[] => recordedRows(scenario).flat();
const servicesOf = (rows: readonly TraceRow[]) =>
  rows.flatMap(({ serviceUs }) => (serviceUs === null ? [] : [serviceUs]));
const meanOf = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const varianceOf = (values: readonly number[]) =>
  meanOf(values.map((value) => (value - meanOf(values)) ** 2));

describe('what a log recorded, changed', () => {
  it('takes as many times as long, with the service that a refused try got in the end', () => {
    const logged = loggedRush(4);
    const { arrivals } = logged;
    if (arrivals?.process !== 'trace') throw new Error('expected a trace');
    const served = { serviceUs: 2_000_000, outTokens: null };
    const [row] = arrivals.rows;
    if (row === undefined) throw new Error('expected a row');
    const rows = [row, { ...row, serviceUs: null, served }];
    const longer = withRowsScaled({ ...logged, arrivals: { ...arrivals, rows } }, 1.2);
    const [first, second] = rowsOf(longer);
    expect(first?.serviceUs).toBe(Math.round(1.2 * (row.serviceUs ?? 0)));
    expect(second).toMatchObject({ serviceUs: null, served: { serviceUs: 2_400_000 } });
  });

  it('has twice the variance about the same mean, in each class by itself', () => {
    const logged = loggedRush(90);
    const { arrivals } = logged;
    if (arrivals?.process !== 'trace') throw new Error('expected a trace');
    const rows = arrivals.rows.map((row, i) => ({
      ...row,
      class: i % 2 === 0 ? 'task' : 'other',
      serviceUs: (row.serviceUs ?? 0) * (i % 2 === 0 ? 1 : 10),
    }));
    const spread = rowsOf(withRowsSpread({ ...logged, arrivals: { ...arrivals, rows } }));
    for (const name of ['task', 'other']) {
      const [before, after] = [rows, spread].map((all) =>
        servicesOf(all.filter((row) => row.class === name)),
      );
      expect(meanOf(after ?? [])).toBeCloseTo(meanOf(before ?? []), -2);
      expect(varianceOf(after ?? []) / varianceOf(before ?? [])).toBeCloseTo(2, 3);
    }
  });

  it('stays where no power doubles its variance, or there is none', () => {
    expect(spreadDoubled([3, 3, 3])(3)).toBe(3);
    expect(spreadDoubled([0.1, 0.1, 0.3])(0.3)).not.toBe(0.3);
    expect(spreadDoubled([1, 20])(20)).toBe(20);
    expect(spreadDoubled([])(5)).toBe(5);
  });
});

describe('a changed world', () => {
  const worlds = (scenario: Scenario) =>
    new Map(changesFor(scenario).map((change) => [change.name, change]));

  it('changes the services of a log, not those of the model alone', () => {
    const logged = loggedRush(60);
    const before = meanOf(servicesOf(rowsOf(logged)));
    const meanIn = (name: string) =>
      meanOf(servicesOf(rowsOf(worlds(logged).get(name)?.of(logged) ?? logged)));
    expect(meanIn('service 20 % longer') / before).toBeCloseTo(1.2);
    expect(meanIn('service 20 % shorter') / before).toBeCloseTo(0.8);
  });

  it('is not made of instants that were recorded or given: these cannot be burstier', () => {
    const at = smallRush({ arrivals: { process: 'at', atS: [1, 2, 3] } });
    for (const scenario of [loggedRush(60), at]) {
      const all = [...worlds(scenario).values()];
      const notMade = all.filter((change) => change.notMade !== undefined);
      expect(notMade.map(({ name }) => name)).toEqual(['arrivals burstier, gap scv doubled']);
      expect(notMade[0]?.of(scenario)).toBe(scenario);
    }
    expect(changesFor(smallRush()).every(({ notMade }) => notMade === undefined)).toBe(true);
  });

  it('is not made where there is one slot, or no variance', () => {
    const plain = smallRush({ gate: { slots: 1 }, model: { service: { fixed: 2 } } });
    const notMade = changesFor(plain).filter((change) => change.notMade !== undefined);
    expect(notMade.map(({ name }) => name)).toEqual(['service variance doubled', 'one slot lost']);
  });
});

describe('another log like the one that was recorded', () => {
  const rng = (world: number) => drawsAt(streamKey(7, 'test'), world);
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

  it('has about as many arrivals, as a count of them varies', () => {
    const rows = rowsOf(loggedRush(400, 4));
    const counts = Array.from({ length: 200 }, (_, i) => resampledRows(rows, rng(i)).length);
    expect(meanOf(counts) / 400).toBeGreaterThan(0.96);
    expect(meanOf(counts) / 400).toBeLessThan(1.04);
    // Poisson arrivals: the standard deviation is the root of the count, 20.
    expect(Math.sqrt(varianceOf(counts))).toBeGreaterThan(13);
    expect(Math.sqrt(varianceOf(counts))).toBeLessThan(27);
  });

  it('keeps its rush where it was, and its work with its gaps', () => {
    const quiet = Array.from({ length: 50 }, (_, i) => ({ atUs: 2e6 * i, serviceUs: 1e6 }));
    const rush = Array.from({ length: 500 }, (_, i) => ({ atUs: 1e8 + 2e5 * i, serviceUs: 3e6 }));
    const rest = { inTokens: null, outTokens: null, class: null };
    const rows = [...quiet, ...rush].map((row) => ({ ...row, ...rest }));
    const drawn = resampledRows(rows, rng(1));
    const early = drawn.filter(({ atUs }) => atUs < 6e7);
    expect(early.length).toBeGreaterThan(15);
    expect(early.length).toBeLessThan(60);
    const late = drawn.filter(({ atUs }) => atUs > 1.5e8);
    expect(sum(servicesOf(late)) / late.length).toBe(3e6);
  });

  it('ends where time stands still, and is empty where nothing was recorded', () => {
    const rest = { inTokens: null, outTokens: null, class: null, serviceUs: 1 };
    const tied = Array.from({ length: 9 }, () => ({ ...rest, atUs: 5 }));
    expect(resampledRows(tied, rng(0)).length).toBeLessThanOrEqual(36);
    expect(resampledRows([], rng(0))).toEqual([]);
  });

  it('is not the same in two worlds, and is in the same one', () => {
    const logged = loggedRush(100);
    const world = (k: number) => rowsOf(resampledWorld(logged, null, 1, k));
    expect(world(1)).toEqual(world(1));
    expect(world(1)).not.toEqual(world(2));
  });
});

describe('evidence of a log', () => {
  const evidenceIn = async (scenario: Scenario) => {
    const runs = await evaluate({ scenarios: [scenario], replications: 2, figures: 'requests' });
    return evidenceOf([scenario], null, runs);
  };

  it('is not enough with fewer than 30 rows, whether or not services stand in them', async () => {
    expect(await evidenceIn(loggedRush(29))).toMatchObject({ enough: false, n: 29 });
    expect(await evidenceIn(loggedRush(30))).toMatchObject({ enough: true, n: 30 });
    const { arrivals, ...rest } = loggedRush(4);
    if (arrivals?.process !== 'trace') throw new Error('expected a trace');
    const rows = arrivals.rows.map((row) => ({ ...row, serviceUs: null }));
    const bare = await evidenceIn({ ...rest, arrivals: { ...arrivals, rows } });
    expect(bare).toMatchObject({ enough: false, n: null, services: 'declared' });
    expect(bare.text).toContain('4 arrivals recorded, service times declared');
    expect(bare.text).toContain('at least 30 are needed');
  });

  it('is of the rows that come within the run', async () => {
    expect(await evidenceIn({ ...loggedRush(200), durationS: 5 })).toMatchObject({
      enough: false,
    });
  });
});
