import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdMap } from '../src/id-map.ts';

const operations = fc.array(
  fc.record({ id: fc.integer({ min: -20, max: 60 }), adds: fc.boolean() }),
  { maxLength: 400 },
);

describe('the id map', () => {
  it('does what a Map does, also with ids that fall on one place', () => {
    fc.assert(
      fc.property(operations, fc.constantFrom(1, 128, 2 ** 32), (list, stride) => {
        const here = new IdMap<{ readonly id: number; readonly n: number }>();
        const map = new Map<number, number>();
        list.forEach(({ id, adds }, n) => {
          const key = id * stride;
          if (adds) {
            expect(here.add({ id: key, n })).toBe(!map.has(key));
            if (!map.has(key)) map.set(key, n);
          } else {
            here.delete(key);
            map.delete(key);
          }
        });
        expect(here.size).toBe(map.size);
        for (let id = -20; id <= 60; id++) {
          expect(here.get(id * stride)?.n).toBe(map.get(id * stride));
        }
      }),
    );
  });

  it('keeps thousands, more than it began with', () => {
    const here = new IdMap<{ readonly id: number }>();
    for (let id = 0; id < 5000; id++) expect(here.add({ id: id * 7 })).toBe(true);
    for (let id = 0; id < 5000; id += 2) here.delete(id * 7);
    for (let id = 0; id < 5000; id++) {
      expect(here.get(id * 7)?.id).toBe(id % 2 === 0 ? undefined : id * 7);
    }
    expect(here.size).toBe(2500);
  });
});
