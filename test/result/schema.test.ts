import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { simulateResult } from '../../src/commands/simulate.ts';
import { UserError } from '../../src/errors.ts';
import { whatHappened } from '../../src/report/headline.ts';
import { stableJson } from '../../src/result/json.ts';
import { readResult } from '../../src/result/schema.ts';
import { resultTable } from '../../src/result/table.ts';
import type { Result } from '../../src/result/types.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const scenario = parseScenario({
  ...{ durationS: 30, arrivals: { process: 'poisson', ratePerS: 2 } },
  classes: { a: { share: 0.5, replay: true }, b: { share: 0.5 } },
  gate: { slots: 2, maxWaitS: 1 },
  model: { service: { exponential: 1 }, preempts: { type: 'rate', perS: 0.1 } },
});
const asWritten = (result: Result) => JSON.parse(stableJson(result));
const ONE = asWritten(simulateResult(scenario));

type Path = readonly (string | number)[];

/** Every place in a value; of a list its first and its last. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const keys = Array.isArray(value) ? ends(value) : Object.keys(value);
  return [path, ...keys.flatMap((key) => placesIn(Reflect.get(value, key), [...path, key]))];
}

function ends({ length }: readonly unknown[]): number[] {
  return length === 0 ? [] : length === 1 ? [0] : [0, length - 1];
}

/** @param value undefined: what stands there is taken away */
function withValue(root: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value ?? null;
  const copy = structuredClone(root) as object;
  if (rest.length === 0 && value === undefined) Reflect.deleteProperty(copy, key);
  else Reflect.set(copy, key, withValue(Reflect.get(copy, key), rest, value));
  return JSON.parse(JSON.stringify(copy));
}

describe('a result that is read back', () => {
  it.each([
    ['of one run', ONE],
    ['of several', asWritten(simulateResult(scenario, { replications: 3 }))],
    ['that is shipped', JSON.parse(readFileSync('reports/rush/result.json', 'utf8'))],
  ])('%s is the value that was written', (_, value) => {
    expect(readResult(value, 'result.json')).toBe(value);
  });

  it('may have more than is known here, and of an older version less', () => {
    const { series, callersGone: _gone, ...rest } = ONE;
    const { messages: _messages, ...older } = series;
    expect(() => readResult({ ...rest, series: older, later: 1 }, 'r')).not.toThrow();
  });

  it.each([
    [['health'], null, 'health: expected an object, got null'],
    [['health', 'status'], 'fine', 'health.status: expected one of ok, generator-limited, interru'],
    [['outcomes', 'completed'], 'x', 'outcomes.completed: expected a number, its spread over runs'],
    [['timeline', 0, 'tS'], null, 'timeline.0.tS: expected a number, 0 or more, got null'],
    [['replications'], 0, 'replications: expected a whole number, 1 or more, got 0 (number)'],
    [['scenario', 'resolved', 'gate', 'slots'], -1, 'expected a scenario (gate.slots: expected'],
    [['scenario', 'resolved', 'classes', 'a', 'retry'], undefined, 'classes.a.retry: expected it'],
    [[], [], 'r.json: expected the result of a run: expected an object, got []'],
  ])('with %j made %j is refused, and the place named', (path, value, text) => {
    expect(() => readResult(withValue(ONE, path, value), 'r.json')).toThrow(text);
  });

  it('is refused in one line, or can be shown, wherever it was edited', () => {
    const places = placesIn(ONE);
    const values = [null, [], {}, 0, -1, 1.5, 'x', true, undefined];
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.constantFrom(...values), (path, value) => {
        try {
          const result = readResult(withValue(ONE, path, value), 'r.json');
          resultTable(result);
          whatHappened(result);
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          expect(error.message).toMatch(/^r\.json: expected the result of a run: [^\n]+$/);
        }
      }),
      { numRuns: 400 },
    );
  });
});
