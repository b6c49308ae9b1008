import { expect, it } from 'vitest';
import { simulateResult } from '../../src/commands/simulate.ts';
import { numberOf } from '../../src/result/figure.ts';
import { createFold } from '../../src/result/fold.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import {
  busyOf,
  CONTEXT,
  classOf,
  decisionOf,
  requestOf,
  scenarioOf,
  stateOf,
} from './rows-of-a-run.ts';

const S = 1_000_000;
const full = { detail: 'full' } as const;

it('measures response from the intended instant, with the service beside it (D2)', () => {
  const fold = createFold(scenarioOf(), full);
  // Ten a second meet a client with one connection and a server that takes half a second.
  for (let seq = 0; seq < 8; seq++) {
    const sentUs = seq * 0.5 * S;
    fold.request(requestOf({ seq, intendedUs: seq * 0.1 * S, sentUs, endUs: sentUs + 0.5 * S }));
  }
  const result = fold.finish(CONTEXT);
  expect(result.responseS.max).toBeCloseTo(3.3, 9);
  expect(result.serviceS.max).toBeCloseTo(0.5, 9);
});

it('has a figure for the first byte, the first token and the first content (D9)', () => {
  const fold = createFold(scenarioOf(), full);
  const reasoned = { firstByteUs: 10_000, firstTokenUs: 500_000, firstContentUs: 3 * S };
  fold.request(requestOf({ ...reasoned, endUs: 4 * S }));
  const { firstByteS, ttftS, firstContentS } = fold.finish(CONTEXT);
  expect([firstByteS?.p50, ttftS.p50, firstContentS?.p50]).toEqual([0.01, 0.5, 3]);
});

it('says nothing of content where no wire was', () => {
  const fold = createFold(scenarioOf(), full);
  fold.request(requestOf({ firstByteUs: 0, firstTokenUs: 500_000 }));
  expect(fold.finish(CONTEXT).firstContentS).toMatchObject({ n: 0, p50: null });
});

it('keeps fast refusals out of the latencies and gives them their own (D6)', () => {
  const fold = createFold(scenarioOf(), full);
  for (let seq = 0; seq < 601; seq++) {
    const refused = seq < 441;
    fold.request(
      requestOf({
        seq,
        endUs: (refused ? 0.17 : 0.9) * S,
        outcome: refused ? 'rejected' : 'completed',
        code: refused ? 'queue_age' : null,
        waitUs: refused ? null : 0,
        heldUs: null,
      }),
    );
  }
  const result = fold.finish(CONTEXT);
  expect(result.responseS).toMatchObject({ n: 160, p50: 0.9 });
  expect(result.refusalS).toMatchObject({ n: 441, p50: 0.17 });
  expect(result.waitS.n).toBe(160);
  expect(result.rates.rejection).toBeCloseTo(441 / 601, 12);
  expect(result.rates.goodput).toBeCloseTo(160 / 601, 12);
  expect(result.rejectedBy).toEqual({ queue_age: 441 });
});

it('counts what missed the SLO of its class, over what was served', () => {
  const classes = { small: classOf(), large: classOf({ sloS: 5 }) };
  const fold = createFold(scenarioOf({ classes }), full);
  const rows = [
    requestOf({ endUs: 2 * S }),
    requestOf({ endUs: 2 * S + 1 }),
    requestOf({ class: 'large', endUs: 4 * S }),
    requestOf({ outcome: 'failed', code: 'reset' }),
    requestOf({ outcome: 'killed', code: 'max_hold' }),
    requestOf({ outcome: 'censored', endUs: 3 * S }),
    requestOf({ outcome: 'censored', endUs: 1 * S }),
    requestOf({ outcome: 'abandoned' }),
    requestOf({ outcome: 'expired', code: 'max_wait', waitUs: null }),
    requestOf({ outcome: 'unsent', sentUs: null, attempts: 0, waitUs: null }),
  ];
  for (const [seq, row] of rows.entries()) fold.request({ ...row, seq });
  const { outcomes, rates, failedBy, byClass, attempts } = fold.finish(CONTEXT);
  expect(outcomes).toMatchObject({ offered: 10, unsent: 1, admitted: 9, sloBreached: 4 });
  // Late, failed, killed, censored too late / those and the two in time.
  expect(rates.breach).toBeCloseTo(4 / 6, 12);
  expect(rates.goodput).toBe(0.2);
  expect(rates.rejection).toBe(0.1);
  expect(failedBy).toEqual({ max_hold: 1, reset: 1 });
  expect(byClass['large']?.outcomes.offered).toBe(1);
  expect(attempts).toMatchObject({ total: 9, retries: 0, amplification: 1 });
});

