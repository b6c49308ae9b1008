import { expect, it } from 'vitest';
import { codeOfError, codeOfStatus, gateFailure, isKill } from '../../src/ledger/failure.ts';

it("knows its own gate's words, and no word that only every object has", () => {
  expect(gateFailure('upstream_down')).toBe('connect');
  expect(gateFailure('timeout')).toBe('timeout');
  expect(gateFailure('constructor')).toBeUndefined();
  expect(gateFailure('')).toBeUndefined();
});

it('tells a kill of the gate from any other end', () => {
  expect(['max_hold', 'no_progress', 'operator', 'timeout'].map(isKill)).toEqual([
    ...[true, true, true, false],
  ]);
});

it('takes for overload what says so, by its status or by its words', () => {
  expect(codeOfStatus(429, '')).toBe('overload');
  expect(codeOfStatus(500, 'server busy, please try again')).toBe('overload');
  expect(codeOfStatus(500, 'internal')).toBe('status');
  expect(codeOfError({ code: '429', message: '' })).toBe('overload');
  expect(codeOfError({ code: 'preempted', message: '' })).toBe('preempted');
  expect(codeOfError({ code: 'x', message: 'y' })).toBe('in_stream');
});
