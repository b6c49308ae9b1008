import { describe, expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { readScheduleCsv, writeScheduleCsv } from '../../src/ledger/schedule-csv.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const row = { atUs: 5, inTokens: null, outTokens: 3, serviceUs: null, class: null };
const scenario = parseScenario({
  durationS: 60,
  arrivals: { process: 'trace', file: 'x', rows: [row, { ...row, serviceUs: 7 }] },
  classes: { small: { share: 1 }, own: { arrivals: { ratePerS: 20 }, hold: { exponential: 4 } } },
});
const { arrivals } = buildSchedule(scenario);
const text = writeScheduleCsv(arrivals);
const header = text.slice(0, text.indexOf('\n'));

describe('schedule.csv', () => {
  it('gives back exactly what was written, marks of drawn demands included', () => {
    expect(arrivals.filter((a) => a.drawn)).toHaveLength(1);
    expect(readScheduleCsv(text)).toEqual(arrivals);
    expect(readScheduleCsv(text.replaceAll('\n', '\r\n'))).toEqual(arrivals);
    expect(readScheduleCsv(writeScheduleCsv([]))).toEqual([]);
  });

  it.each([
    ['', 'schedule.csv line 1: expected the header'],
    [`${header}\n0,5,a,1,1,1\n`, 'schedule.csv line 2: expected 9 cells'],
    [
      `${header}\n0,5,a,1,1,1,0,0,0\n1,-5,a,1,1,1,0,1,0\n`,
      'line 3: expected a whole number as atUs, got "-5"',
    ],
    [`${header}\n0,5,a,1.5,1,1,0,0,0\n`, 'line 2: expected a whole number as serviceUs, got "1.5"'],
    [`${header}\n4,5,a,1,1,1,0,0,0\n`, 'line 2: expected seq 0, got "4"'],
    [
      `${header}\n0,5,a,1,1,1,0,0,0\n1,4,a,1,1,1,0,1,0\n`,
      'line 3: expected arrivals in order of time',
    ],
  ])('names the line that is wrong (%#)', (bad, message) => {
    expect(() => readScheduleCsv(bad)).toThrow(message);
  });
});
