import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRange, rangeValues, splitSweepAxis } from '../../src/scenario/axis.ts';
import { parsePath, parseSet, parseValue, setPath } from '../../src/scenario/set.ts';

const input = {
  arrivals: { ratePerS: 1, bursts: [{ fromS: 1, toS: 2 }] },
  classes: { small: { share: 0.7 }, large: { share: 0.3 } },
  model: { service: { uniform: [5, 30] } },
};

describe('setPath', () => {
  it('sets what is there and leaves the original alone', () => {
    const before = structuredClone(input);
    expect(setPath(input, 'classes.small.share', 0.6)).toMatchObject({
      classes: { small: { share: 0.6 }, large: { share: 0.3 } },
    });
    expect(input).toEqual(before);
  });

  it('makes what is missing on the way', () => {
    expect(setPath({}, 'gate.slots', 8)).toEqual({ gate: { slots: 8 } });
    expect(setPath({}, 'classes.task.priority', 2)).toEqual({ classes: { task: { priority: 2 } } });
  });

  it('reaches into lists, by index or in brackets, and appends at the end', () => {
    expect(setPath(input, 'arrivals.bursts[0].factor', 3)).toMatchObject({
      arrivals: { bursts: [{ fromS: 1, toS: 2, factor: 3 }] },
    });
    expect(setPath(input, 'arrivals.bursts.1.fromS', 9)).toMatchObject({
      arrivals: { bursts: [{ fromS: 1 }, { fromS: 9 }] },
    });
    expect(setPath(input, 'model.service.uniform[1]', 40)).toMatchObject({
      model: { service: { uniform: [5, 40] } },
    });
    expect(() => setPath(input, 'arrivals.bursts.7.fromS', 9)).toThrow(
      'expected an index of 0 to 1, got 7',
    );
  });

  it('replaces a distribution by another', () => {
    expect(setPath(input, 'model.service.exponential', 4)).toMatchObject({
      model: { service: { exponential: 4 } },
    });
    expect(setPath(input, 'model.service.exponential', 4)).not.toHaveProperty(
      'model.service.uniform',
    );
  });

  it('takes the path of a figure as the name of a threshold', () => {
    expect(setPath({}, 'thresholds.rates.breach', '<0.05')).toEqual({
      thresholds: { 'rates.breach': '<0.05' },
    });
  });

  it('refuses an unknown path and names the nearest', () => {
    expect(() => setPath(input, 'gate.ageReject', 5)).toThrow(
      'gate.ageReject: unknown path; did you mean ageRejectS?',
    );
    expect(() => setPath(input, 'classes.smal.share', 5)).toThrow(
      'classes.smal: no such class; did you mean small?',
    );
    expect(() => setPath(input, 'gate.slots.x', 5)).toThrow('gate.slots.x: unknown path');
    expect(() => setPath(input, 'gate..slots', 5)).toThrow('expected a path such as gate.slots');
    expect(() => setPath(input, 'classes.__proto__.share', 5)).toThrow('no such class');
  });
});

describe('values', () => {
  it('reads numbers, null, booleans and small structures', () => {
    expect(['1e9', '.8', 'null', 'off', 'true', '{uniform: [5, 30]}'].map(parseValue)).toEqual([
      1e9,
      0.8,
      null,
      null,
      true,
      { uniform: [5, 30] },
    ]);
  });

  it('takes anything else as text', () => {
    expect(['<0.05', 'shadow', '', '{a', 'until: June'].map(parseValue)).toEqual([
      '<0.05',
      'shadow',
      '',
      '{a',
      'until: June',
    ]);
  });

  it('splits at the first equals sign', () => {
    expect(parseSet('gate.rationale=a=b')).toEqual({ path: 'gate.rationale', value: 'a=b' });
    expect(() => parseSet('gate.slots')).toThrow('expected path=value, got "gate.slots"');
  });

  it('reads both notations of an index', () => {
    expect(parsePath('a[0].b')).toEqual(parsePath('a.0.b'));
  });
});

