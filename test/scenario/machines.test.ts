import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/scenario/canonical.ts';
import {
  admissionConfig,
  clientConfig,
  modelConfig,
  policyOf,
  policyPatch,
} from '../../src/scenario/machines.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const written = {
  seed: 9,
  arrivals: { ratePerS: 1 },
  classes: {
    job: { share: 0.5, deadlineS: 900, retry: { max: 3, baseS: 1 }, patience: { fixed: 8 } },
    chat: {
      share: 0.5,
      kind: 'interactive',
      hold: { fixed: 400 },
      service: { fixed: 2 },
      expectedComputeS: 3,
      patience: { exponential: 5 },
    },
  },
  gate: {
    slots: 3,
    ageRejectS: 0.0000015,
    maxWaitS: 30,
    retryAfterS: 5,
    slackRejectS: 90,
    rationale: 'so',
  },
  model: {
    service: { uniform: [5, 30] },
    firstTokenS: 0.2,
    preempts: { type: 'spot', atS: [1.5], noticeS: 2 },
  },
};
const scenario = parseScenario(written);

describe('the machines speak microseconds', () => {
  it('the gate: null stays null, seconds are rounded to whole microseconds', () => {
    const { policy, seed } = admissionConfig(scenario);
    expect(seed).toBe(9);
    expect(policy).toMatchObject({
      slots: 3,
      ageRejectUs: 2,
      maxWaitUs: 30e6,
      slackRejectUs: 90e6,
      holdRejectUs: 60e6,
      slackAdmitUs: 180e6,
      retryAfterUs: 5e6,
      maxHoldUs: null,
      depthMultiple: null,
      upstreamDown: false,
    });
  });

  it('every field of the gate reaches the policy', () => {
    const renamed = Object.keys(scenario.gate)
      .filter((key) => key !== 'rationale')
      .map((key) => key.replace(/S$/, 'Us'));
    expect(Object.keys(policyOf(scenario.gate)).sort()).toEqual(
      [...renamed, 'upstreamDown'].sort(),
    );
  });

  it('the classes: expected compute is the mean of the service unless stated', () => {
    const { classes } = admissionConfig(scenario);
    expect(classes['job']).toEqual({
      kind: 'batch',
      priority: 0,
      mayQueue: true,
      deadlineUs: 900e6,
      expectedComputeUs: 17.5e6,
      replay: false,
    });
    expect(classes['chat']).toMatchObject({ expectedComputeUs: 3e6, mayQueue: false });
  });

  it('the callers', () => {
    const { classes } = clientConfig(scenario);
    expect(classes['job']).toMatchObject({
      retry: { max: 3, baseUs: 1e6, capUs: 30e6, budget: 0.1, onRefusal: true },
      patience: { type: 'fixed', us: 8e6 },
      timeoutUs: null,
    });
    expect(classes['job']?.retry).not.toHaveProperty('baseS');
    expect(classes['chat']?.patience).toEqual({ type: 'exponential', meanUs: 5e6 });
  });

  it('the model', () => {
    expect(modelConfig(scenario)).toMatchObject({
      slots: 0,
      firstTokenUs: 200_000,
      compute: { job: 1, chat: 0.05 },
      preempts: { type: 'spot', atUs: [1.5e6], noticeUs: 2e6, backUs: 0 },
    });
  });

  it('a change of policy names only what changes', () => {
    const to = { ...scenario.gate, maxWaitS: null, slots: 4 };
    expect(policyPatch(scenario.gate, to)).toEqual({ maxWaitUs: null, slots: 4 });
    expect(policyPatch(scenario.gate, scenario.gate)).toEqual({});
  });
});

describe('canonical JSON', () => {
  it('does not depend on the order of keys, nor on seed, name, description or rationale', () => {
    const reordered = Object.fromEntries(Object.entries(written).reverse());
    const other = parseScenario({
      ...reordered,
      seed: 1,
      name: 'other',
      description: 'x',
      gate: { ...written.gate, rationale: null },
    });
    expect(canonicalJson(other)).toBe(canonicalJson(scenario));
  });

  it('depends on everything else', () => {
    const texts = [
      { ...written, durationS: 61 },
      { ...written, gate: { ...written.gate, slots: 4 } },
      { ...written, model: { service: { uniform: [5, 31] } } },
    ].map((input) => canonicalJson(parseScenario(input)));
    expect(new Set([...texts, canonicalJson(scenario)]).size).toBe(4);
  });

  it('leaves out where files lie, and not a class that is called file', () => {
    const trace = (file: string) =>
      canonicalJson(
        parseScenario({
          arrivals: { process: 'trace', file, rows: [{ atUs: 5 }] },
          classes: { file: {} },
        }),
      );
    expect(trace('/a/x.csv')).toBe(trace('/b/y.csv'));
    expect(JSON.parse(trace('x'))).toHaveProperty('classes.file.kind', 'batch');
  });
});
