import { describe, expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { NO_LIMITS } from '../../src/engine/live/breaker.ts';
import { startRunClock } from '../../src/engine/live/clock.ts';
import type { Exchange, Wire, WireEvents } from '../../src/engine/live/wire.ts';
import { type LiveOptions, startLive } from '../../src/engine/live.ts';
import type { ClientLine } from '../../src/ledger/lines.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

/** Wall seconds per scenario second: a run of ten seconds takes a tenth of one. */
const TIME_SCALE = 0.01;
const WHOLE = Buffer.from(
  'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":2,"completion_tokens":7}}\n\n',
);

type Behave = (events: WireEvents, number: number) => void;

const SSE = { 'content-type': 'text/event-stream' };

function answerAll(events: WireEvents): void {
  events.onSent();
  setImmediate(() => {
    events.onHead(200, SSE);
    events.onChunk(WHOLE);
    events.onEnd();
  });
}

/** A wire without a network, which counts what is given up. */
function fakeWire(behave: Behave): Wire & { aborted: number; sent: number } {
  const wire = {
    aborted: 0,
    sent: 0,
    send(_request: unknown, events: WireEvents): Exchange {
      behave(events, wire.sent++);
      return {
        pause: () => {},
        resume: () => {},
        abort: () => {
          wire.aborted++;
        },
      };
    },
    close: async () => {},
  };
  return wire;
}

function play(input: object, behave: Behave, changes: Partial<LiveOptions> = {}) {
  const scenario = parseScenario({
    durationS: 10,
    arrivals: { process: 'constant', ratePerS: 2 },
    ...input,
  });
  const schedule = buildSchedule(scenario);
  const lines: ClientLine[] = [];
  const wire = fakeWire(behave);
  const run = startLive({
    ...{ scenario, schedule, wire, gated: true },
    request: {
      ...{ path: '/', model: 'm', apiKey: undefined },
      ...{ tellFacts: true, askUsage: true, fitPrompt: false },
    },
    clock: startRunClock(TIME_SCALE, performance.now() + 5),
    record: (line) => lines.push(line),
    drainS: null,
    limits: NO_LIMITS,
    ...changes,
  });
  return { run, schedule, lines, wire };
}

function outcomes(lines: readonly ClientLine[]): string[] {
  return lines.flatMap((line) =>
    'out' in line && line.out.type === 'settled' ? [line.out.outcome] : [],
  );
}

describe('the live engine', () => {
  it('sends every arrival, none before its time, and ends when nothing is left', async () => {
    const { run, schedule, lines } = play({}, answerAll);
    const end = await run.done;
    expect(end).toMatchObject({ interrupted: false, why: null });
    expect(outcomes(lines)).toEqual(schedule.arrivals.map(() => 'completed'));
    const arrived = lines.filter((line) => 'in' in line && line.in.type === 'arrive');
    for (const [i, { t }] of arrived.entries()) {
      expect(t).toBeGreaterThanOrEqual(schedule.arrivals[i]!.atUs);
    }
    expect(lines.at(-1)).toMatchObject({ end: { interrupted: false } });
  });

  it('records what the wire did, in order, with the tokens that the server counted', async () => {
    const { run, lines } = play({}, answerAll);
    await run.done;
    const wire = lines.flatMap((line) =>
      'wire' in line && line.wire.seq === 0 ? [line.wire] : [],
    );
    expect(wire.map(({ event }) => event)).toEqual([
      ...['sent', 'firstByte', 'firstToken', 'firstContent', 'end'],
    ]);
    expect(wire.at(-1)).toMatchObject({ status: 200, inTokens: 2, outTokens: 7 });
  });

  it('never has more in flight than it may, and leaves the rest unsent', async () => {
    const { run, lines, wire } = play({ maxInFlight: 3 }, (events) => events.onSent(), {
      drainS: 1,
    });
    await run.done;
    expect(wire.sent).toBe(3);
    expect(outcomes(lines)).toEqual(['censored', 'censored', 'censored']);
    expect(wire.aborted).toBe(3);
  });

  it('ends a drain at its limit, which is no interruption', async () => {
    const { run } = play({ durationS: 2 }, (events) => events.onSent(), { drainS: 3 });
    const end = await run.done;
    expect(end.interrupted).toBe(false);
    expect(end.endUs).toBeGreaterThanOrEqual(5_000_000);
  });

  it('hangs up where patience ends, and fails what takes too long', async () => {
    const classes = { task: { patience: { fixed: 1 } } };
    const impatient = play({ classes }, (events) => events.onSent());
    await impatient.run.done;
    expect(new Set(outcomes(impatient.lines))).toEqual(new Set(['abandoned']));
    expect(impatient.wire.aborted).toBe(impatient.wire.sent);
    const timed = play({ classes: { task: { timeoutS: 1 } } }, (events) => {
      events.onSent();
      events.onHead(200, SSE);
    });
    await timed.run.done;
    expect(new Set(outcomes(timed.lines))).toEqual(new Set(['failed']));
  });

  it('tries again as the class says, and says which attempt it is', async () => {
    const classes = { task: { retry: { max: 1, baseS: 0.1, jitter: 'none', budget: null } } };
    const refusal = { 'x-loadline-decision': 'reject', 'x-loadline-reason': 'queue_age' };
    const { run, lines, wire, schedule } = play({ classes }, (events) => {
      events.onSent();
      setImmediate(() => {
        events.onHead(429, refusal);
        events.onEnd();
      });
    });
    await run.done;
    expect(wire.sent).toBe(2 * schedule.arrivals.length);
    expect(new Set(outcomes(lines))).toEqual(new Set(['rejected']));
  });

  it('keeps what was measured when it is told to stop', async () => {
    const controller = new AbortController();
    const { run, lines } = play(
      {},
      (events, number) => {
        if (number === 3) controller.abort();
        answerAll(events);
      },
      { signal: controller.signal },
    );
    expect(await run.done).toMatchObject({ interrupted: true, why: 'interrupted' });
    expect(outcomes(lines)).toHaveLength(4);
    expect(lines.at(-1)).toMatchObject({ end: { interrupted: true } });
  });

  it('ends at its first instant when it is told to stop before that', async () => {
    const told = AbortSignal.abort();
    const clock = startRunClock(TIME_SCALE, performance.now() + 50);
    const { run, lines, wire } = play({}, answerAll, { signal: told, clock });
    expect(await run.done).toMatchObject({ interrupted: true, why: 'interrupted' });
    expect(wire.sent).toBe(0);
    expect(lines.every((line) => line.t >= 0)).toBe(true);
    expect(lines.at(-1)).toMatchObject({ end: { interrupted: true } });
  });

  it('sends no more than it may, and lets those end', async () => {
    const { run, lines, wire } = play({}, answerAll, { limits: { ...NO_LIMITS, maxRequests: 2 } });
    expect(await run.done).toMatchObject({ interrupted: true, why: '--max-requests 2 reached' });
    expect(wire.sent).toBe(2);
    expect(outcomes(lines)).toEqual(['completed', 'completed']);
  });

  it('gives up on a server that only fails', async () => {
    const { run } = play(
      {},
      (events) => {
        events.onSent();
        setImmediate(() => events.onFail({ kind: 'reset', message: 'reset', untouched: false }));
      },
      { limits: { ...NO_LIMITS, maxFailuresInARow: 3 } },
    );
    expect((await run.done).why).toMatch(/^3 requests in a row failed/);
  });
});
