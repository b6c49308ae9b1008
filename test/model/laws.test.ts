import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effect, Input, ModelConfig, Preempts } from '../../src/model/types.ts';
import { model, start } from './support.ts';

type Step =
  | {
      readonly kind: 'start';
      readonly serviceUs: number;
      readonly out: number;
      readonly hold: boolean;
    }
  | { readonly kind: 'cancel' | 'preempt'; readonly pick: number }
  | { readonly kind: 'all' | 'tick' | 'slots'; readonly pick: number };

const step: fc.Arbitrary<{ readonly after: number; readonly what: Step }> = fc.record({
  after: fc.integer({ min: 0, max: 800 }),
  what: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('start' as const),
        serviceUs: fc.integer({ min: 0, max: 3000 }),
        out: fc.integer({ min: 0, max: 50 }),
        hold: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('cancel' as const, 'preempt' as const),
        pick: fc.nat(30),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('all' as const, 'tick' as const, 'slots' as const),
        pick: fc.nat(4),
      }),
    },
  ),
});

const preempts: fc.Arbitrary<Preempts> = fc.constantFrom<Preempts>(
  { type: 'none' },
  { type: 'ticks', ticks: 2, tickTokens: 5 },
  { type: 'rate', perS: 500 },
  { type: 'memory', blocks: 20, blockTokens: 4 },
  { type: 'spot', atUs: [2000, 2300, 9000], noticeUs: 150, backUs: 700 },
);

const config: fc.Arbitrary<Partial<ModelConfig>> = fc.record({
  slots: fc.nat(4),
  slowdown: fc.record({ perRequest: fc.constantFrom(0, 0.3), from: fc.nat(2) }),
  compute: fc.constantFrom({}, { task: 0.25 }),
  checkpointTokens: fc.nat(10),
  preempts,
});

function inputOf(what: Step, id: number): Input {
  if (what.kind === 'start') {
    const { serviceUs, out, hold } = what;
    return start(id, { serviceUs, inTokens: out, outTokens: out, holdUs: hold ? 1 : 0 });
  }
  if (what.kind === 'cancel' || what.kind === 'preempt') return { type: what.kind, id: what.pick };
  if (what.kind === 'all') return { type: 'preempt' };
  if (what.kind === 'slots') return { type: 'configure', config: { slots: what.pick } };
  return { type: 'tick' };
}

interface Run {
  readonly effects: Effect[];
  readonly begun: number;
  readonly cancelled: number;
}

function run(
  change: Partial<ModelConfig>,
  steps: readonly { readonly after: number; readonly what: Step }[],
  check: (state: {
    readonly here: number;
    readonly busyUs: number;
    readonly nowUs: number;
  }) => void,
): Run {
  const m = model(change);
  const effects: Effect[] = [];
  let nowUs = 0;
  let begun = 0;
  let cancelled = 0;
  const apply = (input: Input, us: number): void => {
    const before = m.inService + m.waiting;
    const said = m.apply(input, us);
    const left = said.filter(({ type }) => type !== 'started').length;
    const added = input.type === 'start' ? 1 : 0;
    if (input.type === 'cancel') cancelled += before - left - (m.inService + m.waiting);
    else expect(m.inService + m.waiting).toBe(before + added - left);
    effects.push(...said);
    nowUs = us;
    check({ here: m.inService, busyUs: m.computeUs(us), nowUs: us });
  };
  const wake = (untilUs: number): void => {
    for (let i = 0; i < 5000; i++) {
      const due = m.nextWakeUs();
      if (due === Number.POSITIVE_INFINITY || due > untilUs) return;
      expect(due).toBeGreaterThanOrEqual(nowUs);
      apply({ type: 'tick' }, due);
    }
    throw new Error('the model never came to rest');
  };
  for (const { after, what } of steps) {
    const at = nowUs + after;
    wake(at);
    apply(inputOf(what, begun), at);
    if (what.kind === 'start') begun++;
  }
  apply({ type: 'configure', config: { slots: 0 } }, nowUs);
  wake(Number.POSITIVE_INFINITY);
  for (let id = 0; id < begun; id++) {
    apply({ type: 'cancel', id }, nowUs);
    wake(Number.POSITIVE_INFINITY);
  }
  expect([m.inService, m.waiting, m.nextWakeUs()]).toEqual([0, 0, Number.POSITIVE_INFINITY]);
  return { effects, begun, cancelled };
}

