/** Field case A24: what an adaptive limit does where capacity halves and comes back, beside the static cap. */
import { describe, expect, it } from 'vitest';
import { AimdLimit } from '../bench/adaptive/limit.ts';
import {
  behaviourOf,
  LIMIT,
  type Played,
  play,
  SLOTS,
  type World,
} from '../bench/adaptive/study.ts';

const RUNS = Array.from({ length: 8 }, (_, k) => k);
const QUEUES: World = { load: 0.9, thrash: 0 };
const SLOWS_DOWN: World = { load: 1.1, thrash: 0.1 };

const adaptive = new Map(
  [QUEUES, SLOWS_DOWN].map((world) => [world, RUNS.map((k) => play(world, k, LIMIT))]),
);
const behaviours = (world: World) =>
  (adaptive.get(world) ?? []).map(({ limits }) => behaviourOf(limits, 12));
const goodput = (runs: readonly Played[]) =>
  runs.reduce((sum, { figures }) => sum + (figures['rates.goodput'] ?? 0), 0) / runs.length;

describe('an adaptive limit with services of SCV 1.4', () => {
  it.each([QUEUES, SLOWS_DOWN])('follows a step to half and back within 150 s: %j', (world) => {
    for (const { downS, upS } of behaviours(world)) {
      expect(downS).toBeGreaterThan(0);
      expect(downS).toBeLessThan(150);
      expect(upS).not.toBe(null);
      expect(upS).toBeLessThan(150);
    }
  });

  it.each([QUEUES, SLOWS_DOWN])('never goes below its floor, nor near it: %j', (world) => {
    for (const { least } of behaviours(world)) expect(least).toBeGreaterThan(LIMIT.floor);
  });

  it.each([QUEUES, SLOWS_DOWN])(
    'swings by a fifth at full capacity, by half at half: %j',
    (world) => {
      for (const { swing } of behaviours(world)) {
        expect(swing[0]).toBeLessThanOrEqual(0.2);
        expect(swing[1]).toBeLessThanOrEqual(0.5);
        expect(swing[2]).toBeLessThanOrEqual(0.2);
      }
    },
  );

  it('mistakes chance for overload where it looks at few services', () => {
    const nervous = { ...LIMIT, window: 8, every: 4 };
    const runs = RUNS.map((k) => behaviourOf(play(QUEUES, k, nervous).limits, 12));
    expect(Math.max(...runs.map(({ swing }) => swing[0] ?? 0))).toBeGreaterThan(0.4);
  });

  it('gains nothing over the static cap where the endpoint queues, and some where it slows down', () => {
    const gain = (world: World) =>
      goodput(adaptive.get(world) ?? []) - goodput(RUNS.map((k) => play(world, k)));
    expect(gain(QUEUES)).toBeLessThan(0.005);
    expect(gain(QUEUES)).toBeGreaterThan(-0.01);
    expect(gain(SLOWS_DOWN)).toBeGreaterThan(0.01);
    expect(gain(SLOWS_DOWN)).toBeLessThan(0.05);
  });
});

describe('the limit alone', () => {
  const limit = (changes: Partial<typeof LIMIT> = {}) =>
    new AimdLimit({ ...LIMIT, window: 4, every: 4, ...changes });
  const feed = (to: AimdLimit, times: number, heldUs: number, inUse = true) => {
    for (let i = 0; i < times; i++) to.completed(heldUs, inUse);
    return to.slots;
  };

  it('starts at the ceiling and stays there while work takes what it should', () => {
    expect(feed(limit(), 100, LIMIT.expectedUs)).toBe(SLOTS);
  });

  it('stops at the floor however long work takes, and comes back from it', () => {
    const one = limit();
    expect(feed(one, 1000, 100 * LIMIT.expectedUs)).toBe(LIMIT.floor);
    expect(feed(one, 4 * (SLOTS - LIMIT.floor), LIMIT.expectedUs)).toBe(SLOTS);
  });

  it('does not grow while nobody waits, nor between its two marks', () => {
    const one = limit();
    const low = feed(one, 40, 2 * LIMIT.expectedUs);
    expect(low).toBeLessThan(SLOTS);
    expect(feed(one, 40, LIMIT.expectedUs, false)).toBe(low);
    expect(feed(one, 40, 1.35 * LIMIT.expectedUs)).toBe(low);
  });
});
