import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/model/types.ts';
import { lines, model, play, start } from './support.ts';

function memory(blocks: number, blockTokens = 10) {
  return { type: 'memory', blocks, blockTokens } as const;
}

describe('memory', () => {
  it('refuses at once what could never fit, and takes what just fits', () => {
    const m = model({ preempts: memory(4) });
    expect(m.apply(start(1, { inTokens: 31, outTokens: 10 }), 0)).toEqual([
      { type: 'failed', atUs: 0, id: 1, why: 'too_large' },
    ]);
    m.apply(start(2, { inTokens: 30, outTokens: 10 }), 0);
    expect(lines(play(m))).toEqual(['finished 2 @1000']);
    expect(m.tokens(1, 1000)).toBeUndefined();
  });

  it('grows with the tokens, in whole blocks', () => {
    const m = model({ preempts: memory(10) });
    m.apply(start(1, { inTokens: 15, outTokens: 20, serviceUs: 2000 }), 0);
    expect(m.memoryShare()).toBe(0.2);
    m.apply({ type: 'tick' }, 599);
    expect(m.memoryShare()).toBe(0.2);
    m.apply({ type: 'tick' }, 600);
    expect(m.memoryShare()).toBe(0.3);
  });

  it('evicts the youngest in the microsecond in which it runs out, and the oldest goes on', () => {
    const m = model({ preempts: memory(6), checkpointTokens: 5 });
    m.apply(start(1, { inTokens: 10, outTokens: 40, serviceUs: 4000 }), 0);
    m.apply(start(2, { inTokens: 10, outTokens: 40, serviceUs: 4000 }), 50);
    // At 2150 both hold three blocks; the oldest needs its fourth with its 21st token.
    const effects = play(m);
    expect(effects).toMatchObject([
      { type: 'preempted', id: 2, atUs: 2100, outTokens: 20, checkpointTokens: 20, why: 'memory' },
      { type: 'finished', id: 1, atUs: 4000 },
    ]);
  });

  it('lets work wait until its prompt fits', () => {
    const m = model({ preempts: memory(5) });
    m.apply(start(1, { inTokens: 25, outTokens: 5 }), 0);
    m.apply(start(2, { inTokens: 25, outTokens: 5 }), 0);
    expect(m.waiting).toBe(1);
    expect(lines(play(m))).toEqual(['finished 1 @1000', 'started 2 @1000', 'finished 2 @2000']);
  });

  it('does not start a victim only to evict it at the next token', () => {
    const m = model({ preempts: memory(6) });
    const work = { inTokens: 10, outTokens: 40, serviceUs: 4000 };
    m.apply(start(1, work), 0);
    m.apply(start(2, work), 50);
    play(m, 2100);
    m.apply(start(2, work), 2100);
    expect(m.waiting).toBe(1);
    expect(lines(play(m))).toEqual(['finished 1 @4000', 'started 2 @4000', 'finished 2 @8000']);
  });

  it('is far too small for its load, and yet every request ends with few evictions', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            atUs: fc.integer({ min: 0, max: 3000 }),
            inTokens: fc.integer({ min: 0, max: 60 }),
            outTokens: fc.integer({ min: 1, max: 60 }),
            serviceUs: fc.integer({ min: 1, max: 3000 }),
          }),
          { minLength: 1, maxLength: 12 },
        ),
        fc.integer({ min: 1, max: 14 }),
        fc.constantFrom(0, 0.5),
        (jobs, blocks, perRequest) => {
          const m = model({ preempts: memory(blocks), slowdown: { perRequest, from: 1 } });
          const ended = new Map<number, string>();
          let evictions = 0;
          const again: number[] = [];
          const see = (effects: readonly Effect[]): void => {
            for (const each of effects) {
              if (each.type === 'started') continue;
              if (each.type === 'preempted') {
                evictions++;
                again.push(each.id);
              } else {
                expect(ended.has(each.id)).toBe(false);
                ended.set(each.id, each.type);
              }
            }
          };
          const order = jobs.map((_, id) => id).sort((a, b) => jobs[a]!.atUs - jobs[b]!.atUs);
          const step = (untilUs: number): void => {
            for (let due = m.nextWakeUs(); due < Number.POSITIVE_INFINITY && due <= untilUs; ) {
              see(m.apply({ type: 'tick' }, due));
              expect(m.memoryShare()).toBeLessThanOrEqual(1);
              for (const id of again.splice(0)) see(m.apply(start(id, jobs[id]!), due));
              due = m.nextWakeUs();
            }
          };
          for (const id of order) {
            step(jobs[id]!.atUs);
            see(m.apply(start(id, jobs[id]!), jobs[id]!.atUs));
          }
          step(Number.POSITIVE_INFINITY);
          expect(ended.size).toBe(jobs.length);
          expect(evictions).toBeLessThanOrEqual(jobs.length ** 2);
          jobs.forEach(({ inTokens, outTokens }, id) => {
            const fits = Math.ceil((inTokens + outTokens) / 10) <= blocks;
            expect(ended.get(id)).toBe(fits ? 'finished' : 'failed');
          });
        },
      ),
      { numRuns: 150 },
    );
  });

  it('has nothing to say where there is none', () => {
    expect(model().memoryShare()).toBe(0);
  });
});