const steps = fc.array(step, { maxLength: 40 });

describe('whatever is done to it, the model', () => {
  it('ends each request once, and starts none that has ended', () => {
    fc.assert(
      fc.property(config, steps, (change, list) => {
        const { effects, begun, cancelled } = run(change, list, () => undefined);
        const started = new Set<number>();
        const ended = new Set<number>();
        for (const { type, id } of effects) {
          expect(ended.has(id)).toBe(false);
          if (type === 'started') {
            expect(started.has(id)).toBe(false);
            started.add(id);
          } else {
            expect(type === 'failed' || started.has(id)).toBe(true);
            ended.add(id);
          }
        }
        expect(ended.size + cancelled).toBe(begun);
      }),
      { numRuns: 400 },
    );
  });

  it('says things in order of time, and counts compute as the integral of its shares', () => {
    fc.assert(
      fc.property(config, steps, (change, list) => {
        const share = change.compute?.['task'] ?? 1;
        let sum = 0;
        let last = { here: 0, nowUs: 0 };
        const { effects } = run(change, list, ({ here, busyUs, nowUs }) => {
          sum += last.here * (nowUs - last.nowUs) * share;
          last = { here, nowUs };
          expect(busyUs).toBeCloseTo(sum, 6);
        });
        const times = effects.map(({ atUs }) => atUs);
        expect(times).toEqual([...times].sort((a, b) => a - b));
      }),
      { numRuns: 300 },
    );
  });

  it('never has more in service than it has slots, unless they were taken away', () => {
    fc.assert(
      fc.property(config, fc.integer({ min: 1, max: 3 }), steps, (change, slots, list) => {
        const fixed = list.filter(({ what }) => what.kind !== 'slots');
        const m = model({ ...change, slots });
        let nowUs = 0;
        fixed.forEach(({ after, what }, id) => {
          nowUs += after;
          m.apply(inputOf(what, id), nowUs);
          expect(m.inService).toBeLessThanOrEqual(slots);
        });
      }),
      { numRuns: 150 },
    );
  });

  it('does the same again, and the same when it is woken late', () => {
    fc.assert(
      fc.property(config, steps, (change, list) => {
        const prompt = run(change, list, () => undefined).effects;
        expect(run(change, list, () => undefined).effects).toEqual(prompt);
        const m = model(change);
        const late: Effect[] = [];
        let nowUs = 0;
        let id = 0;
        for (const { after, what } of list) {
          nowUs += after;
          late.push(...m.apply(inputOf(what, id), nowUs));
          if (what.kind === 'start') id++;
        }
        expect(late).toEqual(prompt.slice(0, late.length));
      }),
      { numRuns: 200 },
    );
  });

  it('makes tokens that only grow, and tells when the next comes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 60 }),
        fc.nat(80),
        fc.option(fc.nat(6000), { nil: null }),
        (serviceUs, outTokens, resumeTokens, firstTokenUs) => {
          const m = model({ firstTokenUs });
          m.apply(start(1, { serviceUs, outTokens }, { resumeTokens }), 0);
          let made = m.tokens(1, 0)!;
          for (let due = m.nextTokenUs(1, 0); due !== undefined; due = m.nextTokenUs(1, due)) {
            expect(m.tokens(1, Math.max(0, due - 1))).toBeLessThanOrEqual(
              Math.max(made, 0) + (due === 0 ? 60 : 0),
            );
            expect(m.tokens(1, due)).toBeGreaterThan(made);
            made = m.tokens(1, due)!;
            expect(due).toBeLessThanOrEqual(m.nextWakeUs());
          }
          expect(made).toBe(outTokens);
        },
      ),
      { numRuns: 300 },
    );
  });
});
