import { describe, expect, it } from 'vitest';
import { compareResults } from '../../src/result/compare.ts';
import { createFold } from '../../src/result/fold.ts';
import { stableJson } from '../../src/result/json.ts';
import { replicate } from '../../src/result/replicate.ts';
import { resultTable } from '../../src/result/table.ts';
import { checkThresholdPaths } from '../../src/result/threshold-paths.ts';
import { crossedThresholds } from '../../src/result/thresholds.ts';
import { CONTEXT, requestOf, scenarioOf } from './rows-of-a-run.ts';

const S = 1_000_000;

function runOf(late: number, thresholds: Record<string, string> = {}) {
  const fold = createFold(scenarioOf({ thresholds }), { detail: 'full' });
  for (let seq = 0; seq < 10; seq++)
    fold.request(requestOf({ seq, endUs: (seq < late ? 3 : 1) * S }));
  const refused = { outcome: 'rejected', code: 'queue_age', waitUs: null } as const;
  fold.request(requestOf({ seq: 10, ...refused }));
  return fold.finish(CONTEXT);
}

describe('thresholds', () => {
  it('are crossed with path, condition and value', () => {
    const result = runOf(2, {
      'rates.breach': '<0.05',
      'responseS.p50': '<= 1',
      'outcomes.failed': '==0',
    });
    expect(crossedThresholds(result).map(({ text }) => text)).toEqual([
      'rates.breach: expected <0.05, got 0.2',
    ]);
  });

  it('judge replications by their mean and what was not measured as not met', () => {
    const limits = { 'rates.breach': '<0.15', 'ttftS.p99': '<1', 'rejectedBy.max_wait': '<1' };
    const replicated = replicate([runOf(0, limits), runOf(2, limits)]);
    expect(crossedThresholds(replicated).map(({ text }) => text)).toEqual([
      'ttftS.p99: expected <1, got no data',
    ]);
  });

  it('are refused before a run where they name no figure of it', () => {
    const check = (path: string) => () =>
      checkThresholdPaths(scenarioOf({ thresholds: { [path]: '<1' } }));
    for (const path of [
      'rates.nope',
      'byClass.nobody.waitS.p95',
      'rates',
      'engine',
      'lossSplit',
      'environment.cpus',
    ]) {
      expect(check(path)).toThrow(`got '${path}'`);
    }
    const known = ['rates.breach', 'byClass.small.waitS.p95', 'failedBy.connect', 'queueAgeS.p99'];
    const sometimes = ['lossSplit.capacity', 'health.latenessMs.p99', 'ttftS.p95', 'preempts'];
    for (const path of [...known, ...sometimes]) expect(check(path)).not.toThrow();
  });

  it('on a figure that a run has not are not met', () => {
    const crossed = crossedThresholds(runOf(0, { 'lossSplit.capacity': '<1' }));
    expect(crossed.map(({ text }) => text)).toEqual([
      'lossSplit.capacity: expected <1, got no data',
    ]);
  });

  it('refuse a path and a condition that mean nothing', () => {
    expect(() => crossedThresholds(runOf(0, { 'rates.nope': '<1' }))).toThrow("got 'rates.nope'");
    expect(() => crossedThresholds(runOf(0, { 'rates.breach': 'low' }))).toThrow("got 'low'");
  });
});

describe('compareResults', () => {
  it('compares what preempts cost like any other figure', () => {
    const preempted = (preempts: number) => {
      const fold = createFold(scenarioOf(), { detail: 'full' });
      const each = {
        kind: 'preempt',
        atUs: 1,
        class: 'small',
        slackUs: null,
        queueAgeUs: 0,
      } as const;
      for (let i = 0; i < preempts; i++) {
        fold.preempt({ ...each, seq: 0, wastedTokens: 0, restartTokens: 15, replayed: true });
      }
      fold.request(requestOf({ preempts, restartTokens: 15 * preempts }));
      return fold.finish(CONTEXT);
    };
    const compared = new Map(
      compareResults([preempted(0), preempted(1)]).map((each) => [each.path, each]),
    );
    expect(compared.get('preemptsPerTask.mean')).toMatchObject({ values: [0, 1] });
    expect(compared.get('preemptsPerTask.max')).toMatchObject({ differences: [0, 1] });
    expect(compared.get('tokens.redoneShare')).toMatchObject({ values: [0, 0.5] });
    expect(resultTable(preempted(2))).toMatch(/preempts +2, 2\.00 a task, at most 2/);
    expect(resultTable(preempted(1))).toMatch(/redone +15 tokens, 50\.0 % of all worked/);
  });

  it('ends the interval of a share at none and all', () => {
    const replicated = replicate([runOf(0), runOf(0), runOf(1)]);
    const { breach } = replicated.rates;
    expect(breach).toMatchObject({ lo: expect.closeTo(-0.11, 2) });
    expect(resultTable(replicated)).toMatch(/SLO missed .* 3\.3 \[0\.0, 17\.7\] % of the served/);
  });

  it('sets figures side by side, with their difference from the first', () => {
    const [breach] = compareResults([runOf(0), runOf(3)]).filter(
      ({ path }) => path === 'rates.breach',
    );
    expect(breach).toMatchObject({
      values: [0, 0.3],
      differences: [0, 0.3],
      withinBand: [null, null],
    });
  });

  it('says whether a run lies in the band of the replications', () => {
    const predicted = replicate([runOf(1), runOf(2), runOf(3)]);
    const compared = compareResults([predicted, runOf(2), runOf(9)]);
    const breach = compared.find(({ path }) => path === 'rates.breach');
    expect(breach?.withinBand).toEqual([true, true, false]);
  });
});

describe('stableJson', () => {
  it('hides the order of a sum and is the same text each time', () => {
    expect(stableJson({ a: 0.1 + 0.2 }, 0)).toBe('{"a":0.3}\n');
    expect(stableJson(runOf(2))).toBe(stableJson(runOf(2)));
    expect(stableJson({ n: 9_007_199_254_740_991 }, 0)).toContain('9007199254740991');
  });

  it('throws on what JSON would write as null', () => {
    expect(() => stableJson({ a: Number.NaN })).toThrow('a: expected a finite number');
  });
});

describe('resultTable', () => {
  it('has the share and the number beyond beside each percentile, and columns that line up', () => {
    const table = resultTable(runOf(2));
    expect(table).toMatch(/response, from intended {2}10 {2}90\.9 % .* \(1\) {2}3\.00/);
    expect(table).toContain('queue_age');
    expect(table).toContain('20.0 % of the served');
    expect(table).not.toMatch(/NaN|undefined|null/);
    const [head, line] = table.split('\n').filter((text) => /seconds|from intended/.test(text));
    expect(head?.length).toBe(line?.length);
  });

  it('shows intervals over replications', () => {
    expect(resultTable(replicate([runOf(0), runOf(2)]))).toContain('2 replications');
  });
});

describe('the table for a terminal', () => {
  it('counts who was served in time, and says of what each time is', () => {
    const text = resultTable(runOf(2));
    expect(text).toMatch(/goodput +8 +72\.7 % of offered/);
    expect(text).toMatch(/^ {2}of the turned away, by queue_age +1$/m);
    expect(text).toMatch(/^response, from sending /m);
    expect(text).not.toContain('service,');
  });
});
