import { expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { withVerdicts } from '../../src/commands/run-facts.ts';
import { simulateResult } from '../../src/commands/simulate.ts';
import { renderPage } from '../../src/report/page.ts';
import { freeCapacityWarnings } from '../../src/scenario/free-capacity.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { resolveScenario } from '../../src/scenario/resolve.ts';

async function shipped(name: string, ...sets: string[]) {
  return resolveScenario({ input: (await loadScenario(name)).input, env: {}, flags: {}, sets });
}

const named = (warnings: readonly string[]) =>
  warnings.map((text) => /^free capacity, ([a-z-]+): /.exec(text)?.[1]);

it('warns by name of the cases that a scenario shows before it is run', async () => {
  const night = await shipped('preempt-night');
  expect(freeCapacityWarnings(night)).toEqual([]);
  const bad = ['sloS=59', 'model.checkpointTokens=0', 'classes.batch.inTokens=2400'];
  const all = await shipped('preempt-night', ...bad);
  expect(named(freeCapacityWarnings(all))).toEqual([
    'sub-minute-slo',
    'prompt-dwarfs-output',
    'no-checkpoint',
  ]);
  expect(named(freeCapacityWarnings(await shipped('preempt-night', 'model.resume=false')))).toEqual(
    ['no-checkpoint'],
  );
});

it('says nothing where nothing is preempted', async () => {
  const reserved = ['sloS=5', 'model.preempts={"type":"none"}', 'model.checkpointTokens=0'];
  expect(freeCapacityWarnings(await shipped('preempt-night', ...reserved))).toEqual([]);
});

async function verdicts(...sets: string[]) {
  const scenario = await shipped('preempt-night', ...sets);
  return withVerdicts(simulateResult(scenario), buildSchedule(scenario)).verdicts;
}

it('advises to leave after two preempts that cost tasks their SLO', async () => {
  const [first] = await verdicts();
  expect(first).toMatchObject({
    action: 'leave-free-capacity',
    signal: 'preempts',
    threshold: 2,
  });
  expect(first?.evidence).toMatch(/preempts, 0\.\d+ a task \| \d+.* of the tokens made again/);
});

it('advises to leave once queue age has eaten half a deadline, were it for one preempt', async () => {
  const slow = ['arrivals.ratePerS=.2', 'durationS=500', 'gate.queueAgeFraction=null'];
  const [first] = await verdicts(...slow, 'sloS=1e6', 'model.preempts.perS=.001');
  expect(first).toMatchObject({ action: 'leave-free-capacity', signal: 'queue_age_seconds' });
});

it('keeps quiet where preempts cost nobody anything', async () => {
  const calm = await verdicts('model.preempts.perS=.0005');
  expect(calm.map(({ action }) => action)).not.toContain('leave-free-capacity');
});

it('stands on the page, warnings too', async () => {
  const scenario = await shipped('preempt-night', 'model.resume=false', 'durationS=600');
  const result = withVerdicts(simulateResult(scenario), buildSchedule(scenario));
  const page = await renderPage([result]);
  expect(page).toContain('LEAVE FREE CAPACITY.');
  expect(page).toContain('no-checkpoint');
});
