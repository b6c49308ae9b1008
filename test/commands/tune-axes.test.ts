/** What may be tuned, and how it is asked for. */
import { describe, expect, it } from 'vitest';
import { splitSets } from '../../src/commands/sweep.ts';
import { tuneAxes } from '../../src/commands/tune-axes.ts';

describe('what is tuned', () => {
  it.each([
    'sloS=30,60,300',
    'arrivals.ratePerS=.1..1',
    'classes.small.share=.1,.2',
    'model.service.fixed=1,2',
    'seed=1..10',
  ])('is a choice of the operator, which %s is not', (param) => {
    expect(() => tuneAxes([param])).toThrow(/^--param .* not a choice of the operator: use sweep$/);
    expect(() => tuneAxes([param])).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  it.each([
    ['maxWaitS', 'gate.maxWaitS'],
    ['AGE_REJECT', 'gate.ageRejectS'],
    ['WORKERS', 'gate.slots'],
  ])('is a rule that is named as the answers and the runbooks do: %s is %s', (name, path) => {
    const wanted = `got ${name}: did you mean ${path}?`;
    expect(() => tuneAxes([`${name}=1..60`])).toThrow(wanted);
  });

  it.each(['SLO_SEC', 'BASE_RATE'])('is no promise and no demand by its variable: %s', (name) => {
    expect(() => tuneAxes([`${name}=1..60`])).toThrow('not a choice of the operator: use sweep');
  });

  it('is each value once, from the least to the greatest', () => {
    expect(tuneAxes(['gate.maxWaitS=1,2,2,1.0'])).toEqual([
      { path: 'gate.maxWaitS', values: [1, 2] },
    ]);
    expect(tuneAxes(['gate.maxWaitS=off,9,2..4/1'])[0]?.values).toEqual([2, 3, 4, 9, null]);
    expect(tuneAxes(['model.slots=4,2', 'model.checkpointTokens=8,4'])).toHaveLength(2);
  });

  it('is each path once, however it is written', () => {
    const twice = ['gate.maxWaitS=1..4', 'gate.slots=2,3', 'gate.maxWaitS=8,9'];
    expect(() => tuneAxes(twice)).toThrow('--param gate.maxWaitS: expected each path once');
  });
});

describe('what is swept', () => {
  it('is each path once: an axis is not crossed with itself, or with a value', () => {
    const once = '--set gate.ageRejectS: expected each path once';
    expect(() => splitSets(['gate.ageRejectS=1,2', 'gate.ageRejectS=5,6'])).toThrow(once);
    expect(() => splitSets(['gate.ageRejectS=1,2', 'gate.ageRejectS=5'])).toThrow(once);
    const bursts = ['arrivals.bursts[0].factor=1,2', 'arrivals.bursts.0.factor=3,4'];
    expect(() => splitSets(bursts)).toThrow('expected each path once');
    expect(splitSets(['sloS=1', 'sloS=2', 'gate.slots=1,2']).fixed).toEqual(['sloS=1', 'sloS=2']);
  });

  it('is each value once, in the order in which it was written', () => {
    expect(splitSets(['gate.ageRejectS=5,1,5', 'gate.slots=3,3', 'gate.maxWaitS=off,off'])).toEqual(
      {
        axes: [{ path: 'gate.ageRejectS', values: [5, 1] }],
        fixed: ['gate.slots=3', 'gate.maxWaitS=null'],
      },
    );
  });
});
