import { expect, test } from 'vitest';
import { arrival, arrive, BATCH, briefs, configure, gate, release, s, tick } from './fixtures.ts';

test('a released slot goes to the oldest ticket', () => {
  const g = gate();
  for (const id of [1, 2, 3]) arrive(g, id, id);
  expect(release(g, 5, 1)).toEqual(['granted 2']);
});

test('a higher class goes first, equal classes by arrival', () => {
  const g = gate({}, { b: BATCH, i: { ...BATCH, priority: 0 }, j: { ...BATCH, priority: 0 } });
  arrive(g, 0, 1);
  arrive(g, 1, 2, 'j');
  arrive(g, 2, 3, 'i');
  arrive(g, 3, 4, 'b');
  expect(release(g, 4, 1)).toEqual(['granted 4']);
  expect(release(g, 5, 4)).toEqual(['granted 2']);
  expect(release(g, 6, 2)).toEqual(['granted 3']);
});

test('a wait ends the moment it is due, however late the driver looks', () => {
  const g = gate({ maxWaitUs: s(30) });
  arrive(g, 0, 1);
  arrive(g, s(1), 2);
  expect(g.nextWakeUs()).toBe(s(31));
  expect(g.apply({ type: 'tick' }, s(40))).toMatchObject([
    { type: 'expired', id: 2, code: 'max_wait', atUs: s(31), waitUs: s(30) },
  ]);
});

test('a release at the instant of an expiry wins, an arrival comes after it', () => {
  const g = gate({ maxWaitUs: s(30), queueCapacity: 2 });
  for (const id of [1, 2, 3]) arrive(g, 0, id);
  expect(release(g, s(30), 1)).toEqual(['granted 2']);
  expect(release(g, s(30), 2)).toEqual(['granted 3']);
  arrive(g, s(30), 4);
  arrive(g, s(30), 5);
  expect(arrive(g, s(60), 6)).toEqual(['expired 4 max_wait', 'expired 5 max_wait', 'queued 6']);
});

test('A19: of the caller deadline and the limit on the wait the smaller wins, once', () => {
  const g = gate({ maxWaitUs: s(2) });
  arrive(g, 0, 1);
  arrive(g, 0, 2, 'b', { deadlineUs: s(0.4) });
  arrive(g, 0, 3, 'b', { deadlineUs: s(3) });
  expect(tick(g, s(0.4))).toEqual(['expired 2 slack_zero']);
  expect(tick(g, s(5))).toEqual(['expired 3 max_wait']);
  expect(g.view.queued).toBe(0);
});

test('deadlines end waits in their order, whoever leaves the middle of the queue', () => {
  const g = gate({ slots: 0 });
  const deadlines = [9, 2, 8, 1, 7, 3, 6, 4, 5, 12, 11, 10];
  for (const d of deadlines) arrive(g, 0, d, 'b', { deadlineUs: d });
  for (const id of [1, 7, 2]) g.apply({ type: 'cancel', id }, 0);
  const left = deadlines.filter((d) => ![1, 7, 2].includes(d)).sort((a, b) => a - b);
  expect(tick(g, 20)).toEqual(left.map((d) => `expired ${d} slack_zero`));
});

test('a request cancelled while queued or leased leaves nothing behind', () => {
  const g = gate({ maxWaitUs: s(2) });
  for (const id of [1, 2, 3]) arrive(g, 0, id, 'b', { deadlineUs: s(1) });
  expect(briefs(g.apply({ type: 'cancel', id: 2 }, 1))).toEqual([]);
  expect(briefs(g.apply({ type: 'cancel', id: 1 }, 2))).toEqual(['granted 3']);
  expect(briefs(g.apply({ type: 'cancel', id: 1 }, 3))).toEqual([]);
  expect([g.view.leased, g.view.queued, g.nextWakeUs()]).toEqual([1, 0, Number.POSITIVE_INFINITY]);
});

test('E6: a limit, a release and a hang-up in one instant put each request in one bucket', () => {
  const g = gate({ maxWaitUs: s(1) });
  for (const id of [1, 2, 3]) arrive(g, 0, id);
  expect(briefs(g.apply({ type: 'cancel', id: 2 }, s(1)))).toEqual([]);
  expect(release(g, s(1), 1)).toEqual(['granted 3']);
  expect(tick(g, s(1))).toEqual([]);
  expect(briefs(g.apply({ type: 'cancel', id: 2 }, s(2)))).toEqual([]);
  expect(g.view.leased).toBe(1);
});

test('runbook 001 refuses at dispatch what is past its share of the deadline, and serves the next', () => {
  const g = gate({ queueAgeFraction: 0.5 });
  arrive(g, 0, 1);
  arrive(g, 0, 2);
  arrive(g, s(10), 3);
  expect(release(g, s(240) + 1, 1)).toEqual(['expired 2 task_age', 'granted 3']);
  arrive(g, s(250), 4);
  expect(release(g, s(730), 3)).toEqual(['expired 4 slack_zero']);
});

test('fewer slots take no lease away, and none is given until enough have ended', () => {
  const g = gate({ slots: 3 });
  for (const id of [1, 2, 3, 4]) arrive(g, 0, id);
  expect(configure(g, 1, { slots: 1 })).toEqual([]);
  expect(g.view.leased).toBe(3);
  expect([...release(g, 2, 1), ...release(g, 3, 2)]).toEqual([]);
  expect(release(g, 4, 3)).toEqual(['granted 4']);
});

test('more slots move the queue at once, a shorter wait ends at once what is over it', () => {
  const g = gate();
  for (const id of [1, 2, 3]) arrive(g, s(id), id);
  expect(configure(g, s(4), { slots: 2 })).toEqual(['granted 2']);
  expect(g.apply({ type: 'configure', policy: { maxWaitUs: s(1) } }, s(9))).toMatchObject([
    { type: 'expired', id: 3, atUs: s(9), waitUs: s(6) },
  ]);
});

test('a second release, an unknown id, an id used twice and time going back throw', () => {
  const g = gate();
  arrive(g, 5, 1);
  expect(() => arrive(g, 5, 1)).toThrow('expected a new id, got 1');
  release(g, 6, 1);
  expect(() => release(g, 6, 1)).toThrow('expected the id of a lease, got 1');
  expect(() => g.apply({ type: 'progress', id: 9, tokens: 1 }, 6)).toThrow('got 9');
  expect(() => g.apply(arrival(2), 5)).toThrow('expected a time from 6 on, got 5');
  expect(() => g.apply(arrival(2), Number.NaN)).toThrow('got NaN');
});
