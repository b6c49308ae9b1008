import { execFileSync } from 'node:child_process';
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
  expect(said.join('\n')).toContain('-X PUT "$GATEWAY/admin/policy"');
  expect(said.join('\n')).not.toMatch(/127\.0\.0\.1|localhost/);
  const page = await renderPage([{ ...result, verdicts, byQueueAge: [], timeline: [] }]);
  expect(page).toContain('GATEWAY=http://your-gateway:8080   # where your gateway is');
});

it('has only commands that do something when they are pasted, the host of the gateway first', () => {
  const { verdicts } = crowded({ maxWaitS: 19 });
  const [first] = verdicts;
  expect(first?.first).toMatch(/^add capacity for \d+ at a time \(the least of the counts tried/);
  expect(first?.commands[0]).toMatch(/^GATEWAY=/);
  const lines = verdicts.flatMap(({ commands, undo }) => [...commands, undo]).join('\n');
  // What a shell sees: it must parse, call curl for each request and keep the host in one word.
  const seen = execFileSync('sh', ['-c', `curl() { echo "curl $#: $*"; }\n${lines}`]).toString();
  const calls = seen.trim().split('\n');
  const requests = lines.split('\n').filter((line) => !line.startsWith('GATEWAY='));
  expect(calls).toHaveLength(requests.length);
  for (const call of calls)
    expect(call).toMatch(/^curl \d: -sf .*http:\/\/your-gateway:8080\/admin/);
});

it('has an undo that can be pasted alone, on another day', () => {
  const { verdicts } = crowded({ maxWaitS: 19 });
  expect(verdicts[0]?.undo).toMatch(/^GATEWAY=.*\ncurl .*"\$GATEWAY\/admin\/policy"/);
});

it('doubts slots that the mean of other arrivals calls for and this run does not', () => {
  const { result } = crowded({ maxWaitS: 19 });
  const rates = { ...result.rates, goodput: 0.95, rejection: 0.05 };
  const [first] = crowded({ maxWaitS: 19 }, { rates }).verdicts;
  expect(first?.headline).toMatch(/ADD SLOTS: 2 -> \d+\. BUT FIRST PLAY MORE RUNS\./);
  expect(first?.evidence).toMatch(
    /this run and the mean differ by \d+ points: the slots are for other/,
  );
  expect(crowded({ maxWaitS: 19 }).verdicts[0]?.headline).not.toContain('MORE RUNS');
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

it('knows of how many seeds the run is', () => {
  const [first] = crowded({ maxWaitS: 19 }, { replications: 20 }).verdicts;
  expect(first?.evidence).toMatch(/of 10 seeds \(this run has 20, these among them\)/);
});