describe('axes', () => {
  it('splits a list', () => {
    expect(splitSweepAxis('gate.ageRejectS=5,10,1e9,null')).toEqual({
      path: 'gate.ageRejectS',
      values: [5, 10, 1e9, null],
    });
  });

  it('keeps commas inside brackets', () => {
    expect(splitSweepAxis('model.service={uniform: [5, 30]},{fixed: 3}').values).toEqual([
      { uniform: [5, 30] },
      { fixed: 3 },
    ]);
  });

  it('counts through a range, both ends included', () => {
    expect(splitSweepAxis('gate.maxWaitS=1..120').values).toHaveLength(120);
    expect(splitSweepAxis('gate.maxWaitS=0..1/.25').values).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(splitSweepAxis('gate.slots=1..3,8').values).toEqual([1, 2, 3, 8]);
  });

  it('derives a step that nobody wrote where steps of one would skip most of the range', () => {
    const values = (text: string) => splitSweepAxis(text).values as number[];
    expect(values('gate.maxWaitS=.25..1').slice(0, 3)).toEqual([0.25, 0.3, 0.35]);
    expect(values('gate.depthMultiple=.1..4').slice(0, 3)).toEqual([0.1, 0.2, 0.4]);
    expect(values('gate.maxWaitS=1..3').slice(0, 3)).toEqual([1, 1.2, 1.4]);
    expect(values('gate.maxWaitS=1..8')).toHaveLength(8);
    expect(values('gate.slots=1..4')).toEqual([1, 2, 3, 4]);
    expect(values('gate.maxWaitS=3..3')).toEqual([3]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 5000 }), (a, b) => {
        const [from, to] = [a / 1000, (a + b) / 1000];
        const all = values(`gate.maxWaitS=${from}..${to}`);
        expect([all[0], all.at(-1)]).toEqual([from, to]);
        expect(all.every((value, i) => i === 0 || value > (all[i - 1] ?? 0))).toBe(true);
        expect(all.length).toBeGreaterThanOrEqual(Number.isInteger(from) ? 8 : 10);
        expect(all.length).toBeLessThanOrEqual(27);
      }),
    );
  });

  it('refuses what is no axis', () => {
    for (const text of ['gate.slots', 'gate.slots=', '=5', 'gate.slots=1,,2']) {
      expect(() => splitSweepAxis(text)).toThrow('expected path=value,value');
    }
  });

  it('steps over more whole numbers than can be tried', () => {
    expect(splitSweepAxis('gate.maxWaitS=0..1e9').values).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((each) => each * 1e8),
    );
    expect(splitSweepAxis('gate.maxWaitS=1..1e9').values).toContain(3e8);
    expect(splitSweepAxis('gate.slots=0..10000').values).toHaveLength(11);
    expect(splitSweepAxis('gate.slots=1..10000').values).toHaveLength(10_000);
  });

  it('says what is wrong with a range', () => {
    for (const [text, why] of [
      ['5..1', 'expected a range from..to with from <= to, got 5..1'],
      ['1..5/0', 'expected a range from..to/step with a step above 0, got 1..5/0'],
      ['1..5/-1', 'a step above 0'],
      ['5..1e400', 'expected a range between finite numbers, got 5..1e400'],
      ['-1e308..1e308', 'between finite numbers'],
      [
        '1..1e9/1',
        'of at most 10000 values, got 1..1e9/1, which has 1000000000: write a greater step, or none',
      ],
    ] as const) {
      expect(() => parseRange(text)).toThrow(why);
    }
  });

  it('stays inside its range', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 1, max: 40 }),
        (from, width, tenths) => {
          const range = { from, to: from + width, step: tenths / 10 };
          const values = rangeValues(range);
          expect(values[0]).toBe(from);
          expect(values.at(-1)).toBeLessThanOrEqual(range.to + 1e-9);
          expect(range.to - (values.at(-1) ?? 0)).toBeLessThan(range.step);
        },
      ),
    );
  });
});

it.each([
  ['maxWaitS', 'maxWaitS: unknown path; did you mean gate.maxWaitS?'],
  ['slots', 'slots: unknown path; did you mean gate.slots or model.slots?'],
])('a field whose path was left out, %s, is told where it stands', (path, message) => {
  expect(() => setPath({ name: 'x' }, path, 1)).toThrow(message);
});
