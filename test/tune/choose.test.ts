import { describe, expect, it } from 'vitest';
import { choose } from '../../src/tune/choose.ts';
import { floorsOf, refuseBelow } from '../../src/tune/floors.ts';
import { plateauOf } from '../../src/tune/plateau.ts';
import { trialOf } from '../../src/tune/weigh.ts';
import { ADMIT, GOODPUT, trialWith } from './support.ts';

const anything = () => null;
const chosenValue = (choice: ReturnType<typeof choose>) =>
  choice.chosen?.trial.setting['gate.maxWaitS'];

describe('the choice', () => {
  it('takes the safe side of a plateau, not its edge', () => {
    const trials = [
      trialWith(10, { goodput: 0.6 }),
      trialWith(20, { goodput: 0.8 }),
      trialWith(30, { goodput: 0.799, late: 0.006 }),
      trialWith(31, { goodput: 0.7985, late: 0.007 }),
      trialWith(40, { goodput: 0.5, late: 0.4 }),
    ];
    const choice = choose(trials, ADMIT, anything);
    expect(choice.best?.trial.setting['gate.maxWaitS']).toBe(31);
    expect(choice.judged.map(({ flat }) => flat)).toEqual([false, true, true, true, false]);
    expect(chosenValue(choice)).toBe(20);
  });

  it('gains nothing by letting in who is then late', () => {
    const trials = [
      trialWith(20, { goodput: 0.77 }),
      trialWith(30, { goodput: 0.81 }),
      trialWith(35, { goodput: 0.803, late: 0.039 }),
      trialWith(40, { goodput: 0.75, late: 0.12 }),
    ];
    const choice = choose(trials, ADMIT, anything);
    expect(chosenValue(choice)).toBe(30);
    expect(choice.judged.map(({ flat }) => flat)).toEqual([false, true, false, false]);
    const beaten = choice.judged.map(({ beatenBy }) => beatenBy?.setting['gate.maxWaitS']);
    expect(beaten).toEqual([undefined, undefined, 30, undefined]);
    expect(choice.judged[2]?.refused).toBeNull();
  });

  describe('between goodputs that the noise covers', () => {
    const noisy = (value: number, goodputs: number[], lates: number[]) => {
      const runs = goodputs.map(
        (goodput, k) => trialWith(value, { goodput, late: lates[k] ?? 0 }).runs[0]?.[0] ?? {},
      );
      return trialOf({ 'gate.maxWaitS': value }, [runs], ADMIT);
    };
    const few = noisy(30, [0.9, 0.7, 0.83], [0, 0, 0]);
    const beatenBeside = (other: typeof few) =>
      choose([few, other], ADMIT, anything).judged.map(
        ({ beatenBy }) => beatenBy?.setting['gate.maxWaitS'],
      );

    it('passes over who serves less in the mean and is later beyond it', () => {
      const later = noisy(35, [0.7, 0.9, 0.8], [0.03, 0.03, 0.03]);
      expect(beatenBeside(later)).toEqual([undefined, 30]);
    });

    it.each([
      ['who serves more', [0.901, 0.701, 0.831], [0.03, 0.03, 0.03]],
      ['who serves as much', [0.899, 0.699, 0.829], [0.03, 0.03, 0.03]],
      ['who is later by chance', [0.7, 0.9, 0.8], [0, 0, 0.09]],
      ['who is no later', [0.8, 0.6, 0.73], [0, 0, 0]],
    ])('does not pass over %s', (_, goodputs, lates) => {
      expect(beatenBeside(noisy(36, goodputs, lates))).toEqual([undefined, undefined]);
    });
  });

  describe('on the safe side of a plateau, beside what is passed over', () => {
    /** Unserved 14, 14.6 and 15.5 %: the first is passed over for the second, the third is its safe side. */
    const chosenOf = (safe: number, spread: number) => {
      const noisy = (value: number, goodput: number, late: number, sign = 1) => {
        const runs = [-spread, 0, spread].map(
          (more) => trialWith(value, { goodput: goodput + sign * more, late }).runs[0]?.[0] ?? {},
        );
        return trialOf({ 'gate.maxWaitS': value }, [runs], ADMIT);
      };
      const trials = [noisy(28, safe, 0, -1), noisy(31, 0.846, 0.008), noisy(35, 0.83, 0.03)];
      const choice = choose(trials, ADMIT, anything);
      expect(choice.judged[2]?.beatenBy?.setting['gate.maxWaitS']).toBe(31);
      expect(choice.judged.map(({ flat }) => flat)).toEqual([true, true, false]);
      return chosenValue(choice);
    };

    it('takes what beats that truly', () => {
      expect(chosenOf(0.845, 0)).toBe(28);
    });

    it('turns no more than .01 away for a gain within the noise', () => {
      expect(chosenOf(0.845, 0.1)).toBe(31);
    });
  });

  it('does not think that a curve with two summits has one', () => {
    const served = [0.7, 0.5, 0.4, 0.6, 0.9, 0.3];
    const trials = served.map((goodput, i) => trialWith(i, { goodput }, GOODPUT));
    const choice = choose(trials, GOODPUT, anything);
    expect(chosenValue(choice)).toBe(4);
    const axes = [{ path: 'gate.maxWaitS', values: [0, 1, 2, 3, 4, 5] }];
    const chosen = choice.chosen?.trial;
    if (chosen === undefined) throw new Error('expected a choice');
    const plateau = plateauOf(axes, choice, chosen, 0);
    expect(plateau.flatRegion).toEqual({ 'gate.maxWaitS': [4, 4] });
    expect(plateau.cliff.map(({ side, at, margin }) => [side, at, margin])).toEqual([
      ['below', 3, 1],
      ['above', 5, 1],
    ]);
  });

  it('stands at the end of the range where its own value does, not that of the least loss', () => {
    const from = (first: number, ...goodputs: readonly number[]) => {
      const trials = goodputs.map((goodput, i) =>
        trialWith(first + i, { goodput, late: i / 1000 }),
      );
      const choice = choose(trials, ADMIT, anything);
      const axes = [{ path: 'gate.maxWaitS', values: goodputs.map((_, i) => first + i) }];
      const chosen = choice.chosen?.trial;
      if (chosen === undefined) throw new Error('expected a choice');
      const value = chosen.setting['gate.maxWaitS'];
      return { value, atEdge: plateauOf(axes, choice, chosen, 0).atEdge };
    };
    expect(from(1, 0.8, 0.8, 0.804, 0.7, 0.6)).toEqual({ value: 1, atEdge: true });
    expect(from(1, 0.6, 0.7, 0.8, 0.8, 0.804)).toEqual({ value: 3, atEdge: false });
    expect(from(1, 0.6, 0.7, 0.8)).toEqual({ value: 3, atEdge: true });
    expect(from(1, 0.8, 0.8, 0.801)).toEqual({ value: 1, atEdge: false });
    // There is nothing below 0.
    expect(from(0, 0.8, 0.8, 0.804, 0.7, 0.6)).toEqual({ value: 0, atEdge: false });
  });

  it('cannot be won by failing or by letting callers give up', () => {
    const failing = trialWith(1, { goodput: 0.6, late: 0.4 });
    const givenUp = trialWith(2, { goodput: 0.3, more: { 'rates.rejection': 0 } });
    const honest = trialWith(3, { goodput: 0.7 });
    expect(chosenValue(choose([failing, givenUp, honest], ADMIT, anything))).toBe(3);
  });

  it('cannot be won by starving a class or a size', () => {
    const class1 = (goodput: number, long: number) => ({
      'byClass.large.rates.goodput': goodput,
      'bySize.long.goodput': long,
    });
    const fair = trialWith(1, { goodput: 0.7, more: class1(0.7, 0.7) });
    const starving = trialWith(2, { goodput: 0.85, more: class1(0.2, 0.7) });
    const shortOnly = trialWith(3, { goodput: 0.8, more: class1(0.8, 0.1) });
    const floors = floorsOf(['large'], fair.runs, fair.runs, 0.9);
    const choice = choose([fair, starving, shortOnly], ADMIT, refuseBelow(floors));
    expect(chosenValue(choice)).toBe(1);
    expect(choice.judged[1]?.refused).toContain('large: goodput 20.0 %');
    expect(choice.judged[2]?.refused).toContain('long requests');
  });

  it('holds in every scenario and names the one that binds', () => {
    const both = (value: number, quiet: number, rush: number) =>
      trialOf(
        { 'gate.maxWaitS': value },
        [quiet, rush].map((goodput) => trialWith(value, { goodput }).runs[0] ?? []),
        ADMIT,
      );
    const trials = [both(1, 0.9, 0.8), both(2, 0.95, 0.77), both(3, 1, 0.5)];
    const choice = choose(trials, ADMIT, anything);
    expect(chosenValue(choice)).toBe(2);
    expect(choice.binding).toBe(0);
  });

  it('chooses nothing where nothing keeps the condition', () => {
    const choice = choose([trialWith(1, { goodput: 0.5, late: 0.5 })], ADMIT, anything);
    expect(choice.chosen).toBeUndefined();
    expect(choice.best).toBeUndefined();
  });
});
