import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeDemand, encodeDemand } from '../../src/model/demand-header.ts';
import { IdTable } from '../../src/model/id-table.ts';
import { WorkHeap } from '../../src/model/work-heap.ts';

describe('the demand header', () => {
  it('gives back what was put in, in at most 110 characters', () => {
    const whole = fc.nat(999_999_999);
    const long = fc.integer({ min: 0, max: 999_999_999_999_999 });
    const note = fc.record({
      demand: fc.record({ serviceUs: long, inTokens: whole, outTokens: whole, holdUs: long }),
      keySeq: long,
      attempt: whole,
    });
    fc.assert(
      fc.property(note, (given) => {
        const text = encodeDemand(given);
        expect(text.length).toBeLessThanOrEqual(110);
        expect(decodeDemand(text)).toEqual(given);
      }),
    );
  });

  it.each(['', 'service=1', 'service=1;in=2;out=3;hold=4;key=5;attempt=-1', '1,2,3,4,5,6'])(
    'is none where it reads %j',
    (text) => {
      expect(decodeDemand(text)).toBeUndefined();
    },
  );
});

const operations = fc.array(
  fc.record({ id: fc.integer({ min: -20, max: 60 }), adds: fc.boolean(), by: fc.nat(9) }),
  { maxLength: 400 },
);

describe('the id table', () => {
  it('does what a Map does, also with ids that fall on one place', () => {
    fc.assert(
      fc.property(operations, fc.constantFrom(1, 128, 2 ** 32), (list, stride) => {
        const table = new IdTable();
        const map = new Map<number, number>();
        list.forEach(({ id, adds }, i) => {
          const key = id * stride;
          if (adds) {
            expect(table.add(key, i)).toBe(!map.has(key));
            if (!map.has(key)) map.set(key, i);
          } else {
            table.delete(key);
            map.delete(key);
          }
        });
        for (let id = -20; id <= 60; id++) {
          expect(table.get(id * stride)).toBe(map.get(id * stride) ?? -1);
        }
      }),
    );
  });
});

describe('the work heap', () => {
  it('gives the smallest key first, then the smaller tie, whatever was taken out', () => {
    fc.assert(
      fc.property(operations, (list) => {
        const heap = new WorkHeap();
        const here = new Map<number, { key: number; tie: number }>();
        list.forEach(({ id, adds, by }, tie) => {
          const slot = id + 20;
          if (!adds) {
            heap.remove(slot);
            here.delete(slot);
          } else if (!here.has(slot)) {
            heap.push(slot, by, tie);
            here.set(slot, { key: by, tie });
          }
        });
        const expected = [...here]
          .sort(([, a], [, b]) => a.key - b.key || a.tie - b.tie)
          .map(([slot]) => slot);
        const got: number[] = [];
        while (heap.size > 0) {
          got.push(heap.topSlot());
          heap.remove(heap.topSlot());
        }
        expect(got).toEqual(expected);
      }),
    );
  });
});
