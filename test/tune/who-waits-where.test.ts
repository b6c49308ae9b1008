/** Field cases A12 and A17: queues that a gate does not see, and work for callers who have left. */
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../src/scenario/schema.ts';
import { slotsNeeded } from '../../src/tune/loss.ts';
import { underSetting } from '../../src/tune/setting.ts';
import { meanAt } from '../../src/tune/weigh.ts';
import { evaluate, tuned } from './support.ts';

const PATIENCE_MS = 60_000;

describe('an endpoint that works one by one behind a gate of eight slots', () => {
  const serial = (gate: Record<string, unknown> = {}) =>
    parseScenario({
      ...{ name: 'serial', durationS: 200, sloS: 12, arrivals: { ratePerS: 1.2 } },
      gate: { slots: 8, maxWaitS: 5, ...gate },
      model: { service: { uniform: [0.5, 1.5] }, slots: 1 },
    });
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i);

  it(
    'is named as the bottleneck, and it is its slots that are counted, not those of the gate',
    async () => {
      const axes = [{ path: 'gate.maxWaitS', values: range(1, 8) }];
      const { recommendation, slotsNeeded: needed } = await tuned(serial(), { axes });
      expect(needed).toMatchObject({ at: 'endpoint', present: 1, needed: 2 });
      expect(recommendation.headline).toContain(
        'OR ADD SLOTS AT THE ENDPOINT: 1 -> 2 AND KEEP maxWaitS 5.',
      );
      const line = (name: string) => recommendation.lines.find((one) => one.name === name)?.text;
      expect(line('WHY')).toContain('the bottleneck is the queue inside the endpoint');
      expect(line('DO')).toContain('let the endpoint work on 2 at a time');
    },
    PATIENCE_MS,
  );

  it(
    'does not have the cap raised, however idle the slots look',
    async () => {
      const axes = [{ path: 'gate.slots', values: range(1, 24) }];
      const { chosen, recommendation } = await tuned(serial(), { axes });
      expect(Number(chosen?.setting['gate.slots'])).toBeLessThan(8);
      expect(recommendation.headline).toMatch(/^SET slots 8 -> [1-7]\./);
    },
    PATIENCE_MS,
  );

  it(
    'is not taken for a parallel one in a run that saw its services at eight slots alone',
    async () => {
      const empirical = Array.from({ length: 60 }, (_, i) => 5 + ((i * 7) % 60) / 12);
      const strict = serial({ maxWaitS: 2 });
      const seen = { ...strict, model: { ...strict.model, slots: 0, service: { empirical } } };
      const axes = [{ path: 'gate.slots', values: [4, 8, 12, 16] }];
      const { chosen, tried, recommendation } = await tuned(seen, {
        ...{ axes, arrivals: 240, replications: 3 },
      });
      expect(Number(chosen?.setting['gate.slots'])).toBe(8);
      const refused = tried.filter((one) => one.refused?.includes('calibrate the endpoint'));
      expect(refused.map(({ setting }) => setting['gate.slots'])).toEqual([12, 16]);
      const told = (name: string) => recommendation.lines.find((one) => one.name === name)?.text;
      expect(told('BUY')).toBeUndefined();
      expect(told('RANGE')).toContain('slots 12 is refused: services were observed with at most 8');
    },
    PATIENCE_MS,
  );

  it('needs slots in the gate as well where the endpoint gets more than the gate lets in', async () => {
    const narrow = serial({ slots: 2 });
    const rush = { ...narrow, model: { ...narrow.model, service: { fixed: 4 } } };
    const { at, needed } = await slotsNeeded([{ under: 'present', scenario: rush }], {
      ...{ target: 0.99, maxBreach: null, replications: 8, evaluate },
    });
    expect(at).toBe('endpoint');
    expect(needed).toBeGreaterThan(4);
  });
});

it(
  'a limit on the wait is preferred that leaves callers time for their service (A17)',
  async () => {
    const impatient = parseScenario({
      ...{ name: 'impatient', durationS: 120, sloS: 2, arrivals: { ratePerS: 2 } },
      classes: { a: { timeoutS: 2 } },
      gate: { slots: 1 },
      model: { service: { fixed: 1 } },
    });
    const axes = [{ path: 'gate.maxWaitS', values: [0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 3] }];
    const { chosen, recommendation, baselines } = await tuned(impatient, { axes });
    const waitS = Number(chosen?.setting['gate.maxWaitS']);
    expect(waitS).toBeGreaterThanOrEqual(0.5);
    expect(waitS).toBeLessThanOrEqual(1);
    expect(recommendation.action).toBe('set');
    expect(baselines.find(({ name }) => name === 'present')?.allowed).toBe(false);
    const runs = await evaluate({
      scenarios: [impatient, underSetting(impatient, { 'gate.maxWaitS': waitS })],
      replications: 4,
      figures: 'requests',
    });
    const shares = runs.map((of) => meanAt(of, 'callersGone.share') ?? -1);
    expect(shares[0]).toBeGreaterThan(0.1);
    expect(shares[1]).toBe(0);
  },
  PATIENCE_MS,
);
