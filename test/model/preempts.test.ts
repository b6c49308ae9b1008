import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/model/types.ts';
import { lines, model, play, start } from './support.ts';

const TICKS = { type: 'ticks', ticks: 2, tickTokens: 20 } as const;

describe('a preempt after ticks', () => {
  const work = { inTokens: 800, outTokens: 200, serviceUs: 10_000 };

  it('wastes what runbook 001 says: 800 of prompt and 40 of output, no checkpoint yet', () => {
    const m = model({ preempts: TICKS, checkpointTokens: 100 });
    m.apply(start(1, work), 0);
    const [preempt] = play(m);
    expect(preempt).toEqual({
      type: 'preempted',
      atUs: 2000,
      id: 1,
      outTokens: 40,
      checkpointTokens: 0,
      why: 'ticks',
    });
    const { outTokens, checkpointTokens } = preempt as Extract<Effect, { type: 'preempted' }>;
    expect(work.inTokens + outTokens - checkpointTokens).toBe(840);
  });

  it('comes on the first run only, also when the request starts again as another attempt', () => {
    const m = model({ preempts: TICKS });
    m.apply(start(1, work), 0);
    expect(lines(play(m))).toEqual(['preempted 1 @2000']);
    m.apply(start(2, work, { keySeq: 1, attempt: 1 }), 3000);
    expect(lines(play(m))).toEqual(['finished 2 @13000']);
  });

  it('spares what is done before', () => {
    const m = model({ preempts: TICKS });
    m.apply(start(1, { outTokens: 40, serviceUs: 400 }), 0);
    expect(lines(play(m))).toEqual(['finished 1 @400']);
  });

  it('follows a completion and precedes a start in the same instant', () => {
    const m = model({ preempts: TICKS, slots: 2 });
    m.apply(start(1, { outTokens: 400, serviceUs: 4000 }), 0);
    m.apply(start(2, { outTokens: 1, serviceUs: 400 }), 0);
    m.apply(start(3), 0);
    expect(lines(play(m, 400))).toEqual(['finished 2 @400', 'preempted 1 @400', 'started 3 @400']);
  });
});

describe('checkpoints', () => {
  it('are whole multiples, and those resumed from are kept', () => {
    const m = model({ checkpointTokens: 100 });
    m.apply(start(1, { outTokens: 1000, serviceUs: 1000 }), 0);
    m.apply(start(2, { outTokens: 1000, serviceUs: 1000 }, { resumeTokens: 150 }), 0);
    expect(m.apply({ type: 'preempt' }, 230)).toMatchObject([
      { id: 1, outTokens: 230, checkpointTokens: 200, why: 'operator' },
      { id: 2, outTokens: 380, checkpointTokens: 300 },
    ]);
    m.apply(start(3, { outTokens: 1000, serviceUs: 1000 }, { resumeTokens: 150 }), 300);
    expect(m.apply({ type: 'preempt', id: 3 }, 310)).toMatchObject([
      { outTokens: 160, checkpointTokens: 150 },
    ]);
  });

  it('cost their work, spread over the tokens between two', () => {
    const m = model({ checkpointTokens: 50, checkpointCostUs: 100 });
    m.apply(start(1, { outTokens: 1000, serviceUs: 1000 }), 0);
    m.apply(start(2, { outTokens: 1000, serviceUs: 1000 }, { resumeTokens: 500 }), 0);
    // 1 us a token becomes 3: 999 gaps after the first token, 499 where half is resumed.
    expect(lines(play(m))).toEqual(['finished 2 @1498', 'finished 1 @2998']);
  });

  it('are none where none are written', () => {
    const m = model();
    m.apply(start(1, { outTokens: 1000 }), 0);
    expect(m.apply({ type: 'preempt', id: 1 }, 500)).toMatchObject([{ checkpointTokens: 0 }]);
  });
});

