import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeDemand, encodeDemand } from '../../src/model/demand-header.ts';
import { DueHeap, type HeapEntry } from '../../src/model/due-heap.ts';

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

describe('the heap of what is due', () => {
  it('gives the smallest key first, then the smaller tie, whatever was taken out', () => {
    fc.assert(
      fc.property(operations, (list) => {
        const heap = new DueHeap<HeapEntry>();
        const entries = new Map<number, HeapEntry>();
        list.forEach(({ id, adds, by }, tie) => {
          const here = entries.get(id);
          if (!adds) {
            if (here !== undefined) heap.remove(here);
            entries.delete(id);
          } else if (here === undefined) {
            const entry = { key: by, tie, place: -1 };
            heap.push(entry);
            entries.set(id, entry);
          }
        });
        const expected = [...entries.values()].sort((a, b) => a.key - b.key || a.tie - b.tie);
        const got: HeapEntry[] = [];
        while (heap.size > 0) {
          got.push(heap.top);
          expect(heap.topKey).toBe(heap.top.key);
          heap.remove(heap.top);
        }
        expect(got).toEqual(expected);
        expect(heap.topKey).toBe(Number.POSITIVE_INFINITY);
        expect(got.every(({ place }) => place === -1)).toBe(true);
      }),
    );
  });

  it('moves up who comes from another branch into the place of one that is taken out', () => {
    const heap = new DueHeap<HeapEntry>();
    const keys = [0, 100, 1, 200, 300, 50, 2, 400, 410, 420, 430, 60, 70, 80, 3];
    const entries = keys.map((key, tie) => ({ key, tie, place: -1 }));
    for (const entry of entries) heap.push(entry);
    // The last, 3, comes into the place of 400, below 200 and 100.
    heap.remove(entries[7] as HeapEntry);
    const first = Array.from({ length: 5 }, () => {
      const { top } = heap;
      heap.remove(top);
      return top.key;
    });
    expect(first).toEqual([0, 1, 2, 3, 50]);
  });

  it('is not disturbed where one is taken out that is not in', () => {
    const heap = new DueHeap<HeapEntry>();
    const [inside, outside] = [
      { key: 1, tie: 0, place: -1 },
      { key: 0, tie: 0, place: -1 },
    ];
    heap.push(inside);
    heap.remove(outside);
    expect([heap.size, heap.top]).toEqual([1, inside]);
  });
});
