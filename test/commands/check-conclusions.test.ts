import { expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { checkConclusions } from '../../src/commands/check-conclusions.ts';
import { withLossSplit } from '../../src/commands/loss-split.ts';
import { withVerdicts } from '../../src/commands/run-facts.ts';
import { simulateResult } from '../../src/commands/simulate.ts';
import { asWritten } from '../../src/result/json.ts';
import type { Result } from '../../src/result/types.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const scenario = parseScenario({
  ...{ durationS: 60, sloS: 6, arrivals: { process: 'poisson', ratePerS: 2 } },
  gate: { slots: 2, maxWaitS: 2 },
  model: { service: { exponential: 1.5 } },
});
const schedule = buildSchedule(scenario);
const run = asWritten(withVerdicts(await withLossSplit(simulateResult(scenario)), schedule));

/** What is found in the run with a change. */
async function found(change: Partial<Result> = {}, of: Result = run) {
  const { violations, ...rest } = await checkConclusions({ ...of, ...change }, schedule);
  return { ...rest, evidence: violations.map(({ evidence }) => evidence) };
}

const noted = (notes: readonly string[], of = run) => ({
  environment: { ...of.environment, notes },
});

it('loss split and verdicts of a run as it was written are those that its figures give', async () => {
  expect(run.lossSplit).not.toBeNull();
  expect(run.verdicts).not.toEqual([]);
  expect(await found()).toEqual({ checked: ['lossSplit', 'verdicts'], notes: [], evidence: [] });
});

it('a verdict that was edited is named with both of its texts', async () => {
  const [first, ...others] = run.verdicts;
  const verdicts = [{ ...first!, headline: 'BUY NOTHING.' }, ...others];
  const { evidence } = await found({ verdicts });
  const own = (first?.headline ?? '').slice(0, 60);
  expect(evidence).toEqual([
    `result.json says verdicts.0.headline "BUY NOTHING.", made again it is "${own}…"`,
  ]);
});

it('a verdict that was added is noticed', async () => {
  const { evidence } = await found({ verdicts: [...run.verdicts, run.verdicts[0]!] });
  expect(evidence).toEqual([
    expect.stringMatching(/says verdicts\.1 .*, made again it is nothing$/),
  ]);
});

it('a loss split that was edited is named, and nothing that rests on it', async () => {
  const { checked, evidence } = await found({ lossSplit: { ...run.lossSplit!, capacity: 0.77 } });
  expect(evidence).toEqual([
    expect.stringMatching(/^result\.json says lossSplit\.capacity 0\.77, made again it is /),
  ]);
  expect(checked).not.toContain('verdicts');
});

it('a note that nothing gives, and one that is lost, are noticed', async () => {
  const { evidence } = await found(noted(['everything was fine']));
  expect(evidence).toEqual(['result.json has a note that nothing gives: "everything was fine"']);
  const preempted = parseScenario({
    ...scenario,
    model: { ...scenario.model, preempts: { type: 'rate', perS: 0.01 } },
  });
  const own = buildSchedule(preempted);
  const warned = asWritten(withVerdicts(simulateResult(preempted), own));
  const [note, ...rest] = warned.environment.notes;
  expect((await found(noted(rest, warned), warned)).evidence).toEqual([
    `result.json lacks the note ${JSON.stringify(note)}`,
  ]);
});

it('what a run at an endpoint alone can know is not doubted', async () => {
  const environment = {
    ...run.environment,
    endpoint: 'http://127.0.0.1:1',
    notes: ['it was slow'],
  };
  expect((await found({ environment })).evidence).toEqual([]);
});

it('a run without loss split or verdicts, as a drill or a sweep writes it, claims nothing', async () => {
  const { checked, evidence } = await found({ lossSplit: null, verdicts: [] });
  expect(evidence).toEqual([]);
  expect(checked).toEqual([]);
});

it('of another loadline nothing is compared, and it says so', async () => {
  const environment = { ...run.environment, loadline: '0.0.1' };
  const { checked, notes, evidence } = await found({ environment, verdicts: [] });
  expect([checked, evidence]).toEqual([[], []]);
  expect(notes).toEqual([
    expect.stringMatching(/^lossSplit and verdicts not made again: made by loadline 0\.0\.1, this/),
  ]);
});

it('verdicts on a run of very many arrivals are left, and it says so', async () => {
  const count = 1_000_000;
  const { notes } = await found({ lossSplit: null, schedule: { ...run.schedule, count } });
  expect(notes).toEqual([
    'verdicts not made again: 1000000 arrivals are too many to simulate again',
  ]);
});
