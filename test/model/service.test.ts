import { describe, expect, it } from 'vitest';
import { lines, model, play, start } from './support.ts';

const TICK = { type: 'tick' } as const;

describe('service', () => {
  it('begins at once and ends after the service time', () => {
    const m = model();
    expect(m.apply(start(1), 500)).toEqual([{ type: 'started', atUs: 500, id: 1 }]);
    expect(m.nextWakeUs()).toBe(1500);
    expect(m.apply(TICK, 1499)).toEqual([]);
    expect(m.apply(TICK, 1500)).toEqual([
      { type: 'finished', atUs: 1500, id: 1, firstTokenUs: 600, outTokens: 10 },
    ]);
    expect(m.nextWakeUs()).toBe(Number.POSITIVE_INFINITY);
    expect(m.inService).toBe(0);
  });

  it('ends in the order of what is due, and in the order of starts where that is the same', () => {
    const m = model();
    for (const [id, serviceUs] of [
      [1, 30],
      [2, 10],
      [3, 20],
      [4, 10],
    ] as const) {
      m.apply(start(id, { serviceUs }), 0);
    }
    expect(lines(play(m))).toEqual([
      'finished 2 @10',
      'finished 4 @10',
      'finished 3 @20',
      'finished 1 @30',
    ]);
  });

  it('gives what came due while nobody asked, each at its own time', () => {
    const m = model({ slots: 1 });
    for (const id of [1, 2, 3]) m.apply(start(id, { serviceUs: 100 }), 0);
    expect(lines(m.apply(TICK, 1000))).toEqual([
      'finished 1 @100',
      'started 2 @100',
      'finished 2 @200',
      'started 3 @200',
      'finished 3 @300',
    ]);
  });

  it('of zero length ends in the instant of its start', () => {
    const m = model();
    m.apply(start(1, { serviceUs: 0, outTokens: 0 }), 5);
    expect(m.nextWakeUs()).toBe(5);
    expect(lines(play(m))).toEqual(['finished 1 @5']);
  });

  it('never goes back in time and never takes an id twice', () => {
    const m = model();
    m.apply(start(1), 100);
    expect(() => m.apply(TICK, 99)).toThrow('time went back');
    expect(() => m.apply(TICK, Number.NaN)).toThrow('time went back');
    expect(() => m.tokens(1, 99)).toThrow('before');
    expect(() => m.apply(start(1), 100)).toThrow('request 1 is at the model already');
  });

  it('gives nobody a list that can be written to when there is nothing to say', () => {
    const nothing = model().apply(TICK, 1);
    expect(() => nothing.push({ type: 'started', atUs: 0, id: 0 })).toThrow();
  });
});

describe("the model's own slots", () => {
  it('go to what waits in order of arrival', () => {
    const m = model({ slots: 2 });
    for (const id of [1, 2, 3, 4]) m.apply(start(id, { serviceUs: 100 * id }), 0);
    expect([m.inService, m.waiting]).toEqual([2, 2]);
    expect(lines(play(m))).toEqual([
      'finished 1 @100',
      'started 3 @100',
      'finished 2 @200',
      'started 4 @200',
      'finished 3 @400',
      'finished 4 @600',
    ]);
  });

  it('come free when a client goes, running or waiting', () => {
    const m = model({ slots: 1 });
    for (const id of [1, 2, 3]) m.apply(start(id), 0);
    expect(m.apply({ type: 'cancel', id: 2 }, 10)).toEqual([]);
    expect(lines(m.apply({ type: 'cancel', id: 1 }, 20))).toEqual(['started 3 @20']);
    expect(m.waiting).toBe(0);
  });

  it('may grow and shrink: what runs goes on', () => {
    const m = model({ slots: 1 });
    for (const id of [1, 2, 3]) m.apply(start(id, { serviceUs: 100 }), 0);
    expect(lines(m.apply({ type: 'configure', config: { slots: 2 } }, 50))).toEqual([
      'started 2 @50',
    ]);
    m.apply({ type: 'configure', config: { slots: 1 } }, 60);
    expect(lines(play(m))).toEqual([
      'finished 1 @100',
      'finished 2 @150',
      'started 3 @150',
      'finished 3 @250',
    ]);
  });

  it('takes an arrival in the instant in which one comes free', () => {
    const m = model({ slots: 1 });
    m.apply(start(1, { serviceUs: 100 }), 0);
    expect(lines(m.apply(start(2), 100))).toEqual(['finished 1 @100', 'started 2 @100']);
  });
});

