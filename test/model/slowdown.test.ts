import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/model/types.ts';
import { model, play, start } from './support.ts';

interface Job {
  readonly atUs: number;
  readonly serviceUs: number;
  readonly cancelUs: number | null;
}

interface Ended {
  readonly firstUs: number;
  readonly endUs: number;
}

/** Small steps: each microsecond every request in service gets `speed` microseconds of work. */
function smallSteps(jobs: readonly Job[], perRequest: number, from: number): Map<number, Ended> {
  const done = new Map<number, Ended>();
  const left = new Map<number, { work: number; first: number }>();
  for (let t = 0; t < 20_000; t++) {
    jobs.forEach(({ atUs, cancelUs }, id) => {
      if (atUs === t) left.set(id, { work: 0, first: -1 });
      if (cancelUs === t) left.delete(id);
    });
    const speed = 1 / (1 + perRequest * Math.max(0, left.size - from));
    for (const [id, state] of [...left]) {
      const { serviceUs } = jobs[id]!;
      state.work += speed;
      if (state.first < 0 && state.work >= serviceUs / 4 - 1e-6) state.first = t + 1;
      if (state.work >= serviceUs - 1e-6) {
        done.set(id, { firstUs: state.first, endUs: t + 1 });
        left.delete(id);
      }
    }
  }
  return done;
}

function machine(jobs: readonly Job[], perRequest: number, from: number): Map<number, Ended> {
  const m = model({ slowdown: { perRequest, from } });
  const inputs = jobs.flatMap(({ atUs, serviceUs, cancelUs }, id) => [
    { at: atUs, input: start(id, { serviceUs, outTokens: 4 }) },
    ...(cancelUs === null ? [] : [{ at: cancelUs, input: { type: 'cancel' as const, id } }]),
  ]);
  inputs.sort((a, b) => a.at - b.at);
  const effects: Effect[] = [];
  for (const { at, input } of inputs) {
    effects.push(...play(m, at));
    effects.push(...m.apply(input, at));
  }
  effects.push(...play(m));
  const done = new Map<number, Ended>();
  for (const each of effects) {
    if (each.type === 'finished') {
      done.set(each.id, { firstUs: each.firstTokenUs, endUs: each.atUs });
    }
  }
  return done;
}

const job = fc
  .record({
    atUs: fc.integer({ min: 0, max: 600 }),
    serviceUs: fc.integer({ min: 4, max: 400 }),
    stays: fc.option(fc.integer({ min: 1, max: 300 }), { nil: null }),
  })
  .map(({ atUs, serviceUs, stays }) => ({
    atUs,
    serviceUs,
    cancelUs: stays === null ? null : atUs + stays,
  }));

describe('under slow-down', () => {
  it('work ends when the load says: two at half speed each', () => {
    const m = model({ slowdown: { perRequest: 1, from: 1 } });
    m.apply(start(1, { serviceUs: 1000 }), 0);
    m.apply(start(2, { serviceUs: 1000 }), 500);
    // 500 alone, 1000 at half speed, and the other then finishes alone.
    expect(play(m)).toMatchObject([
      { type: 'finished', id: 1, atUs: 1500, firstTokenUs: 100 },
      { type: 'finished', id: 2, atUs: 2000, firstTokenUs: 700 },
    ]);
  });

  it('agrees with small steps of one microsecond, first tokens too', () => {
    fc.assert(
      fc.property(
        fc.array(job, { minLength: 1, maxLength: 8 }),
        fc.constantFrom(0, 0.25, 1, 3),
        fc.integer({ min: 0, max: 3 }),
        (jobs, perRequest, from) => {
          const expected = smallSteps(jobs, perRequest, from);
          const got = machine(jobs, perRequest, from);
          // A step's rounding may move a later end by a microsecond for each change of load.
          for (const [id, { firstUs, endUs }] of expected) {
            const mine = got.get(id);
            if (mine === undefined) continue;
            expect(Math.abs(mine.endUs - endUs)).toBeLessThanOrEqual(8);
            expect(Math.abs(mine.firstUs - firstUs)).toBeLessThanOrEqual(8);
          }
          const isClose = (id: number) => {
            const { cancelUs } = jobs[id]!;
            const end = expected.get(id)?.endUs ?? got.get(id)?.endUs ?? 0;
            return cancelUs !== null && Math.abs(cancelUs - end) <= 8;
          };
          const sure = (ids: Iterable<number>) => [...ids].filter((id) => !isClose(id)).sort();
          expect(sure(got.keys())).toEqual(sure(expected.keys()));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('ends whole work in the order of the work clock, whatever the load does', () => {
    fc.assert(
      fc.property(fc.array(job, { minLength: 2, maxLength: 20 }), (jobs) => {
        const at0 = jobs.map(({ serviceUs }) => ({ atUs: 0, serviceUs, cancelUs: null }));
        const ended = [...machine(at0, 0.5, 1).keys()].map((id) => at0[id]!.serviceUs);
        expect(ended).toEqual([...ended].sort((a, b) => a - b));
      }),
      { numRuns: 100 },
    );
  });

  it('keeps the first token of a run that met the change of the rule half way', () => {
    const m = model({ firstTokenUs: 300 });
    m.apply(start(1, { serviceUs: 1000, outTokens: 2 }), 0);
    m.apply(start(2, { serviceUs: 1000, outTokens: 2 }), 200);
    m.apply({ type: 'configure', config: { slowdown: { perRequest: 1, from: 1 } } }, 400);
    expect(play(m)).toMatchObject([
      { id: 1, firstTokenUs: 300, atUs: 1600 },
      { id: 2, firstTokenUs: 600, atUs: 1800 },
    ]);
  });

  it('tells when the next token comes as the load stands', () => {
    const m = model({ slowdown: { perRequest: 1, from: 1 } });
    m.apply(start(1, { serviceUs: 1000, outTokens: 10 }), 0);
    expect(m.nextTokenUs(1, 0)).toBe(100);
    m.apply(start(2, { serviceUs: 1000 }), 50);
    expect(m.nextTokenUs(1, 50)).toBe(150);
    expect(m.tokens(1, 149)).toBe(0);
    expect(m.tokens(1, 150)).toBe(1);
  });
});
