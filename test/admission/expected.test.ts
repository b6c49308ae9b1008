import { expect, it } from 'vitest';
import { Expected } from '../../src/admission/expected.ts';
import { drawsAt, streamKey } from '../../src/random.ts';

/** Of the last 64, sorted anew. */
function quantile(all: readonly number[], share: number): number {
  const last = all.slice(-64).sort((a, b) => a - b);
  return last[Math.ceil(share * last.length) - 1] ?? Number.NaN;
}

it('reads the same whether it is asked after every service or seldom', () => {
  const rng = drawsAt(streamKey(7, 'services'), 0);
  const often = new Expected(1000);
  const seldom = new Expected(1000);
  const all: number[] = [];
  for (let i = 0; i < 1000; i++) {
    // Ties too: some services are whole seconds.
    const us = i % 3 === 0 ? 1e6 * Math.ceil(5 * rng.uniform()) : Math.round(5e6 * rng.uniform());
    all.push(us);
    often.record(us);
    seldom.record(us);
    if (all.length < 8) continue;
    expect(often.typicalUs()).toBe(quantile(all, 0.5));
    expect(often.slowUs()).toBe(quantile(all, 0.9));
    if (i % 97 !== 0) continue;
    for (const elapsedUs of [0, 1e6, 2.5e6, 6e6]) {
      expect(seldom.remainingUs(elapsedUs)).toBe(often.remainingUs(elapsedUs));
    }
  }
});

it('believes what the scenario says until eight services have been seen', () => {
  const expected = new Expected(1000);
  for (let i = 0; i < 7; i++) expected.record(5);
  expect(expected.typicalUs()).toBe(1000);
  expected.record(5);
  expect(expected.typicalUs()).toBe(5);
});
