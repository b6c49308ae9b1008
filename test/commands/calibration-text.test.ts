import { describe, expect, it } from 'vitest';
import { type Calibration, calibrationOf, type Level } from '../../src/calibrate/calibration.ts';
import type { Check } from '../../src/commands/calibrate.ts';
import { calibrationPage } from '../../src/commands/calibration-page.ts';
import { firstLine, leftLine, planOf } from '../../src/commands/calibration-plan.ts';
import {
  calibrationHeadline,
  concurrencyText,
  digits,
} from '../../src/commands/calibration-text.ts';

const check = (meanS: number) => ({ meanS, foretold: { meanS: 2, p95S: 3 } }) as unknown as Check;
const found = { knee: 8, limit: null } as Calibration;

function levelOf(
  connections: number,
  times: (i: number) => { startS: number; endS: number },
): Level {
  const samples = Array.from({ length: 100 }, (_, i) => ({
    ...{ connections, ...times(i), status: 200, inTokens: 5, outTokens: 9 },
  }));
  return { connections, samples, errors: 0, retryAfterS: null };
}

describe('the headline of a calibration', () => {
  it('says what to do with the model, and where the endpoint stops to gain', () => {
    expect(calibrationHeadline(found, check(2.1), 'm.json')).toBe(
      "Put model: { file: 'm.json' } into your scenario; more than 8 requests at once gain nothing here",
    );
  });

  it('holds the model back where the open loop contradicts it', () => {
    expect(calibrationHeadline(found, check(3), 'm.json')).toMatch(
      /^Measure again before you use m\.json: .* took 3\.00 s .* says 2\.00 s$/,
    );
  });
});

it('writes its figures without an exponent', () => {
  expect([5150, 51_234, 0.00123, 0.000012, 2, 0].map(digits)).toEqual([
    ...['5150', '51200', '0.00123', '0.0000120', '2.00', '0.00'],
  ]);
  const concurrency = { type: 'slowdown', perRequest: 51.5, from: 1, r2: 1 };
  expect(concurrencyText({ concurrency } as unknown as Calibration)).toContain('adds 5150 %');
});

describe('the length of a calibration', () => {
  const plan = planOf({ maxConnections: 8, requests: 120, maxRequests: 5000 }, 6);
  const level = (perS: number) => levelOf(1, (i) => ({ startS: i / perS, endS: (i + 1) / perS }));

  it('is bounded before the first answer', () => {
    expect(plan).toEqual([120, 120, 120, 144]);
    expect(firstLine(plan)).toBe(
      'at most 4 levels of 10 min each, 40 min; the first asks 120 times in turn: 2 min with answers of 1 s',
    );
  });

  it('is foretold from the speed of a level, and not after the last', () => {
    expect(leftLine(plan, level(2), 1)).toBe('at most 5 min more');
    expect(leftLine(plan, level(2), 4)).toBeUndefined();
  });
});

it('explains its words on its page, and names each fit in a heading of its row', async () => {
  const levels = [1, 2].map((connections) =>
    levelOf(connections, (i) => ({ startS: 2 * i, endS: 2 * i + 1 + (i % 7) / 10 })),
  );
  const calibration = calibrationOf(levels, 0.001);
  if (calibration === undefined) throw new Error('expected a calibration');
  const page = await calibrationPage(calibration, levels, null, 'm.json');
  expect(page).toContain('Words on this page');
  expect(page).toContain('<dt>KS</dt>');
  expect(page).toMatch(/<h1>Put model: /);
  expect(page).toMatch(/<p class="evidence">[A-Z]/);
  expect(page).toMatch(/<p class="source">\d+ answers\. [A-Z]/);
  expect(page).toMatch(/<tr><th>(uniform|fixed|lognormal|gamma|exponential)<\/th>/);
});

it('counts connections in whole ones on its axes', async () => {
  const levels = [1, 2, 3].map((connections) =>
    levelOf(connections, (i) => ({ startS: 2 * i, endS: 2 * i + 1 + (i % 7) / 10 })),
  );
  const calibration = calibrationOf(levels, 0.001);
  if (calibration === undefined) throw new Error('expected a calibration');
  const page = await calibrationPage(calibration, levels, null, 'm.json');
  const pictures = page.match(/<svg.*?<\/svg>/gs) ?? [];
  const byConnections = pictures.filter((svg) => svg.includes('>connections</text>'));
  expect(byConnections).toHaveLength(2);
  for (const svg of byConnections) expect(ticksBelow(svg)).toEqual(['0', '1', '2', '3']);
});

/** The labels along the level axis of a picture: theirs stand in the middle below their tick. */
function ticksBelow(svg: string): string[] {
  const labels = svg.matchAll(/<text text-anchor="middle"[^>]*>([\d.]+)<\/text>/g);
  return [...labels].flatMap(([, label]) => label ?? []);
}
