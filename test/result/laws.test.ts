import { expect, it } from 'vitest';
import { createFold } from '../../src/result/fold.ts';
import { checkResult } from '../../src/result/laws.ts';
import { replicate } from '../../src/result/replicate.ts';
import type { Result } from '../../src/result/types.ts';
import { CONTEXT, requestOf, scenarioOf } from './rows-of-a-run.ts';

function sound(): Result {
  const fold = createFold(scenarioOf(), { detail: 'full' });
  for (let seq = 0; seq < 9; seq++) fold.request(requestOf({ seq, endUs: seq * 1000 }));
  fold.request(requestOf({ seq: 9, outcome: 'expired', code: 'max_wait', waitUs: null }));
  return fold.finish(CONTEXT);
}

const broken = (changes: (result: Result) => Partial<Result>) =>
  checkResult({ ...sound(), ...changes(sound()) }).map(({ law }) => law);

it('finds nothing on a sound result, of one run or many', () => {
  expect(checkResult(sound())).toEqual([]);
  expect(checkResult(replicate([sound(), sound(), sound()]))).toEqual([]);
});

it('names law 1 where the buckets do not add up', () => {
  expect(broken(({ outcomes }) => ({ outcomes: { ...outcomes, offered: 11 } }))).toEqual([1]);
});

it('names law 7 where the codes do not add up to the turned away', () => {
  expect(broken(() => ({ rejectedBy: { max_wait: 2 } }))).toEqual([7]);
});

it('names law 8 where a refusal is among the latencies, or percentiles fall', () => {
  expect(broken(({ responseS }) => ({ responseS: { ...responseS, n: 10 } }))).toEqual([8]);
  expect(broken(({ waitS }) => ({ waitS: { ...waitS, p50: 9 } }))).toEqual([8]);
});

it('names law 9 where a simulation without a limit left something open', () => {
  const fold = createFold(scenarioOf(), { detail: 'full' });
  fold.request(requestOf({ outcome: 'censored' }));
  expect(checkResult(fold.finish(CONTEXT)).map(({ law }) => law)).toEqual([9]);
});