it('averages over the duration and not over the time that the end took', () => {
  const fold = createFold(scenarioOf(), full);
  fold.state(stateOf({ atUs: 0, leased: 1 }));
  fold.state(stateOf({ atUs: 4 * S, leased: 1, oldestUs: 4 * S, queued: 1 }));
  fold.busy(busyOf(8 * S, 4 * S));
  fold.state(stateOf({ atUs: 8 * S, leased: 1 }));
  fold.busy(busyOf(12 * S, 8 * S));
  fold.state(stateOf({ atUs: 12 * S }));
  fold.request(requestOf({ endUs: 14 * S }));
  const { utilization, queueAgeS, timeline } = fold.finish(CONTEXT);
  expect(utilization.slots).toBe(1);
  // 4 s by t = 8, then one a second: 6 s of 10.
  expect(utilization.busy).toBeCloseTo(0.6, 12);
  expect(queueAgeS.mean).toBeCloseTo(0.8, 12);
  expect(queueAgeS.max).toBe(4);
  // The age went from 0 to 4: for 1 % of 10 s it was above 3.9.
  expect(queueAgeS.p99).toBeCloseTo(3.9, 12);
  expect(timeline.at(-1)?.tS).toBeCloseTo(14, 6);
});

it('bins time and decisions by queue age, with the empty queue apart', () => {
  const fold = createFold(scenarioOf(), full);
  fold.state(stateOf({ atUs: 0, leased: 1 }));
  fold.decision(decisionOf());
  fold.state(stateOf({ atUs: 2 * S, leased: 1, oldestUs: 2 * S, queued: 1 }));
  fold.busy(busyOf(4 * S, 1 * S));
  fold.decision(decisionOf({ seq: 1, atUs: 5 * S, ageUs: 3 * S, decision: 'rejected' }));
  fold.state(stateOf({ atUs: 6 * S, leased: 0 }));
  fold.busy(busyOf(10 * S, 1 * S));
  fold.request(requestOf({ endUs: 5 * S }));
  const { byQueueAge } = fold.finish(CONTEXT);
  const [empty, ...bins] = byQueueAge;
  expect(empty).toMatchObject({ fromS: 0, toS: 0, timeS: 6, decisions: 1, sloBreached: 1 });
  expect(empty?.slots).toBeCloseTo(2 / 6, 12);
  // Half of what was done by t = 4 belongs to the two empty seconds.
  expect(empty?.busy).toBeCloseTo(0.5 / 6, 12);
  expect(bins.reduce((sum, bin) => sum + bin.timeS, 0)).toBeCloseTo(4, 9);
  const atThree = bins.find((bin) => bin.fromS <= 3 && (bin.toS ?? 99) > 3);
  expect(atThree).toMatchObject({ rejected: 1, decisions: 1, slots: 1, busy: 0 });
});

it('says null, not 0, where there is no data', () => {
  const { rates, responseS, utilization, queueAgeS, byQueueAge } = createFold(
    scenarioOf(),
    full,
  ).finish(CONTEXT);
  expect(rates).toEqual({ rejection: null, breach: null, goodput: null });
  expect(responseS).toEqual({ n: 0, mean: null, p50: null, p95: null, p99: null, max: null });
  expect(utilization).toEqual({ slots: null, busy: null });
  expect(queueAgeS).toEqual({ mean: null, p99: null, max: null });
  expect(byQueueAge).toMatchObject([{ decisions: 0, busy: null }]);
});

