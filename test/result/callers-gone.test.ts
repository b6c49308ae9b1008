import { describe, expect, it } from 'vitest';
import { simulateResult } from '../../src/commands/simulate.ts';
import { gateTable } from '../../src/report/tables.ts';
import { numberOf } from '../../src/result/figure.ts';
import { createFold } from '../../src/result/fold.ts';
import { resultTable } from '../../src/result/table.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import { CONTEXT, requestOf, scenarioOf } from './rows-of-a-run.ts';

const S = 1_000_000;

describe('work for callers who left', () => {
  it('is what their slots did, before they left and after', () => {
    const fold = createFold(scenarioOf(), { detail: 'full' });
    const granted = { intendedUs: 0, sentUs: 0, doorUs: 0, waitUs: S };
    fold.request(requestOf({ ...granted, seq: 0, heldUs: 2 * S, endUs: 3 * S }));
    // Leaves at 2.5 s; the slot comes back at 3 s.
    const left = { outcome: 'failed', code: 'timeout', endUs: 2.5 * S } as const;
    fold.request(requestOf({ ...granted, ...left, seq: 1, heldUs: 2 * S }));
    const bored = { outcome: 'abandoned', code: null, endUs: 2 * S } as const;
    fold.request(requestOf({ ...granted, ...bored, seq: 2, heldUs: S }));
    const result = fold.finish(CONTEXT);
    expect(result.callersGone).toEqual({ slotS: 3, afterS: 0.5, share: 3 / 5 });
    expect(resultTable(result)).toMatch(
      /for callers who left +3\.00 slot-s, 60\.0 % of all; 0\.500 s of it after they had left/,
    );
    expect(JSON.stringify(gateTable(result))).toContain('slot time for callers who left');
  });

  it('is not what failed for another reason, nor who left the queue', () => {
    const fold = createFold(scenarioOf(), { detail: 'full' });
    const granted = { doorUs: 0, waitUs: 0, heldUs: S };
    fold.request(requestOf({ ...granted, seq: 0, outcome: 'failed', code: 'reset' }));
    fold.request(requestOf({ seq: 1, outcome: 'abandoned', waitUs: null, heldUs: null }));
    const result = fold.finish(CONTEXT);
    expect(result.callersGone).toEqual({ slotS: 0, afterS: 0, share: 0 });
    expect(resultTable(result)).not.toContain('callers who left');
    expect(JSON.stringify(gateTable(result))).not.toContain('callers who left');
  });

  it('is unknown where no slot was seen', () => {
    const fold = createFold(scenarioOf(), { detail: 'full' });
    fold.request(requestOf({ outcome: 'abandoned', doorUs: null, waitUs: null, heldUs: null }));
    expect(fold.finish(CONTEXT).callersGone).toEqual({ slotS: null, afterS: null, share: null });
  });
});

describe('callers with a timeout of 2 s before one slot and a service of 1 s (A17)', () => {
  const shareWith = (gate: Record<string, unknown>, arrivals: Record<string, unknown>) =>
    numberOf(
      simulateResult(
        parseScenario({
          ...{ durationS: 300, sloS: 2, arrivals },
          classes: { a: { timeoutS: 2 } },
          gate: { slots: 1, ...gate },
          model: { service: { fixed: 1 } },
        }),
      ).callersGone?.share ?? null,
    );
  /** Twenty within a second, as twenty connections are. */
  const crowd = { process: 'at', atS: Array.from({ length: 20 }, (_, i) => 0.05 * i) };

  it('waste slot time where all may wait, and none where the wait is at most 1 s', () => {
    expect(shareWith({}, crowd)).toBeGreaterThan(0.2);
    expect(shareWith({ maxWaitS: 1 }, crowd)).toBe(0);
  });

  it('waste more the longer the queue may be', () => {
    const steady = { ratePerS: 2 };
    const shares = [0, 1, 2, 20].map((queueCapacity) => shareWith({ queueCapacity }, steady) ?? -1);
    expect(shares[0]).toBe(0);
    expect(shares[1]).toBe(0);
    expect(shares[2]).toBeGreaterThan(0.01);
    expect(shares[3]).toBeGreaterThan((shares[2] ?? 1) + 0.05);
  });
});
