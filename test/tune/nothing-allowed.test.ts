/** Where no value of what is tuned may be chosen: what would do is not hidden. */
import { describe, expect, it } from 'vitest';
import { noneAllowedText } from '../../src/tune/nothing-allowed.ts';
import type { TuneDocument } from '../../src/tune/types.ts';
import { GOODPUT, smallRush, tuned } from './support.ts';

const PATIENCE_MS = 60_000;
const waits = (...values: number[]) => [{ path: 'gate.maxWaitS', values }];
const lineOf = ({ recommendation }: TuneDocument, name: string) =>
  recommendation.lines.find((one) => one.name === name)?.text ?? '';

describe('where nothing in the range is allowed', { timeout: PATIENCE_MS }, () => {
  it('another rule that is allowed is named, ordered with the present one off, and undone', async () => {
    const lax = smallRush({ gate: { slots: 4, maxWaitS: 15 } });
    const document = await tuned(lax, { axes: waits(12, 16, 20), replications: 4 });
    const allowed = document.baselines.filter((one) => one.allowed);
    expect(allowed.length).toBeGreaterThan(0);
    // Nobody sets what was tried: slots that are counted under it would not be enough.
    const { slotsNeeded: needed } = document;
    expect([needed?.under, ...(needed?.others ?? []).map(({ under }) => under)].sort()).toEqual([
      ...['no rule', 'present'],
    ]);
    expect(document.recommendation.headline).toMatch(
      /^NO SETTING OF THIS PARAMETER IS ENOUGH\. ANOTHER WAY IS ALLOWED: \w+ [\d.]+\. OR ADD SLOTS: 4 -> \d+\.$/,
    );
    expect(lineOf(document, 'WHY')).toMatch(
      /lost to the threshold \d+ % .* is allowed: it serves \d+ % in time, the present setting \d+ %/,
    );
    expect(lineOf(document, 'DO')).toMatch(
      /If you cannot: PUT \/admin\/policy \{"\w+":[\d.]+,"maxWaitS":null\} \(undo: \{"\w+":null,"maxWaitS":15\}\)/,
    );
  });

  it('another rule that serves notably more stands beside a present setting that is kept', async () => {
    const strict = smallRush({ gate: { slots: 4, maxWaitS: 1 } });
    const document = await tuned(strict, { axes: waits(12, 16, 20), replications: 4 });
    expect(document.recommendation.headline).toMatch(
      /^KEEP maxWaitS 1\. NOTHING IN THE RANGE THAT WAS TRIED IS ALLOWED\. ANOTHER RULE SERVES MORE: \w+ [\d.]+\./,
    );
    expect(lineOf(document, 'WHY')).toMatch(/is allowed: it serves \d+ % in time, the present/);
    expect(lineOf(document, 'DO')).toMatch(/PUT \/admin\/policy \{"\w+":[\d.]+.*\(undo: /);
    expect(lineOf(document, 'DO')).not.toContain('change nothing');
  });

  it('a present setting that beats all that was tried is not the last word at the end of the range', async () => {
    const good = smallRush({ gate: { slots: 4, maxWaitS: 6 } });
    const document = await tuned(good, { axes: waits(3, 4), replications: 4 });
    expect(document.recommendation.headline).toMatch(/^KEEP maxWaitS 6\./);
    expect(document.chosen?.atEdge).toBe(true);
    expect(lineOf(document, 'WHY')).toContain('AT THE END OF THE RANGE: widen --param');
  });

  it('a service that outlasts the SLO under every rule is no matter of slots', async () => {
    const tail = smallRush({ sloS: 10, model: { service: { exponential: 4 } } });
    const document = await tuned(tail, { axes: waits(1, 2, 4), replications: 4 });
    const { headline } = document.recommendation;
    expect(headline).toMatch(/NOR IS ANY RULE OR NUMBER OF SLOTS: [78]\.\d % ARE LATE AT LEAST\.$/);
    expect(headline).not.toContain('ADD SLOTS');
    expect(lineOf(document, 'DO')).toMatch(
      /^promise \d+(\.\d)? s, which allows maxWaitS \d, or tune with --max-breach 0\.09/,
    );
    expect(lineOf(document, 'WHY')).not.toContain('widen --param');
  });
});

describe('the nearest miss', () => {
  const params = [{ path: 'gate.maxWaitS', values: [1, 2, 3] }];
  const at = (value: number, miss: number) => ({
    ...{ setting: { 'gate.maxWaitS': value }, miss, refused: 'late', byScenario: [] },
  });
  const told = (...misses: number[]) =>
    noneAllowedText({ params, tried: misses.map((miss, i) => at(i + 1, miss)) } as never);

  it('at the end of the range asks for more of it, on that side', () => {
    expect(told(0.1, 0.2, 0.3)).toContain('widen --param to maxWaitS below 1');
    expect(told(0.3, 0.2, 0.1)).toContain('widen --param to maxWaitS above 3');
    expect(told(0.2, 0.1, 0.3)).not.toContain('widen');
  });

  it('at nought has nothing below it', () => {
    const none = [{ path: 'gate.queueCapacity', values: [0, 1] }];
    const tried = [
      { setting: { 'gate.queueCapacity': 0 }, miss: 0.1, refused: 'late', byScenario: [] },
    ];
    expect(noneAllowedText({ params: none, tried } as never)).not.toContain('widen');
  });
});

it('what would serve more and is refused is named with what refuses it', {
  timeout: PATIENCE_MS,
}, async () => {
  // Short requests go first, and the longer they may wait the fewer long ones are served.
  const scenario = smallRush({
    classes: {
      short: { share: 0.8, priority: 1, service: { fixed: 2 } },
      long: { share: 0.2, service: { fixed: 8 } },
    },
    ...{ durationS: 120, arrivals: { ratePerS: 3 } },
    gate: { slots: 4, ageRejectS: 2 },
  });
  const document = await tuned(scenario, { axes: waits(1, 4, 8), objective: GOODPUT });
  const refused = document.tried.filter(({ refused: why }) => why !== null);
  expect(refused.length).toBeGreaterThan(0);
  expect(lineOf(document, 'WHY')).toMatch(
    /maxWaitS \d would serve \d+ % in time and is refused: long: goodput/,
  );
});
