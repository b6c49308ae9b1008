import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type {
  Client,
  ClientClass,
  Effect,
  Input,
  Outcome,
  RetryRule,
} from '../../src/client/types.ts';

const NO_RETRY: RetryRule = {
  max: 0,
  baseUs: 1_000_000,
  capUs: 8_000_000,
  jitter: 'full',
  budget: null,
  honourRetryAfter: true,
  onRefusal: true,
  onFailure: true,
};

function clientOf(rules: Partial<ClientClass>, retry: Partial<RetryRule> = {}): Client {
  const base: ClientClass = { retry: { ...NO_RETRY, ...retry }, patience: null, timeoutUs: null };
  return createClient({ classes: { a: { ...base, ...rules } }, seed: 7 });
}

function arrive(client: Client, seq: number, atUs = 0, holdUs = 0): Effect[] {
  return client.apply({ type: 'arrive', seq, class: 'a', keySeq: seq, holdUs }, atUs);
}

const settled = (effects: readonly Effect[]) => effects.find((e) => e.type === 'settled');
const types = (effects: readonly Effect[]) => effects.map((e) => e.type);

/** Run until nothing is due, and collect. */
function runOut(client: Client): Effect[] {
  const effects: Effect[] = [];
  for (let n = 0; n < 100; n++) {
    const dueUs = client.nextWakeUs();
    if (dueUs === Number.POSITIVE_INFINITY) return effects;
    effects.push(...client.apply({ type: 'tick' }, dueUs));
  }
  throw new Error('expected an end');
}

describe('a request', () => {
  it('is sent when it arrives and settled when it is completed', () => {
    const client = clientOf({});
    expect(arrive(client, 0, 5)).toEqual([{ type: 'send', atUs: 5, seq: 0, attempt: 0 }]);
    expect(client.open).toBe(1);
    expect(client.apply({ type: 'completed', seq: 0 }, 9)).toEqual([
      { type: 'settled', atUs: 9, seq: 0, outcome: 'completed', attempts: 1 },
    ]);
    expect(client.open).toBe(0);
  });

  it('hears nothing more once it is settled', () => {
    const client = clientOf({}, { max: 3 });
    arrive(client, 0);
    client.apply({ type: 'completed', seq: 0 }, 1);
    expect(client.apply({ type: 'failed', seq: 0, as: 'failed' }, 2)).toEqual([]);
    expect(client.nextWakeUs()).toBe(Number.POSITIVE_INFINITY);
  });

  it('may not arrive twice, nor in the past, nor without a class', () => {
    const client = clientOf({});
    arrive(client, 0, 10);
    expect(() => arrive(client, 0, 10)).toThrow('0 again');
    expect(() => arrive(client, 1, 9)).toThrow('expected time from 10');
    const stranger: Input = { type: 'arrive', seq: 2, class: 'b', keySeq: 2, holdUs: 0 };
    expect(() => client.apply(stranger, 10)).toThrow('known class');
  });
});

