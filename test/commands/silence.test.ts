import { expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { silenceLimits } from '../../src/commands/silence.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { resolveScenario } from '../../src/scenario/resolve.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import { sFromUs } from '../../src/units.ts';

const STUB = { timeScale: 1, isStub: true } as const;

/** Services of 10 s and an SLO of 30 s, unless said otherwise. */
function limitsOf(changes: Record<string, unknown> = {}, at: Partial<typeof STUB | object> = {}) {
  const scenario = parseScenario({
    ...{ name: 'still', durationS: 60, sloS: 30, arrivals: { ratePerS: 0.5 } },
    ...{ gate: { slots: 4 }, model: { service: { fixed: 10 } } },
    ...changes,
  });
  return silenceLimits(scenario, buildSchedule(scenario), { ...STUB, ...at });
}

const batch = (deadlineS: number) => ({ batch: { kind: 'batch', deadlineS } });

it('waits three times what is promised: the SLO, or the deadline where that is longer', () => {
  expect(limitsOf()).toEqual({ firstByteS: 90, idleS: 90 });
  expect(limitsOf({ classes: batch(200) })).toEqual({ firstByteS: 600, idleS: 600 });
});

it('never ends a request that is slow and healthy: the longest that may be needed counts', () => {
  expect(limitsOf({ model: { service: { fixed: 500 } } }).firstByteS).toBe(1500);
  // Four in the gate behind one slot of the upstream.
  const behind = { service: { fixed: 50 }, slots: 1 };
  expect(limitsOf({ model: behind }).firstByteS).toBe(600);
  const slowed = { service: { fixed: 50 }, slowdown: { perRequest: 0.5, from: 0 } };
  expect(limitsOf({ model: slowed }).firstByteS).toBe(450);
  const away = { type: 'spot', atS: [5], noticeS: 10, backS: 90 };
  expect(limitsOf({ model: { service: { fixed: 10 }, preempts: away } }).firstByteS).toBe(330);
});

it('lets a session that is held be silent for as long as it is held', () => {
  const classes = { debug: { kind: 'interactive', hold: { fixed: 600 } } };
  expect(limitsOf({ classes })).toEqual({ firstByteS: 90, idleS: 1830 });
});

it('is in wall time, at least five seconds at a stub and ten minutes at an endpoint', () => {
  expect(limitsOf({}, { timeScale: 0.1 }).firstByteS).toBeCloseTo(9, 9);
  expect(limitsOf({}, { timeScale: 0.001 }).firstByteS).toBe(5);
  expect(limitsOf({}, { isStub: false }).firstByteS).toBe(600);
});

it('leaves room for the longest draw of every shipped scenario', async () => {
  for (const name of ['preempt-night', 'memory-pressure', 'rush', 'lease-hold', 'lease-night']) {
    const { input } = await loadScenario(name);
    const scenario = resolveScenario({ input, env: {}, flags: {}, sets: [] });
    const schedule = buildSchedule(scenario);
    const longest = Math.max(...schedule.arrivals.map(({ demand }) => demand.serviceUs));
    const { firstByteS, idleS } = silenceLimits(scenario, schedule, STUB);
    expect(firstByteS).toBeGreaterThanOrEqual(3 * sFromUs(longest));
    expect(idleS).toBeGreaterThanOrEqual(firstByteS);
  }
});
