import { describe, expect, it } from 'vitest';
import { effortOfAWorld, runsOfASetting } from '../../src/tune/effort.ts';

describe('how often a setting is played', () => {
  it('is a hundred times where a run is short, as of every shipped queue', () => {
    expect(runsOfASetting(318, false)).toBe(100);
    expect(runsOfASetting(0, true)).toBe(100);
  });

  it('is less where a run is long, of a log least: its runs hardly differ', () => {
    expect(runsOfASetting(1000, false)).toBe(50);
    expect(runsOfASetting(1000, true)).toBe(25);
    expect(runsOfASetting(1_000_000, false)).toBe(20);
    expect(runsOfASetting(1_000_000, true)).toBe(8);
  });

  it('gives up runs of a resampled world before settings in it, and never all of either', () => {
    expect(effortOfAWorld(40, 318)).toEqual({ runs: 8, settings: 24 });
    expect(effortOfAWorld(40, 2000)).toEqual({ runs: 2, settings: 24 });
    expect(effortOfAWorld(40, 10_000)).toEqual({ runs: 1, settings: 10 });
    expect(effortOfAWorld(40, 1_000_000)).toEqual({ runs: 1, settings: 8 });
  });
});
