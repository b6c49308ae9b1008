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
  expect(freeCapacityWarnings(await shipped('memory-pressure', 'sloS=5'))).toEqual([]);
});

async function verdicts(...sets: string[]) {
  const scenario = await shipped('preempt-night', ...sets);
  return withVerdicts(simulateResult(scenario), buildSchedule(scenario)).verdicts;
}

it('loosens restart rules that give up more than the preempts cost, and that serves more (A3)', async () => {
  const [first] = await verdicts();
  expect(first).toMatchObject({ action: 'set-threshold', signal: 'preempts', threshold: 2 });
  expect(first?.evidence).toMatch(/preempts, 0\.\d+ a task \| \d+.* of the tokens made again/);
  const [, body] = /-d '(.*)'$/.exec(first?.commands.at(-1) ?? '') ?? [];
  const sets = Object.entries(JSON.parse(body ?? '')).map(
    ([name, value]) => `gate.${name}=${value}`,
  );
  const goodput = Number(simulateResult(await shipped('preempt-night', ...sets)).rates.goodput);
  expect(goodput).toBeGreaterThan(0.95);
  expect(first?.undo).toContain('{"maxPreempts":2,"restartFraction":0.2}');
});

it('never commands what refuses everybody, and names its price where it names it', async () => {
  for (const sets of [[], ['model.preempts.perS=.2'], ['arrivals.ratePerS=.3'], ['sloS=40']]) {
    for (const { commands, expect: said } of await verdicts(...sets)) {
      expect(commands.join()).not.toContain('reject_preempt_budget');
      expect(said.includes('reject_preempt_budget')).toBe(
        said.includes('goodput is 0 % until then'),
      );
    }
  }
});

it('names a gap between checkpoints where that serves more, and slots that stay where those do', async () => {
  const [often] = await verdicts('model.preempts.perS=.2');
  expect(often?.headline).toMatch(/CHECKPOINT EVERY \d+ TOKENS\./);
  const [lost] = await verdicts('model.resume=false');
  expect(lost?.headline).toMatch(/THEN MOVE THE WORK TO SLOTS THAT NOBODY TAKES BACK\./);
});

it('advises to leave where looser rules serve no more', async () => {
  const off = ['gate.maxPreempts=null', 'gate.taskBudgetTokens=null', 'gate.queueAgeFraction=null'];
  const [first] = await verdicts(...off, 'model.resume=false', 'sloS=60');
  expect(first).toMatchObject({ action: 'leave-free-capacity', commands: [] });
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

it('says nothing of slots where restarts, not the queue, lose the work', async () => {
  expect((await verdicts()).map(({ action }) => action)).toEqual(['set-threshold']);
});

it('says both where the queue loses it', async () => {
  const crowded = ['arrivals.ratePerS=.3', 'gate.queueAgeFraction=null', 'durationS=600'];
  const all = await verdicts(...crowded);
  expect(all[0]?.signal).toMatch(/preempts|queue_age_seconds/);
  expect(all.length).toBeGreaterThan(1);
});

it('lowers the cap where memory runs out, and the cap that it names serves more (E4)', async () => {
  const scenario = await shipped('memory-pressure');
  const result = withVerdicts(simulateResult(scenario), buildSchedule(scenario));
  const [first] = result.verdicts;
  const [, from, to] = /LOWER THE CAP: slots (\d+) -> (\d+)\./.exec(first?.headline ?? '') ?? [];
  expect(Number(from)).toBe(24);
  expect(result.verdicts.map(({ action }) => action)).not.toContain('leave-free-capacity');
  const lowered = simulateResult(await shipped('memory-pressure', `gate.slots=${to}`));
  expect(lowered.rates.goodput).toBeGreaterThan(Number(result.rates.goodput) + 0.3);
  expect(lowered.tokens.redoneShare).toBeLessThan(Number(result.tokens.redoneShare) / 10);
  const page = await renderPage([result]);
  for (const text of ['LOWER THE CAP', 'tokens redone by restarts', 'preempts per task, mean']) {
    expect(page).toContain(text);
  }
});

it('says nothing of the cap where memory suffices', async () => {
  const roomy = await shipped('memory-pressure', 'model.preempts.blocks=2000');
  const { headline } = withVerdicts(simulateResult(roomy), buildSchedule(roomy)).verdicts[0] ?? {};
  expect(headline).not.toContain('LOWER THE CAP');
});

it('stands on the page, warnings too', async () => {
  const scenario = await shipped('preempt-night', 'model.resume=false', 'durationS=600');
  const result = withVerdicts(simulateResult(scenario), buildSchedule(scenario));
  const page = await renderPage([result]);
  expect(page).toContain('THEN MOVE THE WORK TO SLOTS THAT NOBODY TAKES BACK.');
  expect(page).not.toContain('upstream failures');
  expect(page).toContain('no-checkpoint');
});
