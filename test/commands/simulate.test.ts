import { expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { judge } from '../../src/commands/output.ts';
import { withVerdicts } from '../../src/commands/run-facts.ts';
import { simulateResult } from '../../src/commands/simulate.ts';
import { checkResult } from '../../src/result/laws.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

/** The first task is preempted a thousand times before the next arrives. */
const endless = parseScenario({
  ...{ durationS: 60, drainS: 60, arrivals: { process: 'at', atS: [0, 10, 20, 30] } },
  classes: { a: { replay: true } },
  gate: { slots: 2, maxPreempts: null, taskBudgetTokens: null, queueAgeFraction: null },
  model: { service: { fixed: 600 }, preempts: { type: 'rate', perS: 1e6 } },
});

it('a simulation that is cut off counts everybody and is not usable', () => {
  const result = withVerdicts(simulateResult(endless), buildSchedule(endless));
  expect(result.outcomes).toMatchObject({ offered: 4, unsent: 3, censored: 1 });
  expect(checkResult(result)).toEqual([]);
  expect(result.health.status).toBe('interrupted');
  expect(result.health.achievedRate).toBeCloseTo(1 / 60);
  expect(result.verdicts[0]).toMatchObject({ action: 'untrusted' });
  expect(result.verdicts[0]?.evidence).toMatch(/cut off after .* of 60 s: preempts took slots/);
  expect(() => judge(result)).toThrow(/the run is interrupted.*preempts/);
});

it('replications among which some were cut off are not usable either', () => {
  const result = simulateResult(endless, { replications: 3 });
  expect(result.health.status).toBe('interrupted');
  expect(result.health.notes[0]).toBe('3 of 3 replications were cut off');
});

it('a simulation whose callers try for ever says so, not preempts', () => {
  const drained = parseScenario({
    ...{ durationS: 20, arrivals: { process: 'at', atS: [0, 19] } },
    classes: { a: { retry: { max: 1e6, budget: null, baseS: 0.001, capS: 0.001 } } },
    gate: { mode: 'drain', retryAfterS: 0 },
  });
  const { health, outcomes } = simulateResult(drained);
  expect(outcomes).toMatchObject({ offered: 2, unsent: 1 });
  expect(health.notes.join()).toContain('requests were tried again without end');
});
