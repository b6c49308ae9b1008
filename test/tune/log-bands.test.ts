import { describe, expect, it } from 'vitest';
import type { Figure } from '../../src/result/types.ts';
import { withLogBands } from '../../src/tune/log-bands.ts';
import { underSetting } from '../../src/tune/setting.ts';
import { byScenario } from '../../src/tune/weigh.ts';
import { evaluate, loggedRush, smallRush, tuned } from './support.ts';

const bandOf = (figure: Figure | undefined): readonly [number, number] => {
  if (typeof figure !== 'object' || figure === null) throw new Error('expected a band');
  return figure.band;
};

async function bandedOf(scenario: ReturnType<typeof smallRush>) {
  const runs = await evaluate({ scenarios: [scenario], replications: 4, figures: 'requests' });
  const own = byScenario(['one'], runs);
  const [banded] = await withLogBands([scenario], own, null, evaluate);
  return { own: own[0]?.figures, banded: banded?.figures };
}

describe('the band of the next run', () => {
  it('has what another day than the one in a log would show, whose own runs are all alike', async () => {
    const logged = underSetting(loggedRush(200, 1.3), { 'gate.maxWaitS': 6 });
    const { own, banded } = await bandedOf(logged);
    const [ownLo, ownHi] = bandOf(own?.rejection);
    expect(ownHi - ownLo).toBe(0);
    // The number of arrivals alone varies by 7 % of itself, with a load about 1.
    const [lo, hi] = bandOf(banded?.rejection);
    expect(hi - lo).toBeGreaterThan(0.08);
    expect(lo).toBeLessThanOrEqual(ownLo);
    expect(hi).toBeGreaterThanOrEqual(ownHi);
    expect(banded?.rejection).toMatchObject({ mean: ownLo });
  });

  it('is that of the runs where arrivals are drawn', async () => {
    const { own, banded } = await bandedOf(smallRush());
    expect(banded).toEqual(own);
  });
});

describe('a log that is tuned', () => {
  let tunedLog: ReturnType<typeof tuned> | undefined;
  const ofTwoHundred = () => {
    tunedLog ??= tuned(loggedRush(200));
    return tunedLog;
  };

  it('of four rows is not enough to change or to keep anything', async () => {
    const { recommendation, chosen } = await tuned(loggedRush(4));
    expect(recommendation.action).toBe('not-enough-evidence');
    expect(chosen).toBeNull();
  });

  it('says the wide band after CHECK, and does not count the world that it cannot make', async () => {
    const { recommendation, sensitivity, chosen } = await ofTwoHundred();
    const [lo, hi] = bandOf(chosen?.byScenario[0]?.figures.rejection);
    expect(hi - lo).toBeGreaterThan(0.05);
    const [interval] = Object.values(chosen?.interval ?? {});
    expect(interval?.[1] ?? 0).toBeGreaterThan(interval?.[0] ?? 0);
    const burstier = sensitivity.find(({ change }) => change.startsWith('arrivals burstier'));
    expect(burstier).toMatchObject({ holds: false, notMade: expect.stringContaining('recorded') });
    const risk = recommendation.lines.find(({ name }) => name === 'RISK')?.text;
    expect(risk).toMatch(/^of 5 changed worlds .*; not tried: arrivals burstier/);
  });

  it('serves less where its services are longer', async () => {
    const { sensitivity } = await ofTwoHundred();
    const goodput = (change: string) => {
      const one = sensitivity.find((of) => of.change === change)?.advised.goodput;
      return typeof one === 'object' && one !== null ? one.mean : Number(one);
    };
    expect(goodput('service 20 % longer')).toBeLessThan(goodput('service 20 % shorter') - 0.1);
  });
});
