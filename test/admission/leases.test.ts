import { expect, test } from 'vitest';
import type { Admission } from '../../src/admission/types.ts';
import { arrive, briefs, configure, gate, release, s, tick } from './fixtures.ts';

function preempt(g: Admission, atUs: number, id: number, output = 40, checkpoint = 0) {
  return g.apply(
    {
      type: 'preempted',
      id,
      promptTokens: 800,
      outputTokens: output,
      checkpointTokens: checkpoint,
    },
    atUs,
  );
}

test('a lease ends at its longest hold and frees the next waiter, at the time it was due', () => {
  const g = gate({ maxHoldUs: s(60) });
  arrive(g, 0, 1, 'i');
  arrive(g, s(1), 2);
  expect(g.apply({ type: 'tick' }, s(90))).toMatchObject([
    { type: 'killed', id: 1, code: 'max_hold', atUs: s(60), heldUs: s(60) },
    { type: 'granted', id: 2, atUs: s(60), waitUs: s(59) },
  ]);
});

test('a release that meets the kill of its own lease in the same call is not a second release', () => {
  const g = gate({ maxHoldUs: s(60) });
  arrive(g, 0, 1);
  expect(release(g, s(61), 1)).toEqual(['killed 1 max_hold']);
  expect(() => release(g, s(61), 1)).toThrow();
});

test('a release at the instant of the longest hold is a completion', () => {
  const g = gate({ maxHoldUs: s(60) });
  arrive(g, 0, 1);
  expect(release(g, s(60), 1)).toEqual([]);
  expect(tick(g, s(61))).toEqual([]);
});

test('an operator kills a lease, and nothing that waits or has gone', () => {
  const g = gate();
  arrive(g, 0, 1);
  arrive(g, 0, 2);
  expect(briefs(g.apply({ type: 'kill', id: 2 }, 1))).toEqual([]);
  expect(briefs(g.apply({ type: 'kill', id: 1 }, 1))).toEqual(['killed 1 operator', 'granted 2']);
  expect(briefs(g.apply({ type: 'kill', id: 1 }, 1))).toEqual([]);
});

test('growing tokens are killed once batch has waited a window without a completion', () => {
  const g = gate({ slots: 2, killWindowUs: s(30) });
  const grow = (atUs: number, id: number, tokens: number) =>
    briefs(g.apply({ type: 'progress', id, tokens }, atUs));
  arrive(g, 0, 1, 'i');
  arrive(g, 0, 2, 'i');
  expect(grow(s(50), 1, 10)).toEqual([]);
  arrive(g, s(60), 3, 'b');
  arrive(g, s(60), 4, 'b');
  expect(grow(s(89), 1, 20)).toEqual([]);
  expect(grow(s(90), 1, 20)).toEqual([]);
  expect(grow(s(90), 1, 21)).toEqual(['killed 1 no_progress', 'granted 3']);
  expect(grow(s(91), 2, 5)).toEqual([]);
  expect(release(g, s(100), 3)).toEqual(['granted 4']);
  expect(g.leases()).toMatchObject([
    { id: 2, kind: 'interactive', sinceUs: 0, tokens: 5 },
    { id: 4 },
  ]);
});

test('runbook 001: 800 prompt and 40 output tokens beat a fifth of 1000 and fail the task', () => {
  const g = gate({ taskBudgetTokens: 1000, maxPreempts: 2 });
  arrive(g, 0, 1);
  arrive(g, 0, 2);
  expect(preempt(g, s(1), 1)).toMatchObject([
    { type: 'failed', code: 'restart_tokens', restartTokens: 840, preempts: 1 },
    { type: 'granted', id: 2 },
  ]);
});

test('a replay keeps its lease, passes no door rule, and adds up what it burns', () => {
  const g = gate({ taskBudgetTokens: 10_000, maxPreempts: 3, ageRejectUs: 0, queueCapacity: 1 });
  arrive(g, 0, 1);
  arrive(g, 0, 2);
  expect(preempt(g, s(1), 1, 140, 100)).toMatchObject([
    { type: 'replay', preempts: 1, restartTokens: 840, resumeTokens: 100 },
  ]);
  expect(preempt(g, s(2), 1, 240, 200)).toMatchObject([{ type: 'replay', restartTokens: 1680 }]);
  expect(briefs(preempt(g, s(3), 1))).toEqual(['failed 1 preempt_budget', 'granted 2']);
});

test('at a restart slack comes before age, age before preempts, preempts before tokens', () => {
  const at = (atUs: number) => {
    const g = gate({ queueAgeFraction: 0.5, maxPreempts: 1, taskBudgetTokens: 1 });
    arrive(g, 0, 1);
    return briefs(preempt(g, atUs, 1));
  };
  expect(at(s(480))).toEqual(['failed 1 slack_zero']);
  expect(at(s(240) + 1)).toEqual(['failed 1 task_age']);
  expect(at(s(240))).toEqual(['failed 1 preempt_budget']);
});

test('a class that is not replayed fails, and a shadowed gate fails nothing else', () => {
  const g = gate({ slots: 2, mode: 'shadow', maxPreempts: 1 });
  arrive(g, 0, 1, 'i');
  arrive(g, 0, 2, 'b');
  expect(briefs(preempt(g, 1, 1))).toEqual(['failed 1 preempt_budget']);
  expect(briefs(preempt(g, 1, 2))).toEqual(['replay 2']);
});

test('enough preempts on the host stop new work and replays, until the mode is set again', () => {
  const g = gate({ slots: 3, maxPreempts: 2, stopAfterPreempts: true });
  for (const id of [1, 2, 3]) arrive(g, 0, id);
  expect(briefs(preempt(g, 1, 1))).toEqual(['replay 1']);
  expect(briefs(preempt(g, 2, 2))).toEqual(['failed 2 preempt_budget']);
  expect(g.view.policy.mode).toBe('reject_preempt_budget');
  expect(arrive(g, 3, 4)).toEqual(['rejected 4 preempt_budget']);
  expect(briefs(preempt(g, 3, 3))).toEqual(['failed 3 preempt_budget']);
  configure(g, 4, { mode: 'enforce' });
  expect(arrive(g, 4, 5)).toEqual(['granted 5']);
});