it('drops what arrived in the warm-up from figures and bins, not from the timeline', () => {
  const fold = createFold(scenarioOf({ warmupS: 1 }), full);
  for (const seq of [0, 1]) {
    fold.decision(decisionOf({ seq, atUs: seq * S }));
    fold.request(requestOf({ seq, intendedUs: seq * S, endUs: seq * S + 1 }));
  }
  fold.decision(decisionOf({ seq: 0, attempt: 1, atUs: 3 * S, decision: 'rejected' }));
  const { outcomes, byQueueAge, attempts, timeline } = fold.finish(CONTEXT);
  expect(outcomes.offered).toBe(1);
  expect(byQueueAge[0]?.decisions).toBe(1);
  expect(attempts.rejected).toBe(0);
  expect(timeline.reduce((sum, point) => sum + point.completed, 0)).toBe(2);
});

it('gives a sweep the same figures as a full fold, without its charts', () => {
  const folds = [createFold(scenarioOf(), full), createFold(scenarioOf(), { detail: 'figures' })];
  const [whole, light] = folds.map((fold) => {
    fold.state(stateOf({ leased: 1 }));
    fold.request(requestOf());
    fold.busy(busyOf(10 * S, 1 * S));
    return fold.figures();
  });
  expect(whole).toMatchObject(light ?? {});
  expect(light?.['utilization.busy']).toBeCloseTo(0.1, 12);
  const result = createFold(scenarioOf(), { detail: 'figures' }).finish(CONTEXT);
  expect(result.timeline).toEqual([]);
  expect(result.health.status).toBe('ok');
});

const preempt = {
  kind: 'preempt',
  atUs: 1,
  class: 'small',
  slackUs: null,
  queueAgeUs: 0,
} as const;

it('counts as wasted what was made for a late, a failed and a preempted request, once', () => {
  const fold = createFold(scenarioOf(), full);
  fold.preempt({ ...preempt, seq: 0, wastedTokens: 3, restartTokens: 13, replayed: true });
  fold.preempt({ ...preempt, seq: 1, wastedTokens: 5, restartTokens: 15, replayed: false });
  fold.request(requestOf({ seq: 0, preempts: 1, restartTokens: 13 }));
  fold.request(requestOf({ seq: 1, outcome: 'failed', code: 'restart_tokens', restartTokens: 15 }));
  fold.request(requestOf({ seq: 2, outcome: 'failed', code: 'reset', outTokens: 7 }));
  fold.request(requestOf({ seq: 3, endUs: 3 * S, outTokens: 11 }));
  const { tokens } = fold.finish(CONTEXT);
  expect(tokens).toMatchObject({ out: 28, restarted: 28, wasted: 26 });
});

it('counts as redone what was started again, and its share of all that was worked (E4)', () => {
  const fold = createFold(scenarioOf(), full);
  fold.preempt({ ...preempt, seq: 0, wastedTokens: 3, restartTokens: 13, replayed: true });
  fold.preempt({ ...preempt, seq: 0, wastedTokens: 4, restartTokens: 14, replayed: true });
  // Runbook 001's last replay is refused: its tokens are charged, and never made again.
  fold.preempt({ ...preempt, seq: 1, wastedTokens: 5, restartTokens: 15, replayed: false });
  fold.request(requestOf({ seq: 0, preempts: 2, restartTokens: 27 }));
  const failed = { outcome: 'failed', code: 'restart_tokens', preempts: 1 } as const;
  fold.request(requestOf({ seq: 1, ...failed, restartTokens: 15 }));
  fold.request(requestOf({ seq: 2 }));
  fold.request(requestOf({ seq: 3, outcome: 'rejected', code: 'queue_age', waitUs: null }));
  const { tokens, preempts, preemptsPerTask, lostToPreempts } = fold.finish(CONTEXT);
  expect(preempts).toBe(3);
  expect(lostToPreempts).toBe(1);
  expect(preemptsPerTask).toEqual({ mean: 1, max: 2 });
  // Prompts of 10 and outputs of 5 of three, and 27 twice.
  expect(tokens).toMatchObject({ restarted: 42, redone: 27, worked: 72, redoneShare: 27 / 72 });
});

