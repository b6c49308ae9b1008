import { expect, test } from 'vitest';
import type { ModelDriver } from '../../src/model/driver.ts';
import { ModelMachine } from '../../src/model/machine.ts';
import type { Run } from '../../src/model/requests.ts';
import type { ModelConfig, Work } from '../../src/model/types.ts';
import { PLAIN } from './support.ts';

class Told implements ModelDriver {
  readonly finishedWork: Work[] = [];
  startedCount = 0;
  readonly model: ModelMachine;

  constructor(change: Partial<ModelConfig> = {}) {
    this.model = new ModelMachine({ ...PLAIN, ...change }, this);
  }

  started(): void {
    this.startedCount++;
  }

  finished(run: Run): void {
    this.finishedWork.push(run.work);
  }

  preempted(): void {}
}

function work(seq: number, serviceUs: number, inTokens = 10): Work {
  const demand = { serviceUs, inTokens, outTokens: 5, holdUs: 0 };
  return { class: 'b', demand, keySeq: seq, attempt: 0 };
}

test('two that end at one instant are told in the order in which they started', () => {
  const told = new Told();
  const [first, second] = [work(0, 300), work(1, 200)];
  told.model.start(first, 0, 0);
  told.model.start(second, 0, 100);
  told.model.tick(300);
  expect(told.finishedWork).toEqual([first, second]);
  expect(told.finishedWork[0]).toBe(first);
});

test('what memory can never hold gets no run, and nothing is told of it', () => {
  const told = new Told({ preempts: { type: 'memory', blocks: 2, blockTokens: 10 } });
  expect(told.model.start(work(0, 300, 100), 0, 0)).toBeUndefined();
  expect(told.startedCount).toBe(0);
  expect(told.model.inService + told.model.waiting).toBe(0);
});

test('a run that is used again begins with nothing of the one before', () => {
  const told = new Told();
  const before = told.model.start(work(0, 300), 3, 0) as Run;
  told.model.tick(300);
  const after = told.model.start(work(1, 500), 0, 300) as Run;
  expect(after).toBe(before);
  expect(told.model.tokens(after, 300)).toBe(0);
  expect(told.model.nextWakeUs()).toBe(800);
});

test('a cancel or preempt of a run whose end is due at that instant is nothing', () => {
  for (const act of ['cancel', 'preempt'] as const) {
    const told = new Told({ slots: 2 });
    const run = told.model.start(work(0, 300), 0, 0) as Run;
    const other = told.model.start(work(1, 500), 0, 0) as Run;
    told.model[act](run, 300);
    expect(told.finishedWork).toEqual([run.work]);
    expect([told.model.inService, told.model.computeUs(300)]).toEqual([1, 600]);
    const next = [work(2, 100), work(3, 100)].map((each) => told.model.start(each, 0, 300) as Run);
    expect(new Set([other, ...next]).size).toBe(3);
    told.model.tick(1000);
    expect(told.finishedWork.map(({ keySeq }) => keySeq)).toEqual([0, 2, 1, 3]);
    expect(told.model.computeUs(1000)).toBe(1000);
  }
});

test('a cancel of a run that is preempted at that instant is nothing', () => {
  const told = new Told({ preempts: { type: 'spot', atUs: [300], noticeUs: 0, backUs: 0 } });
  const run = told.model.start(work(0, 900), 0, 0) as Run;
  told.model.cancel(run, 300);
  expect(told.model.inService).toBe(0);
  const next = [work(1, 100), work(2, 100)].map((each) => told.model.start(each, 0, 300));
  expect(next[0]).not.toBe(next[1]);
});