describe('a retry', () => {
  const refuse = (seq: number, retryAfterUs = 0): Input => ({
    type: 'refused',
    seq,
    as: 'rejected',
    retryAfterUs,
  });

  it('follows a refusal until there are no tries left, and the last attempt gives the bucket', () => {
    const client = clientOf({}, { max: 2 });
    arrive(client, 0);
    const attempts: number[] = [];
    let effects = client.apply(refuse(0), 0);
    while (settled(effects) === undefined) {
      const sent = runOut(client)[0];
      if (sent?.type !== 'send') throw new Error('expected a try');
      attempts.push(sent.attempt);
      const last: Input = { type: 'refused', seq: 0, as: 'expired' };
      effects = client.apply(sent.attempt === 2 ? last : refuse(0), sent.atUs);
    }
    expect(attempts).toEqual([1, 2]);
    expect(settled(effects)).toMatchObject({ outcome: 'expired', attempts: 3 });
  });

  it('never comes before the server asked, and a crowd is spread above it, also at the cap', () => {
    const askedUs = 600_000_000;
    const client = clientOf({}, { max: 1, capUs: 1_000_000 });
    for (let seq = 0; seq < 200; seq++) {
      arrive(client, seq);
      client.apply(refuse(seq, askedUs), 0);
    }
    const sent = runOutAll(client, 200);
    expect(Math.min(...sent)).toBeGreaterThanOrEqual(askedUs);
    expect(Math.max(...sent)).toBeLessThanOrEqual(askedUs + 1_000_000);
    expect(new Set(sent.map((us) => Math.floor((us - askedUs) / 100_000))).size).toBe(10);
  });

  it('doubles up to the cap where there is no jitter', () => {
    const client = clientOf({}, { max: 5, jitter: 'none' });
    arrive(client, 0);
    const gaps: number[] = [];
    let nowUs = 0;
    for (let n = 0; n < 5; n++) {
      client.apply(refuse(0), nowUs);
      const dueUs = client.nextWakeUs();
      gaps.push(dueUs - nowUs);
      client.apply({ type: 'tick' }, dueUs);
      nowUs = dueUs;
    }
    expect(gaps).toEqual([1e6, 2e6, 4e6, 8e6, 8e6]);
  });

  it('keeps its place in the random stream whatever others do', () => {
    const alone = clientOf({}, { max: 1 });
    arrive(alone, 3);
    alone.apply(refuse(3), 0);
    const crowded = clientOf({}, { max: 1 });
    for (let seq = 0; seq < 4; seq++) arrive(crowded, seq);
    for (let seq = 0; seq < 3; seq++) crowded.apply({ type: 'completed', seq }, 0);
    crowded.apply(refuse(3), 0);
    expect(crowded.nextWakeUs()).toBe(alone.nextWakeUs());
  });

  it('is not made where the server asked not to, or where the class fails closed', () => {
    for (const [retry, mayRetry] of [
      [{ max: 3 }, false],
      [{ max: 3, onRefusal: false }, true],
    ] as const) {
      const client = clientOf({}, retry);
      arrive(client, 0);
      const effects = client.apply({ type: 'refused', seq: 0, as: 'rejected', mayRetry }, 1);
      expect(settled(effects)).toMatchObject({ outcome: 'rejected', attempts: 1 });
    }
  });

  it('takes a kill for a refusal and a broken attempt for a failure', () => {
    const outcomes = (['killed', 'undecided', 'failed'] as const).map((as) => {
      const client = clientOf({}, { max: 3, onRefusal: false });
      arrive(client, 0);
      return settled(client.apply({ type: 'failed', seq: 0, as }, 1));
    });
    expect(outcomes).toEqual([
      { type: 'settled', atUs: 1, seq: 0, outcome: 'killed', attempts: 1 },
      undefined,
      undefined,
    ]);
  });

  it('stays within the budget, a share of the requests', () => {
    const client = clientOf({}, { max: 5, budget: 0.1 });
    for (let seq = 0; seq < 100; seq++) {
      arrive(client, seq);
      client.apply(refuse(seq), 0);
    }
    expect(100 - client.open).toBe(90);
  });

  function runOutAll(client: Client, count: number): number[] {
    const sent: number[] = [];
    while (sent.length < count) {
      for (const effect of client.apply({ type: 'tick' }, client.nextWakeUs())) {
        sent.push(effect.atUs);
      }
    }
    return sent;
  }
});

describe('patience', () => {
  it('ends the wait and abandons the request', () => {
    const client = clientOf({ patience: { type: 'fixed', us: 50 } });
    arrive(client, 0, 100);
    expect(client.nextWakeUs()).toBe(150);
    expect(client.apply({ type: 'tick' }, 200)).toEqual([
      { type: 'hangUp', atUs: 150, seq: 0, why: 'patience' },
      { type: 'settled', atUs: 150, seq: 0, outcome: 'abandoned', attempts: 1 },
    ]);
  });

  it('is over when the answer begins, even at the last instant', () => {
    const client = clientOf({ patience: { type: 'fixed', us: 50 } });
    arrive(client, 0, 0);
    expect(client.apply({ type: 'answered', seq: 0 }, 50)).toEqual([]);
    expect(client.nextWakeUs()).toBe(Number.POSITIVE_INFINITY);
  });

  it('is drawn for each request, with the mean that was asked for', () => {
    const client = clientOf({ patience: { type: 'exponential', meanUs: 1_000_000 } });
    for (let seq = 0; seq < 4000; seq++) arrive(client, seq);
    let sum = 0;
    let dueUs = client.nextWakeUs();
    while (dueUs < Number.POSITIVE_INFINITY) {
      sum += dueUs * (client.apply({ type: 'tick' }, dueUs).length / 2);
      dueUs = client.nextWakeUs();
    }
    expect(Math.abs(sum / 4000 / 1_000_000 - 1)).toBeLessThan(4 / Math.sqrt(4000));
  });

  it('that ends between two attempts leaves the bucket of the first', () => {
    const client = clientOf({ patience: { type: 'fixed', us: 50 } }, { max: 1, jitter: 'none' });
    arrive(client, 0);
    client.apply({ type: 'refused', seq: 0, as: 'rejected' }, 10);
    expect(runOut(client)).toEqual([
      { type: 'settled', atUs: 50, seq: 0, outcome: 'rejected', attempts: 1 },
    ]);
  });
});

describe('a timeout', () => {
  it('runs from the intended instant over all tries, answered or not', () => {
    const client = clientOf({ timeoutUs: 3_000_000 }, { max: 9, jitter: 'none' });
    arrive(client, 0);
    client.apply({ type: 'failed', seq: 0, as: 'failed' }, 0);
    client.apply({ type: 'tick' }, 1_000_000);
    client.apply({ type: 'answered', seq: 0 }, 1_500_000);
    expect(runOut(client)).toEqual([
      { type: 'hangUp', atUs: 3_000_000, seq: 0, why: 'timeout' },
      { type: 'settled', atUs: 3_000_000, seq: 0, outcome: 'failed', attempts: 2 },
    ]);
  });

  it('loses against a completion at the same instant', () => {
    const client = clientOf({ timeoutUs: 10 });
    arrive(client, 0);
    expect(settled(client.apply({ type: 'completed', seq: 0 }, 10))).toMatchObject({
      outcome: 'completed',
    });
  });
});

