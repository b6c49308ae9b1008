import { expect, test } from 'vitest';
import { arrival, arrive, BATCH, configure, DEBUG, gate, release, s, tick } from './fixtures.ts';

test('queue-age refuses only when the oldest is strictly older, and says the configured number', () => {
  const g = gate({ ageRejectUs: s(25) });
  arrive(g, 0, 1);
  arrive(g, 0, 2);
  expect(arrive(g, s(25), 3)).toEqual(['queued 3']);
  expect(g.apply(arrival(4), s(25) + 1)).toMatchObject([
    { type: 'rejected', reason: 'queue_age_seconds above 25', queueAgeUs: s(25) + 1 },
  ]);
});

test('with AGE_REJECT 0 one waits and every later arrival is refused', () => {
  const g = gate({ ageRejectUs: 0 });
  expect(arrive(g, 0, 1)).toEqual(['granted 1']);
  expect(arrive(g, 1, 2)).toEqual(['queued 2']);
  expect(arrive(g, 2, 3)).toEqual(['rejected 3 queue_age']);
});

test('queue-depth needs all slots leased and more than the multiple waiting', () => {
  const g = gate({ depthMultiple: 2 });
  for (const id of [1, 2, 3, 4]) arrive(g, 0, id);
  expect(arrive(g, 0, 5)).toEqual(['rejected 5 queue_depth']);
});

test('A1: of 200 arrivals at cap 4 and queue 8, 188 are refused at once', () => {
  const g = gate({ slots: 4, queueCapacity: 8 });
  const said = Array.from({ length: 200 }, (_, k) => arrive(g, k * 5000, k)).flat();
  expect(said.filter((text) => text.startsWith('granted'))).toHaveLength(4);
  expect(said.filter((text) => text.startsWith('queued'))).toHaveLength(8);
  expect(said.filter((text) => text.endsWith('queue_capacity'))).toHaveLength(188);
});

test('A5: of six at once at cap 1 and queue 1, one runs, one waits, four are refused', () => {
  const g = gate({ queueCapacity: 1 });
  const said = [1, 2, 3, 4, 5, 6].flatMap((id) => arrive(g, 0, id));
  expect(said.slice(0, 3)).toEqual(['granted 1', 'queued 2', 'rejected 3 queue_capacity']);
  expect(said.filter((text) => text.startsWith('rejected'))).toHaveLength(4);
});

test('a class that may not queue is refused where no slot is free', () => {
  const g = gate({}, { b: BATCH, i: { ...DEBUG, mayQueue: false } });
  arrive(g, 0, 1);
  expect(arrive(g, 0, 2, 'i')).toEqual(['rejected 2 queue_capacity']);
});

test('the first rule in the written order names the reason', () => {
  const g = gate({ ageRejectUs: 0, depthMultiple: 0, queueCapacity: 1 });
  arrive(g, 0, 1);
  arrive(g, 0, 2);
  expect(arrive(g, 0, 3)).toEqual(['rejected 3 queue_depth']);
  expect(arrive(g, 1, 4)).toEqual(['rejected 4 queue_age']);
});

test('slack falls below 90 just after a batch age of 365 and refuses interactive work', () => {
  const g = gate({ slackRejectUs: s(90) });
  arrive(g, 0, 1, 'i');
  arrive(g, 0, 2, 'b');
  expect(arrive(g, s(365), 3, 'i')).toEqual(['queued 3']);
  expect(g.apply(arrival(4, 'i'), s(365) + 1)).toMatchObject([
    { code: 'deadline_slack', reason: 'deadline_slack_seconds below 90' },
  ]);
  expect(arrive(g, s(366), 5, 'b')).toEqual(['queued 5']);
});

test('slack that was low between two inputs, when nobody asked, still closes the door', () => {
  const g = gate({ slots: 2, slackRejectUs: s(90) });
  arrive(g, 0, 1, 'i');
  arrive(g, 0, 2, 'b');
  arrive(g, s(100), 3, 'b');
  arrive(g, s(150), 4, 'b');
  // Just before this release the oldest was 3, with a slack of 89; now it is 4, with 139.
  expect(release(g, s(466), 2)).toEqual(['granted 3']);
  expect(g.view.slackUs(s(466))).toBe(s(139));
  expect(arrive(g, s(467), 5, 'i')).toEqual(['rejected 5 deadline_slack']);
});

test('between the slack thresholds a door that was open stays open', () => {
  const g = gate({ slackRejectUs: s(90) });
  arrive(g, 0, 1, 'i');
  arrive(g, 0, 2, 'b');
  expect(g.view.slackUs(s(300))).toBe(s(155));
  expect(arrive(g, s(300), 3, 'i')).toEqual(['queued 3']);
});

test('the slack verdict reopens above the upper threshold only, or when the long hold ends', () => {
  const g = gate({ slots: 2, slackRejectUs: s(90) });
  arrive(g, 0, 1, 'i');
  arrive(g, 0, 2, 'b');
  arrive(g, 0, 3, 'b');
  arrive(g, s(100), 4, 'b');
  release(g, s(375), 2);
  expect(g.view.slackUs(s(375))).toBe(s(180));
  expect(arrive(g, s(375), 5, 'i')).toEqual(['rejected 5 deadline_slack']);
  release(g, s(380), 1);
  expect(arrive(g, s(380), 6, 'i')).toEqual(['queued 6']);
});

