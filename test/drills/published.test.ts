import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PUBLISHED_ADMISSION, publishedAdmission } from '../../src/drills/admission-published.ts';
import { publishedLeaseHold, publishedSummary } from '../../src/drills/lease-hold-published.ts';
import { PUBLISHED_PREEMPT, publishedPreempt } from '../../src/drills/preempt-published.ts';
import { drawsAt, streamKey } from '../../src/random.ts';

const GOLDEN = '../shared/golden';
const golden = existsSync(GOLDEN);
if (!golden) console.log(`skipped: what the published scripts print is not at ${GOLDEN}`);

function read(name: string): string {
  return readFileSync(`${GOLDEN}/${name}`, 'utf8');
}

function lines(name: string): unknown[] {
  return read(name)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('the published drill of runbook 000', () => {
  it.runIf(golden).each(['reject', 'admit'] as const)(
    'prints its golden log in mode %s',
    (mode) => {
      expect(publishedLeaseHold(mode)).toEqual(
        JSON.parse(read(`runbook-000-published-${mode}.json`)),
      );
    },
  );

  it('dequeues two of six jobs, the older at an age of 165 s', () => {
    const reject = publishedSummary(publishedLeaseHold('reject'));
    const admit = publishedSummary(publishedLeaseHold('admit'));
    expect(reject).toEqual({ dequeued: 2, maxAgeS: 165, rejects: 0 });
    expect(admit).toEqual({ dequeued: 2, maxAgeS: 165, rejects: 1 });
  });
});

describe('the published drill of runbook 001', () => {
  it.runIf(golden)('prints its golden ledger on the happy path', () => {
    const events = publishedPreempt(PUBLISHED_PREEMPT, () => 0);
    expect(events).toEqual(lines('runbook-001-published-happy.jsonl'));
  });

  it.runIf(golden)('prints its golden ledger when preempted', () => {
    const ages = [0, 100, 100];
    const options = { ...PUBLISHED_PREEMPT, simulatePreempt: true };
    const events = publishedPreempt(options, () => ages.shift() ?? 100);
    expect(events).toEqual(lines('runbook-001-published-preempt.jsonl'));
  });

  it('refuses a task that is older than half its deadline, and one without slack', () => {
    const late = publishedPreempt(PUBLISHED_PREEMPT, () => 60_001);
    const lost = publishedPreempt(PUBLISHED_PREEMPT, () => 120_000);
    expect(late.map(({ reason }) => reason)).toEqual(['queue_age']);
    expect(lost.map(({ reason }) => reason)).toEqual(['slack_zero']);
  });

  it('stops after two preempts even where tokens are free', () => {
    const options = {
      ...PUBLISHED_PREEMPT,
      maxPreempts: 1,
      restartFraction: 9,
      simulatePreempt: true,
    };
    const events = publishedPreempt(options, () => 0);
    expect(events.at(-2)).toMatchObject({ event: 'reject', reason: 'preempt_budget' });
    expect(events.at(-1)).toMatchObject({ event: 'drain', action: 'fail_task_not_replay' });
  });
});

describe('the published harness of runbook 003', () => {
  const run = (seed: number) => {
    const rng = drawsAt(streamKey(seed, 'published'));
    return publishedAdmission(PUBLISHED_ADMISSION, {
      gap: () => rng.exponential(),
      serviceS: () => 5 + 25 * rng.uniform(),
    });
  };

  it('offers about a fifth of the 336 arrivals of its schedule, because it stalls', () => {
    const runs = Array.from({ length: 200 }, (_, seed) => run(seed));
    const mean = runs.reduce((sum, { offered }) => sum + offered, 0) / runs.length;
    expect(mean).toBeGreaterThan(60);
    expect(mean).toBeLessThan(80);
    expect(runs.every(({ stalledS }) => stalledS > 100)).toBe(true);
  });

  it('rejects and breaches nothing', () => {
    expect(run(1)).toMatchObject({ rejected: 0, sloBreach: 0 });
  });
});
