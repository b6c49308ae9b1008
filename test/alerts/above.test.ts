import { expect, it } from 'vitest';
import { AgeAbove } from '../../src/commands/alerts/above.ts';

/** States of a gate: the instant, and the arrival of the oldest who waits (-1: nobody). */
function longest(limitS: number, states: readonly (readonly [atS: number, oldestS: number])[]) {
  const above = new AgeAbove(limitS);
  for (const [atS, oldestS] of states) {
    above.state({
      ...{ kind: 'state', atUs: atS * 1e6, oldestUs: oldestS < 0 ? -1 : oldestS * 1e6 },
      ...{ queued: 1, leased: 1, slots: 1, slackUs: null, oldestBatchUs: -1 },
    });
  }
  return above.longestS;
}

it('is above from the instant at which the oldest is, between two states', () => {
  expect(
    longest(15, [
      [0, 0],
      [40, -1],
    ]),
  ).toBe(25);
  expect(
    longest(15, [
      [0, 0],
      [15, -1],
    ]),
  ).toBe(0);
});

it('goes on where the next in turn is above too, and begins again where it is not', () => {
  expect(
    longest(15, [
      [0, 0],
      [40, 20],
      [50, -1],
    ]),
  ).toBe(35);
  expect(
    longest(15, [
      [0, 0],
      [40, 30],
      [50, -1],
    ]),
  ).toBe(25);
  expect(
    longest(15, [
      [0, 0],
      [40, -1],
      [100, 90],
      [200, -1],
    ]),
  ).toBe(95);
});
