import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { scheduleDigest, textDigest } from '../../src/ledger/digest.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const classes = {
  small: { share: 0.7, prompt: 'Review' },
  large: { share: 0.3, hold: { gamma: { mean: 9, scv: 2 } } },
};
const bursts = [{ fromS: 20, toS: 60, factor: 2 }];

const digestOf = (arrivals: object, service: object, seed = 1) =>
  scheduleDigest(
    buildSchedule(parseScenario({ durationS: 100, seed, arrivals, classes, model: { service } })),
  );

describe('the digest of a schedule', () => {
  it('is SHA-256 over one line an arrival, without the seed', () => {
    const demand = { serviceUs: 5, inTokens: 2, outTokens: 3, holdUs: 0 };
    const arrivals = [
      { seq: 0, atUs: 10, class: 'a', demand },
      { seq: 1, atUs: 11, class: 'b', demand },
    ];
    const text = '0 10 a 5 2 3 0\n1 11 b 5 2 3 0\n';
    expect(scheduleDigest({ arrivals })).toBe(createHash('sha256').update(text).digest('hex'));
    expect(scheduleDigest({ arrivals })).toBe(textDigest(text));
  });

  it('does not depend on where long schedules are cut', () => {
    const demand = { serviceUs: 5, inTokens: 2, outTokens: 3, holdUs: 0 };
    const arrivals = Array.from({ length: 9000 }, (_, seq) => ({
      seq,
      atUs: seq,
      class: 'a',
      demand,
    }));
    expect(scheduleDigest({ arrivals })).toBe(
      textDigest(arrivals.map(({ seq }) => `${seq} ${seq} a 5 2 3 0\n`).join('')),
    );
  });

  // Pinned: another version of Node, or a change of any draw, must not move them unnoticed.
  it.each([
    [
      'poisson',
      { ratePerS: 40, bursts },
      { uniform: [5, 30] },
      '93972acc7c05915c9160fd9e9efc1aecafc535b6a34c7726c353188a2eb26a16',
    ],
    [
      'constant',
      { process: 'constant', ratePerS: 7.3, bursts },
      { exponential: 4 },
      'd800ca4a15362d4625a87a8e0bd84e04833e151ad2c90c3a9facfc40d2abbcd3',
    ],
    [
      'gamma',
      { process: 'gamma', ratePerS: 40, burstiness: 0.3, bursts },
      { gamma: { mean: 4, scv: 3 } },
      '8d48479acdcb6284ed585d623550efb92b8e56d75fd76fb45189fc891b9a9db1',
    ],
    [
      'ramp',
      { process: 'ramp', fromPerS: 1, toPerS: 90, bursts },
      { lognormal: { mean: 4, scv: 2 } },
      '66f36180fe893f21e6b82c5167d1616620d8f2798449ddd7cfdb8881ed11e37c',
    ],
  ])('of %s arrivals is pinned', (_, arrivals, service, digest) => {
    expect(digestOf(arrivals, service)).toBe(digest);
  });

  it('tells seeds apart', () => {
    const [a, b] = [1, 2].map((seed) => digestOf({ ratePerS: 1 }, { fixed: 1 }, seed));
    expect(a).not.toBe(b);
  });
});
