import { expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { runVerdicts } from '../../src/commands/run-facts.ts';
import { renderPage } from '../../src/report/page.ts';
import type { Result } from '../../src/result/types.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import { simulated } from '../support/simulated.ts';

/** A run with four times the work that its slots can do, with any change. */
function crowded(gate: object, change: Partial<Result> = {}) {
  const scenario = parseScenario({
    ...{ durationS: 60, sloS: 20, arrivals: { process: 'poisson', ratePerS: 4 } },
    model: { service: { exponential: 2 } },
    gate: { slots: 2, ...gate },
  });
  const result = { ...simulated(scenario), ...change };
  return { result, verdicts: runVerdicts(result, buildSchedule(scenario)) };
}

it('says commands for the gateway of the reader, never for that of a run that has ended', async () => {
  const { result, verdicts } = crowded({ maxWaitS: 19 });
  const said = verdicts.flatMap(({ commands, undo }) => [...commands, undo]);
  expect(said.join('\n')).toContain('http://<your-gateway>:8080/admin/policy');
  expect(said.join('\n')).not.toMatch(/127\.0\.0\.1|localhost/);
  const page = await renderPage([{ ...result, verdicts, byQueueAge: [], timeline: [] }]);
  expect(page).toContain('the host of the gateway that you run');
});

it.each([
  ['no room to wait', { queueCapacity: 0 }],
  ['a limit on the wait', { maxWaitS: 1 }],
  ['an age rule', { ageRejectS: 1 }],
])('never says to change nothing where most are turned away by %s', (_name, gate) => {
  const [first] = crowded(gate).verdicts;
  expect(first?.action).not.toBe('no-action');
  expect(first?.headline).toContain('ADD SLOTS: 2 -> ');
});

it('names the failure where most fail and slots are free', () => {
  const { result } = crowded({ slots: 64 });
  const n = Number(result.outcomes.offered);
  const failing = crowded(
    { slots: 64 },
    {
      outcomes: { ...result.outcomes, completed: 0, failed: n },
      rates: { ...result.rates, goodput: 0, breach: 1 },
      failedBy: { connect: n },
    },
  );
  expect(failing.verdicts.map(({ headline }) => headline)).toEqual([
    'FIND WHY 100 % OF OFFERED FAILED BY connect. [simulated]',
  ]);
});