it('tells what was left of a task’s deadline at its preempt, whichever is told first', () => {
  const classes = { small: classOf({ deadlineS: 60 }), free: classOf() };
  const fold = createFold(scenarioOf({ classes }), full);
  const at = { ...preempt, wastedTokens: 3, restartTokens: 13, replayed: true };
  fold.preempt({ ...at, seq: 0, atUs: 20 * S });
  fold.request(requestOf({ seq: 0, preempts: 1, doorUs: 5 * S }));
  fold.request(requestOf({ seq: 1, preempts: 1, doorUs: 10 * S }));
  fold.preempt({ ...at, seq: 1, atUs: 80 * S });
  fold.request(requestOf({ seq: 2, class: 'free', preempts: 1 }));
  fold.preempt({ ...at, seq: 2, class: 'free' });
  const { preempts } = fold.finish(CONTEXT).series;
  expect(preempts.map(({ taskSlackS }) => taskSlackS)).toEqual([45, -10, null]);
});

it('leaves the preempts of the warm-up out, whichever of preempt and request is told first', () => {
  const fold = createFold(scenarioOf({ warmupS: 5 }), full);
  const lost = { ...preempt, wastedTokens: 5, restartTokens: 15, replayed: false };
  const redone = { ...preempt, wastedTokens: 3, restartTokens: 13, replayed: true };
  const failed = { outcome: 'failed', code: 'restart_tokens', preempts: 1 } as const;
  fold.request(requestOf({ seq: 0, ...failed, intendedUs: 1 * S, endUs: 2 * S }));
  fold.preempt({ ...lost, seq: 0 });
  fold.preempt({ ...redone, seq: 1 });
  fold.preempt({ ...redone, seq: 2 });
  fold.request(requestOf({ seq: 1, preempts: 1, intendedUs: 4 * S, endUs: 6 * S }));
  fold.request(requestOf({ seq: 2, preempts: 1, intendedUs: 6 * S, endUs: 7 * S }));
  expect(fold.finish(CONTEXT)).toMatchObject({
    tokens: { wasted: 3, redone: 13, redoneShare: 13 / 28 },
    preemptsPerTask: { mean: 1, max: 1 },
  });
});

it('gives a share of redone work that the compute of the upstream confirms', () => {
  const gapS = 0.05;
  const result = simulateResult(
    parseScenario({
      ...{ name: 'confirmed', durationS: 4000, sloS: 1e6, arrivals: { ratePerS: 0.05 } },
      classes: { batch: { kind: 'batch', inTokens: 1, outTokens: 400, replay: true } },
      gate: { slots: 4 },
      model: {
        service: { tokens: { prefillPerS: 1e6, gapS } },
        ...{ checkpointTokens: 100, resume: true, preempts: { type: 'rate', perS: 0.05 } },
      },
    }),
  );
  const { tokens, utilization } = result;
  const computeS = (numberOf(utilization.busy) ?? 0) * 4 * 4000;
  const made = numberOf(tokens.out) ?? 0;
  expect(tokens.redoneShare).toBeGreaterThan(0.1);
  expect(1 - (numberOf(tokens.redoneShare) ?? 0)).toBeCloseTo((made * gapS) / computeS, 2);
});

it('counts an idle end as not busy, and an unread one as unknown', () => {
  const busyOfRun = (leasedAtEnd: number) => {
    const fold = createFold(scenarioOf(), full);
    fold.state(stateOf({ leased: 1 }));
    fold.state(stateOf({ atUs: 5 * S, leased: leasedAtEnd }));
    fold.busy(busyOf(5 * S, 5 * S));
    return fold.finish(CONTEXT);
  };
  expect(busyOfRun(0).utilization.busy).toBe(0.5);
  expect(busyOfRun(0).timeline.at(-1)?.busy).toBe(0);
  expect(busyOfRun(1).utilization.busy).toBe(1);
  expect(busyOfRun(1).timeline.at(-1)?.busy).toBeNull();
});

it('refuses rows that go back in time', () => {
  const fold = createFold(scenarioOf(), full);
  fold.state(stateOf({ atUs: 5 }));
  expect(() => fold.state(stateOf({ atUs: 4 }))).toThrow('rows out of order');
});