describe('a cancel', () => {
  it('of an id that has just ended, or never was, is nothing', () => {
    const m = model();
    m.apply(start(1, { serviceUs: 100 }), 0);
    expect(lines(m.apply({ type: 'cancel', id: 1 }, 100))).toEqual(['finished 1 @100']);
    expect(m.apply({ type: 'cancel', id: 9 }, 100)).toEqual([]);
    expect(m.inService).toBe(0);
  });

  it('ends a hold, which nothing else does', () => {
    const m = model();
    m.apply(start(1, { holdUs: 50, serviceUs: 10 }), 0);
    expect(m.nextWakeUs()).toBe(Number.POSITIVE_INFINITY);
    m.apply(TICK, 1_000_000);
    expect(m.inService).toBe(1);
    m.apply({ type: 'cancel', id: 1 }, 1_000_000);
    expect(m.inService).toBe(0);
    expect(m.tokens(1, 1_000_000)).toBeUndefined();
  });
});

describe('compute', () => {
  it('is the integral of the shares in service', () => {
    const m = model({ compute: { debug: 0.05 } });
    m.apply(start(1, { holdUs: 1 }, { class: 'debug' }), 0);
    m.apply(start(2, { serviceUs: 1000 }), 500);
    expect(m.computeUs(500)).toBe(25);
    expect(m.computeUs(1000)).toBe(550);
    play(m);
    m.apply({ type: 'cancel', id: 1 }, 2000);
    expect(m.computeUs(9000)).toBe(1100);
  });

  it('keeps what was done when the shares change', () => {
    const m = model();
    m.apply(start(1, { holdUs: 1 }), 0);
    m.apply({ type: 'configure', config: { compute: { task: 0.5 } } }, 100);
    expect(m.computeUs(100)).toBe(100);
    expect(m.computeUs(300)).toBe(200);
  });
});

describe('tokens', () => {
  it('come at even gaps, the last at the end', () => {
    const m = model();
    m.apply(start(1, { serviceUs: 1000, outTokens: 4 }), 0);
    expect([0, 249, 250, 499, 500, 750, 999].map((us) => m.tokens(1, us))).toEqual([
      0, 0, 1, 1, 2, 3, 3,
    ]);
    expect([0, 249, 250, 600].map((us) => m.nextTokenUs(1, us))).toEqual([250, 250, 500, 750]);
  });

  it('begin when the model says so', () => {
    const m = model({ firstTokenUs: 400 });
    m.apply(start(1, { serviceUs: 1000, outTokens: 4 }), 0);
    expect([399, 400, 599, 600, 800].map((us) => m.tokens(1, us))).toEqual([0, 1, 1, 2, 3]);
    expect(play(m)).toMatchObject([{ type: 'finished', atUs: 1000, firstTokenUs: 400 }]);
  });

  it('are none while a request waits, and all that were resumed from', () => {
    const m = model({ slots: 1 });
    m.apply(start(1), 0);
    m.apply(start(2, {}, { resumeTokens: 5 }), 0);
    expect(m.tokens(2, 10)).toBe(5);
    expect(m.nextTokenUs(2, 10)).toBeUndefined();
    expect(m.tokens(99, 10)).toBeUndefined();
  });

  it('of a hold come at its share of compute, then no more', () => {
    const m = model({ compute: { task: 0.1 } });
    m.apply(start(1, { holdUs: 1, serviceUs: 1000, outTokens: 5 }), 0);
    expect([199, 200, 2199, 2200, 8199, 8200, 1e6].map((us) => m.tokens(1, us))).toEqual([
      0, 1, 1, 2, 4, 5, 5,
    ]);
    expect(m.nextTokenUs(1, 200)).toBe(2200);
    expect(m.nextTokenUs(1, 8200)).toBeUndefined();
  });

  it('that were resumed from are not made again', () => {
    const m = model();
    m.apply(start(1, { serviceUs: 1000, outTokens: 10 }, { resumeTokens: 6 }), 0);
    expect(m.tokens(1, 0)).toBe(6);
    expect(play(m)).toEqual([
      { type: 'finished', atUs: 400, id: 1, firstTokenUs: 100, outTokens: 10 },
    ]);
  });
});
