import { describe, expect, it } from 'vitest';
import { backwardsIn, backwardsNotes } from '../../../src/engine/k6/backwards.ts';
import type { Facts } from '../../../src/engine/k6/metrics.ts';
import { sayRows } from '../../../src/engine/k6/rows.ts';
import { createFold } from '../../../src/result/fold.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';

const S = 1_000_000;
const scenario = parseScenario({ durationS: 10, arrivals: { ratePerS: 1 } });
const [name = ''] = Object.keys(scenario.classes);
const demand = { serviceUs: S, inTokens: 1, outTokens: 1, holdUs: 0 };
const arrivals = [0, 1, 2, 3, 4, 5].map((seq) => ({
  ...{ seq, atUs: seq * S, class: name, keySeq: seq, demand },
}));

function factsOf(seq: number, change: Partial<Facts> = {}): [number, Facts] {
  const atUs = seq * S;
  const times = { sentUs: atUs + 100, firstByteUs: atUs + 200, endUs: atUs + S };
  const rest = { status: 200, outcome: 'completed', code: '', inTokens: 1, outTokens: 1 } as const;
  return [seq, { seq, ...times, ...rest, queueAgeUs: -1, waitUs: -1, ...change }];
}

describe('times that run backwards in an import (D11)', () => {
  const facts = new Map([
    factsOf(0),
    factsOf(1, { endUs: S - 4.2 * S }),
    factsOf(2, { sentUs: S, firstByteUs: 2 * S }),
    factsOf(3, { firstByteUs: 3 * S - 5 * S }),
    factsOf(4, { firstByteUs: 9 * S }),
    factsOf(5, { waitUs: 2 * S, queueAgeUs: 0 }),
  ]);

  it('are found, whichever instant is the wrong one', () => {
    expect(backwardsIn(facts, arrivals)).toEqual([
      { seq: 1, text: 'ended 4.2 s before it was sent' },
      { seq: 2, text: 'was sent 1 s before it was due' },
      { seq: 3, text: 'was answered 5 s before it was sent' },
      { seq: 4, text: 'ended 4 s before its answer began' },
      { seq: 5, text: 'waited 1 s longer than it took' },
    ]);
  });

  it('are counted and listed, the first of many by name', () => {
    const found = backwardsIn(facts, arrivals);
    expect(backwardsNotes(found, 6)[0]).toMatch(/^5 of 6 arrivals .*: 1 ended 4\.2 s before/);
    const many = Array.from({ length: 20 }, (_, seq) => ({ seq, text: 'x' }));
    expect(backwardsNotes(many, 20)[0]).toContain('; 12 more');
    expect(backwardsNotes([], 6)).toEqual([]);
  });

  it('do not make a duration below 0', () => {
    const fold = createFold(scenario, { detail: 'full' });
    const sentUs = new Map([...facts].map(([seq, each]) => [seq, each.sentUs]));
    sayRows({ facts, sentUs }, arrivals, scenario, fold);
    for (const [path, value] of Object.entries(fold.figures())) {
      if (/S\.(mean|p50|max)$/.test(path)) expect(value ?? 0, path).toBeGreaterThanOrEqual(0);
    }
  });

  it('are no matter of a millisecond of rounding', () => {
    expect(backwardsIn(new Map([factsOf(0, { firstByteUs: S + 900 })]), arrivals)).toEqual([]);
  });
});
