import { describe, expect, it } from 'vitest';
import {
  bareValue,
  isOff,
  limitOf,
  unitOf,
  valueWithUnit,
} from '../../src/result/setting-value.ts';

describe('a value of a setting', () => {
  it('carries the unit that its name ends with', () => {
    expect(valueWithUnit('gate.maxWaitS', 30)).toBe('30 s');
    expect(valueWithUnit('arrivals.ratePerS', 0.8)).toBe('0.8 per s');
    expect(valueWithUnit('model.checkpointTokens', 100)).toBe('100 tokens');
    expect(valueWithUnit('gate.slots', 4)).toBe('4');
    expect(valueWithUnit('gate.mode', 'drain')).toBe('drain');
    expect(unitOf('gate.depthMultiple')).toBe('');
  });

  it('is off where its rule is: by null, or by a number that nothing reaches', () => {
    for (const rule of ['ageRejectS', 'maxWaitS', 'queueCapacity', 'depthMultiple', 'maxHoldS']) {
      expect(bareValue(`gate.${rule}`, 1e9)).toBe('off');
      expect(valueWithUnit(`gate.${rule}`, 1e6)).toBe('off');
      expect(valueWithUnit(`gate.${rule}`, null)).toBe('off');
      expect(isOff(`gate.${rule}`, 999_999)).toBe(false);
    }
    expect([limitOf(null), limitOf(1e9), limitOf(30)]).toEqual([null, null, 30]);
  });

  it('stays a number where a large one means something', () => {
    expect(valueWithUnit('seed', 1e9)).toBe('1e9');
    // The rule of slack turns away below its line: 1e9 is always on.
    expect(valueWithUnit('gate.slackRejectS', 1e9)).toBe('1e9 s');
  });
});