test('with the reject flag off deadline-slack is silent and one interactive lease is allowed', () => {
  const g = gate({ slots: 3, slackRejectUs: s(90), rejectInteractive: false });
  expect(arrive(g, 0, 1, 'i')).toEqual(['granted 1']);
  expect(arrive(g, 0, 2, 'i')).toEqual(['rejected 2 interactive_cap']);
  expect(arrive(g, 0, 3, 'b')).toEqual(['granted 3']);
  configure(g, 1, { rejectInteractive: true });
  expect(arrive(g, 1, 4, 'i')).toEqual(['granted 4']);
});

test('queued interactive work is never dispatched over the cap', () => {
  const g = gate({ slots: 2, interactiveCap: 1 });
  arrive(g, 0, 1, 'b');
  arrive(g, 0, 2, 'b');
  arrive(g, 0, 3, 'i');
  arrive(g, 0, 4, 'i');
  expect(release(g, 1, 1)).toEqual(['granted 3']);
  expect(release(g, 2, 2)).toEqual([]);
  expect(release(g, 3, 3)).toEqual(['granted 4']);
});

test('retry-budget sheds an interactive client, not a batch one', () => {
  const g = gate({ slots: 9, retryBudget: 2 });
  expect(arrive(g, 0, 1, 'i', { attempt: 2 })).toEqual(['granted 1']);
  expect(arrive(g, 0, 2, 'i', { attempt: 3 })).toEqual(['rejected 2 retry_budget']);
  expect(arrive(g, 0, 3, 'b', { attempt: 3 })).toEqual(['granted 3']);
});

test('predicted-wait counts what is left of the leases and who is ahead at the same priority or above', () => {
  const g = gate({ slots: 2, predictedWaitUs: s(30) });
  arrive(g, 0, 1);
  arrive(g, s(10), 2);
  expect(g.view.predictedWaitUs('b', s(10))).toBe(s(15));
  arrive(g, s(10), 3);
  arrive(g, s(10), 4);
  expect(g.view.predictedWaitUs('b', s(10))).toBe(s(40));
  expect(arrive(g, s(10), 5)).toEqual(['rejected 5 predicted_wait']);
});

test('where slots were taken away, predicted-wait knows that the first leases to end free none', () => {
  const g = gate({ slots: 2 });
  arrive(g, 0, 1);
  arrive(g, s(10), 2);
  configure(g, s(10), { slots: 1 });
  expect(g.view.predictedWaitUs('b', s(10))).toBe(s(25));
});

test('expected compute is believed until eight services have completed, then measured', () => {
  const g = gate({ slots: 1 });
  for (let id = 0; id < 8; id++) {
    expect(g.view.expectedComputeUs('b')).toBe(s(25));
    arrive(g, s(10 * id), id);
    release(g, s(10 * id) + s(id + 1), id);
  }
  expect(g.view.expectedComputeUs('b')).toBe(s(8));
});

test('Retry-After is spread, never below its base, and the same again for the same seed', () => {
  const ask = () => {
    const g = gate({ slots: 0, queueCapacity: 0 });
    return Array.from({ length: 50 }, (_, id) => {
      const [effect] = g.apply(arrival(id), 0);
      return effect?.type === 'rejected' ? effect.retryAfterUs : 0;
    });
  };
  expect(ask()).toEqual(ask());
  expect(Math.min(...ask())).toBeGreaterThanOrEqual(s(5));
  expect(Math.max(...ask())).toBeLessThanOrEqual(s(7.5));
  expect(new Set(ask()).size).toBeGreaterThan(45);
});

test('the upstream being down refuses all, in every mode, and ends every wait', () => {
  const g = gate({ mode: 'admit-always' });
  arrive(g, 0, 1);
  arrive(g, 0, 2);
  expect(configure(g, 1, { upstreamDown: true })).toEqual(['expired 2 upstream_down']);
  expect(arrive(g, 2, 3)).toEqual(['rejected 3 upstream_down']);
  configure(g, 3, { upstreamDown: false });
  expect(arrive(g, 3, 4)).toEqual(['queued 4']);
});

test('drain refuses new work, lets the rest finish, and says so once', () => {
  const g = gate();
  arrive(g, 0, 1);
  arrive(g, 0, 2);
  expect(g.apply({ type: 'drain' }, 1)).toEqual([]);
  expect(arrive(g, 2, 3)).toEqual(['rejected 3 draining']);
  expect(release(g, 3, 1)).toEqual(['granted 2']);
  expect(release(g, 4, 2)).toEqual(['drained']);
  expect(tick(g, 5)).toEqual([]);
});

test('shadow refuses and expires nothing, and says once a request what it would have done', () => {
  const g = gate({ mode: 'shadow', queueCapacity: 1, maxWaitUs: s(10), maxHoldUs: s(1) });
  arrive(g, 0, 1);
  expect(arrive(g, 0, 2)).toEqual(['queued 2']);
  expect(arrive(g, 0, 3)).toEqual(['queued 3 (queue_capacity)']);
  expect(tick(g, s(20))).toEqual([]);
  expect(release(g, s(20), 1)).toEqual(['granted 2 (max_wait)']);
  expect(release(g, s(30), 2)).toEqual(['granted 3']);
});

test('admit-always bypasses every rule and every limit', () => {
  const g = gate({ mode: 'admit-always', queueCapacity: 0, ageRejectUs: 0, maxWaitUs: 1 });
  arrive(g, 0, 1);
  expect(arrive(g, 0, 2)).toEqual(['queued 2']);
  expect(arrive(g, s(99), 3)).toEqual(['queued 3']);
  expect(g.nextWakeUs()).toBe(Number.POSITIVE_INFINITY);
});