describe('a preempt by request', () => {
  it('takes one slot and leaves what waits in its place', () => {
    const m = model({ slots: 1 });
    for (const id of [1, 2, 3]) m.apply(start(id), 0);
    expect(m.apply({ type: 'preempt', id: 2 }, 5)).toEqual([]);
    expect(lines(m.apply({ type: 'preempt', id: 1 }, 10))).toEqual([
      'preempted 1 @10',
      'started 2 @10',
    ]);
    expect(m.apply({ type: 'preempt', id: 77 }, 10)).toEqual([]);
  });
});

describe('preempts at a rate', () => {
  const preempts = { type: 'rate', perS: 1 } as const;

  it('come as a keyed Poisson process over each run', () => {
    const times: number[] = [];
    for (let id = 0; id < 4000; id++) {
      const m = model({ preempts });
      m.apply(start(id, { holdUs: 1 }), 0);
      times.push(m.nextWakeUs());
    }
    const mean = times.reduce((a, b) => a + b, 0) / times.length / 1e6;
    expect(mean).toBeGreaterThan(0.95);
    expect(mean).toBeLessThan(1.05);
    const early = times.filter((t) => t < 1e6 * Math.LN2).length / times.length;
    expect(Math.abs(early - 0.5)).toBeLessThan(0.025);
  });

  it('do not depend on other requests, and differ from run to run of one', () => {
    const runs = (others: number): number[] => {
      const m = model({ preempts });
      for (let id = 100; id < 100 + others; id++) m.apply(start(id, { holdUs: 1 }), 0);
      const at: number[] = [];
      let fromUs = 0;
      for (let run = 0; run < 3; run++) {
        m.apply(start(1, { holdUs: 1 }), fromUs);
        const hit = play(m, fromUs + 60e6 - 1).find(({ id }) => id === 1)!;
        at.push(hit.atUs - fromUs);
        fromUs = 60e6 * (run + 1);
        m.apply({ type: 'tick' }, fromUs);
      }
      return at;
    };
    const alone = runs(0);
    expect(new Set(alone).size).toBe(3);
    expect(runs(5)[0]).toBe(alone[0]);
  });

  it('do not fall on what has ended', () => {
    const m = model({ preempts: { type: 'rate', perS: 1e-6 } });
    m.apply(start(1), 0);
    expect(lines(play(m, 1e9))).toEqual(['finished 1 @1000']);
    expect(m.nextWakeUs()).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a spot host', () => {
  const preempts = { type: 'spot', atUs: [1000], noticeUs: 200, backUs: 500 } as const;

  it('starts nothing after the notice, loses what runs, and is back', () => {
    const m = model({ preempts });
    m.apply(start(1, { serviceUs: 5000, outTokens: 50 }), 0);
    m.apply(start(2, { serviceUs: 900, outTokens: 9 }), 0);
    m.apply(start(3, { serviceUs: 100 }), 850);
    expect(m.waiting).toBe(1);
    expect(lines(play(m))).toEqual([
      'finished 2 @900',
      'preempted 1 @1000',
      'started 3 @1500',
      'finished 3 @1600',
    ]);
  });

  it('may go without a notice, and again before it is back', () => {
    const m = model({ preempts: { type: 'spot', atUs: [1000, 1300], noticeUs: 0, backUs: 500 } });
    m.apply(start(1, { serviceUs: 5000 }), 999);
    expect(lines(m.apply(start(2, { serviceUs: 10 }), 1200))).toEqual(['preempted 1 @1000']);
    expect(lines(play(m))).toEqual(['started 2 @1800', 'finished 2 @1810']);
  });

  it('goes although nothing has come yet: who comes in the moment it is back is not lost', () => {
    const m = model({ preempts: { ...preempts, backUs: 0 } });
    expect(m.nextWakeUs()).toBe(800);
    m.apply(start(1, { serviceUs: 100 }), 1000);
    expect(lines(play(m))).toEqual(['finished 1 @1100']);
  });
});