describe('a hold', () => {
  it('begins with the answer and ends in a completion', () => {
    const client = clientOf({});
    arrive(client, 0, 0, 400);
    expect(client.nextWakeUs()).toBe(Number.POSITIVE_INFINITY);
    client.apply({ type: 'answered', seq: 0 }, 30);
    expect(runOut(client)).toEqual([
      { type: 'hangUp', atUs: 430, seq: 0, why: 'hold' },
      { type: 'settled', atUs: 430, seq: 0, outcome: 'completed', attempts: 1 },
    ]);
  });

  it('belongs to its attempt', () => {
    const client = clientOf({}, { max: 1, jitter: 'none' });
    arrive(client, 0, 0, 1_500_000);
    client.apply({ type: 'answered', seq: 0 }, 0);
    client.apply({ type: 'failed', seq: 0, as: 'failed' }, 10);
    client.apply({ type: 'tick' }, 1_000_010);
    client.apply({ type: 'answered', seq: 0 }, 1_400_000);
    expect(client.nextWakeUs()).toBe(2_900_000);
  });

  it('wins against a timeout at the same instant', () => {
    const client = clientOf({ timeoutUs: 100 });
    arrive(client, 0, 0, 100);
    client.apply({ type: 'answered', seq: 0 }, 0);
    expect(settled(runOut(client))).toMatchObject({ outcome: 'completed' });
  });
});

describe('the end of a run', () => {
  it('censors what is in flight and leaves what waits to retry in its bucket', () => {
    const client = clientOf({}, { max: 1 });
    arrive(client, 0);
    arrive(client, 1);
    client.apply({ type: 'refused', seq: 1, as: 'rejected' }, 0);
    const effects = client.apply({ type: 'stop' }, 5);
    expect(types(effects)).toEqual(['hangUp', 'settled', 'settled']);
    expect(effects.flatMap((e) => (e.type === 'settled' ? [e.outcome] : []))).toEqual([
      'censored',
      'rejected',
    ]);
    expect(client.open).toBe(0);
    expect(client.nextWakeUs()).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('laws, over random operations', () => {
  const step = fc.record({
    what: fc.constantFrom('arrive', 'answered', 'refused', 'completed', 'failed', 'killed', 'tick'),
    seq: fc.nat(12),
    gapUs: fc.nat(2_000_000),
  });

  function play(steps: readonly { what: string; seq: number; gapUs: number }[]): Effect[] {
    const client = clientOf(
      { patience: { type: 'exponential', meanUs: 3e6 }, timeoutUs: 9_000_000 },
      { max: 2, budget: 0.8 },
    );
    const effects: Effect[] = [];
    const seen = new Set<number>();
    let nowUs = 0;
    for (const { what, seq, gapUs } of steps) {
      nowUs += gapUs;
      const input = inputOf(what, seq, seen);
      if (input !== undefined) effects.push(...client.apply(input, nowUs));
    }
    effects.push(...client.apply({ type: 'stop' }, nowUs));
    expect(client.open).toBe(0);
    return effects;
  }

  function inputOf(what: string, seq: number, seen: Set<number>): Input | undefined {
    if (what === 'tick') return { type: 'tick' };
    if (what === 'arrive') {
      const next = seen.size;
      seen.add(next);
      return { type: 'arrive', seq: next, class: 'a', keySeq: next, holdUs: next % 3 ? 0 : 5e5 };
    }
    if (!seen.has(seq)) return undefined;
    if (what === 'refused') return { type: 'refused', seq, as: 'rejected', retryAfterUs: 100 };
    if (what === 'failed' || what === 'killed') return { type: 'failed', seq, as: what };
    return what === 'answered' ? { type: 'answered', seq } : { type: 'completed', seq };
  }

  it('every request is settled exactly once, in order of time, after all its tries', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const tries = new Map<number, number>();
        const ends = new Map<number, Outcome>();
        let lastUs = 0;
        for (const effect of play(steps)) {
          expect(effect.atUs).toBeGreaterThanOrEqual(lastUs);
          lastUs = effect.atUs;
          expect(ends.has(effect.seq)).toBe(false);
          if (effect.type === 'send') tries.set(effect.seq, effect.attempt + 1);
          if (effect.type === 'settled') {
            expect(effect.attempts).toBe(tries.get(effect.seq));
            ends.set(effect.seq, effect.outcome);
          }
        }
        expect(ends.size).toBe(steps.filter((s) => s.what === 'arrive').length);
      }),
    );
  });

  it('the same inputs have the same effects', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        expect(play(steps)).toEqual(play(steps));
      }),
    );
  });
});
