/** Runbook 001's five names as axes of a sweep, each with the effect that it must have. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createEvaluator } from '../../src/commands/evaluate.ts';
import { splitSets } from '../../src/commands/sweep.ts';
import { cadencesOf, cadenceText } from '../../src/report/cadence.ts';
import { renderSweepPage } from '../../src/report/sweep-page.ts';
import { numberOf } from '../../src/result/figure.ts';
import type { FigureParts } from '../../src/result/figures.ts';
import type { Figure } from '../../src/result/types.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { resolveScenario } from '../../src/scenario/resolve.ts';
import { sweep } from '../../src/tune/sweep.ts';
import { sweepTable } from '../../src/tune/sweep-table.ts';
import type { SweepDocument } from '../../src/tune/types.ts';

const { evaluate } = createEvaluator(1);
/** So that one rule is seen at work, the others are off. */
const NO_RULES = [
  'gate.maxPreempts=null',
  'gate.taskBudgetTokens=null',
  'gate.queueAgeFraction=null',
];

/** A sweep of `preempt-night` as the command line asks for it. */
async function swept(...sets: string[]): Promise<SweepDocument> {
  const { input } = await loadScenario('preempt-night');
  const { axes, fixed } = splitSets(sets);
  const scenario = resolveScenario({ input, env: {}, flags: {}, sets: fixed });
  const origin = { engine: 'sim', target: 'none', simulated: true } as const;
  return sweep({ scenario, digest: 'a', axes, replications: 6, evaluate, origin });
}

function along({ settings }: SweepDocument, of: (figures: FigureParts) => Figure | undefined) {
  return settings.map(({ figures }) => numberOf(of(figures) ?? 0) ?? 0);
}

/** From the first value to the last, each step the same way and none of them nothing. */
function direction(values: readonly number[]): 'rises' | 'falls' | 'neither' {
  const steps = values.slice(1).map((value, i) => value - (values[i] ?? 0));
  if (steps.every((by) => by > 0)) return 'rises';
  return steps.every((by) => by < 0) ? 'falls' : 'neither';
}

describe('a sweep over the names of runbook 001', () => {
  it('restarts more and fails fewer by tokens as RESTART_FRAC grows', async () => {
    const rules = ['gate.maxPreempts=null', 'gate.queueAgeFraction=null'];
    const document = await swept('gate.restartFraction=.07,.15,.3,.6', ...rules);
    expect(direction(along(document, (f) => f.failedBy['restart_tokens']))).toBe('falls');
    expect(direction(along(document, (f) => f.tokens.redone))).toBe('rises');
    expect(direction(along(document, (f) => f.rates.goodput))).toBe('rises');
  });

  it('bounds the preempts of a task by MAX_PREEMPTS', async () => {
    const rules = ['gate.taskBudgetTokens=null', 'gate.queueAgeFraction=null'];
    const document = await swept('gate.maxPreempts=1,2,3', ...rules);
    for (const [i, { figures }] of document.settings.entries()) {
      expect(figures.preemptsPerTask.max).toMatchObject({ mean: i + 1, band: [i + 1, i + 1] });
    }
    expect(direction(along(document, (f) => f.failedBy['preempt_budget']))).toBe('falls');
    expect(direction(along(document, (f) => f.preemptsPerTask.mean))).toBe('rises');
  });

  it('gives up fewer by age as QUEUE_AGE_FRAC grows', async () => {
    const rules = ['gate.maxPreempts=null', 'gate.taskBudgetTokens=null', 'arrivals.ratePerS=.12'];
    const document = await swept('gate.queueAgeFraction=.1,.3,.6', ...rules);
    expect(direction(along(document, (f) => f.failedBy['task_age']))).toBe('falls');
    expect(direction(along(document, (f) => f.rejectedBy['task_age']))).toBe('falls');
  });

  it('redoes more on each preempt as checkpoints grow rare', async () => {
    const document = await swept('model.checkpointTokens=25,100,300', ...NO_RULES);
    const each = along(
      document,
      (f) => (numberOf(f.tokens.redone) ?? 0) / (numberOf(f.preempts) ?? 1),
    );
    expect(direction(each)).toBe('rises');
    // The prompt of 60 is made again each time, and half a gap in the mean.
    expect(each[1]).toBeGreaterThan(60);
    expect(each[1]).toBeLessThan(60 + 100);
  });

  it('serves less and redoes more as the preempt rate grows', async () => {
    const rates = 'model.preempts.perS=.005,.02,.05';
    const document = await swept(rates, 'sloS=60', ...NO_RULES);
    expect(direction(along(document, (f) => f.rates.goodput))).toBe('falls');
    expect(direction(along(document, (f) => f.preemptsPerTask.mean))).toBe('rises');
    expect(direction(along(document, (f) => f.tokens.redoneShare))).toBe('rises');
    expect(sweepTable(document)).toMatch(/model\.preempts\.perS .*preempts a task +redone/);
  });
});

describe('a sweep of cadence against preempt rate', () => {
  let document: SweepDocument;

  beforeAll(async () => {
    const rates = 'model.preempts.perS=.02,.05';
    // Not in order: a gap of 0 writes no checkpoint, which is the longest gap of all.
    document = await swept('model.checkpointTokens=0,10,100,50,300', rates, ...NO_RULES);
  });

  it('names the best gap at each rate and how far it may be missed', () => {
    const cadences = cadencesOf(document);
    expect(cadences.map(({ ticks }) => ticks)).toEqual([
      ['10', '50', '100', '300', 'none'],
      ['10', '50', '100', '300', 'none'],
    ]);
    for (const { settings, best, flat } of cadences) {
      const goodput = settings.map(({ figures }) => numberOf(figures.rates.goodput) ?? 0);
      const top = goodput[best] ?? 0;
      expect(top).toBe(Math.max(...goodput));
      const isFlat = goodput.map((value) => top - value <= 0.01);
      expect([isFlat.indexOf(true), isFlat.lastIndexOf(true)]).toEqual([...flat]);
      expect(best).toBeGreaterThan(0);
      expect(best).toBeLessThan(3);
    }
    expect(cadenceText(cadences[0] as never)).toMatch(
      /^model\.preempts\.perS\s0\.02[^:]*: best checkpoint gap (50|100) tokens, goodput \d+\.\d.%; .* within 1 % of offered$/,
    );
  });

  it('draws waste against the gap, with the best and the flat region marked', async () => {
    const page = await renderSweepPage(document);
    expect(page).toContain('Waste against cadence');
    expect(page).toContain('made for nothing, of all tokens worked');
    expect(page).toContain('equal within 1 % of offered');
    expect(page).toMatch(/>best (50|100)</);
    expect(page.match(/checkpoint gap \(tokens\)<\/text>/g)).toHaveLength(2);
  });

  it('draws none where the gap is not swept, or nothing is preempted', async () => {
    expect(cadencesOf(await swept('model.preempts.perS=.01,.02'))).toEqual([]);
    const calm = ['model.checkpointTokens=50,100', 'model.preempts={"type":"none"}'];
    expect(cadencesOf(await swept(...calm))).toEqual([]);
  });
});

describe('the axes among --set', () => {
  it('are those with several values; a range of one value sets it', () => {
    expect(splitSets(['gate.maxWaitS=5..5', 'gate.ageRejectS=1,2', 'gate.slots=3'])).toEqual({
      axes: [{ path: 'gate.ageRejectS', values: [1, 2] }],
      fixed: ['gate.maxWaitS=5', 'gate.slots=3'],
    });
  });
});
