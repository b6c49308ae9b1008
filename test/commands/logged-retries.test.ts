import { describe, expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { parseTrace } from '../../src/arrivals/trace/parse.ts';
import {
  countsLoggedRetries,
  unseenNotes,
  withoutLoggedRetries,
} from '../../src/commands/logged-retries.ts';
import { loggedArrivals, withLoggedServices } from '../../src/commands/logged-services.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import type { Scenario } from '../../src/scenario/types.ts';

/** A log of callers who are refused `refusals` times each and then served, or give up. */
function log(callers: number, refusals: number, isServed: boolean): Scenario {
  const lines = ['at_s,caller,input_tokens,duration_s,status'];
  for (let i = 0; i < callers; i++) {
    for (let n = 0; n < refusals; n++) lines.push(`${i + 3 * n},c${i},10,0.001,429`);
    if (isServed) lines.push(`${i + 3 * refusals},c${i},10,${2 + i / 10},200`);
  }
  const { rows } = parseTrace(lines.join('\n'), { format: 'auto', unit: 'auto' });
  const scenario = parseScenario({
    durationS: 200,
    arrivals: { process: 'trace', file: 'log.csv' },
    gate: { slots: 4 },
  });
  const { arrivals } = scenario;
  if (arrivals?.process !== 'trace') throw new Error('expected a trace');
  return { ...scenario, arrivals: { ...arrivals, rows } };
}

describe('a log of a gate that refuses', () => {
  it('is demand as it stands, and each request once the other way', () => {
    const logged = log(10, 2, true);
    const once = withoutLoggedRetries(logged);
    const [asItIs, each] = [logged, once].map((one) => buildSchedule(one).arrivals);
    expect(asItIs).toHaveLength(30);
    expect(each).toHaveLength(10);
    expect(each?.map(({ atUs }) => atUs)).toEqual(Array.from({ length: 10 }, (_, i) => 1e6 * i));
    expect(each?.map(({ demand }) => demand.serviceUs)).toEqual(
      Array.from({ length: 10 }, (_, i) => Math.round(1e6 * (2 + i / 10))),
    );
    expect([logged, once].map(countsLoggedRetries)).toEqual([true, false]);
    expect(withoutLoggedRetries(parseScenario(structuredClone(once)))).toEqual(once);
  });

  it('has nothing unseen where everyone was served in the end', () => {
    const logged = log(10, 2, true);
    expect(unseenNotes(withoutLoggedRetries(logged), false)).toEqual([]);
    expect(() => unseenNotes(logged, false)).toThrow(/log\.csv: .*at most 20 %.*got 66\.7 %/);
  });

  it('is refused where a fifth was never served, unless that is allowed, and says how much', () => {
    const once = withoutLoggedRetries(log(10, 1, false));
    expect(() => unseenNotes(once, false)).toThrow(/got 100\.0 %/);
    expect(unseenNotes(once, true)).toEqual([
      'log.csv: the demand of 10 of 10 requests (100.0 %) was never observed and is drawn',
    ]);
  });
});

describe('what a gate before a log refused', () => {
  it('asks for what the others of the log asked for', () => {
    const logged = withLoggedServices(log(12, 1, true));
    const { service } = logged.classes['task'] ?? {};
    expect(service).toEqual({ empirical: Array.from({ length: 12 }, (_, i) => 2 + i / 10) });
    expect(loggedArrivals(logged)).toBe(24);
    const services = buildSchedule(logged).arrivals.map(({ demand }) => demand.serviceUs / 1e6);
    for (const serviceS of services) expect(serviceS).toBeGreaterThanOrEqual(2);
  });

  it('is left to the scenario where the log shows too little, or nothing was refused', () => {
    const few = log(5, 1, true);
    expect(withLoggedServices(few)).toBe(few);
    const calm = log(20, 0, true);
    expect(withLoggedServices(calm)).toBe(calm);
    expect(loggedArrivals(calm)).toBe(null);
  });
});
