import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../src/scenario/schema.ts';
import { shortSloOf } from '../../src/scenario/short-slo.ts';

const of = (changes: object) =>
  shortSloOf(
    parseScenario({
      ...{ name: 'short', durationS: 20, sloS: 0.1, arrivals: { ratePerS: 2 }, gate: { slots: 4 } },
      model: { service: { uniform: [0.5, 3] } },
      ...changes,
    }),
  );

describe('an SLO is too short', () => {
  it('where every service of every class outlasts it, by the one that misses it least', () => {
    expect(of({})).toEqual({ sloS: 0.1, serviceS: 0.5 });
    const slow = { share: 0.5, service: { fixed: 9 }, sloS: 8.8 };
    expect(of({ classes: { slow, quick: { share: 0.5 } } })).toEqual({ sloS: 8.8, serviceS: 9 });
  });

  it('only where nobody can be served in time', () => {
    expect(of({ sloS: 0.5 })).toBeUndefined();
    expect(of({ classes: { a: { share: 0.5 }, b: { share: 0.5, sloS: 2 } } })).toBeUndefined();
    expect(of({ model: { service: { exponential: 9 } } })).toBeUndefined();
    expect(
      of({ model: { service: { bimodal: { first: 9, second: 1, share: 0.1, scv: 1 } } } }),
    ).toBeUndefined();
    // A class that nobody is of.
    const none = { share: 0, sloS: 9 };
    expect(of({ classes: { none, all: { share: 1 } } })).toEqual({ sloS: 0.1, serviceS: 0.5 });
  });

  it('for who holds a slot where hold and service both outlast it', () => {
    const held = { hold: { uniform: [4, 8] }, service: { fixed: 3600 } };
    expect(of({ sloS: 10, classes: { held } })).toBeUndefined();
    expect(of({ sloS: 3, classes: { held } })).toEqual({ sloS: 3, serviceS: 4 });
    const brief = { ...held, service: { fixed: 1 } };
    expect(of({ sloS: 3, classes: { brief } })).toBeUndefined();
  });
});
