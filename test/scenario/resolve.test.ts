import { describe, expect, it } from 'vitest';
import {
  COMMAND_VARIABLES,
  SCENARIO_VARIABLES,
  variablesInUse,
} from '../../src/scenario/environment.ts';
import { flagOverrides, SCENARIO_FLAGS } from '../../src/scenario/flags.ts';
import { resolveScenario, type Sources } from '../../src/scenario/resolve.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const input = {
  arrivals: { ratePerS: 1, bursts: [{ fromS: 10, toS: 20 }] },
  gate: { slots: 2, ageRejectS: 10 },
};
const NONE: Sources = { input, env: {}, flags: {}, sets: [] };

describe('precedence', () => {
  it('is set, then flag, then environment, then scenario, then default', () => {
    const slots = (sources: Partial<Sources>) =>
      resolveScenario({ ...NONE, ...sources }).gate.slots;
    const env = { WORKERS: '3' };
    const flags = { slots: '5' };
    expect(slots({ input: { arrivals: { ratePerS: 1 } } })).toBe(4);
    expect(slots({})).toBe(2);
    expect(slots({ env })).toBe(3);
    expect(slots({ env, flags })).toBe(5);
    expect(slots({ env, flags, sets: ['gate.slots=6'] })).toBe(6);
  });

  it('leaves what was written as it was', () => {
    const before = structuredClone(input);
    resolveScenario({ ...NONE, env: { WORKERS: '3', BURST_TO: '30' }, sets: ['gate.maxWaitS=4'] });
    expect(input).toEqual(before);
  });
});

describe('flags', () => {
  it('alone make a scenario', () => {
    const flags = {
      rate: '.8',
      burst: '120..240x2',
      duration: '300',
      slots: '16',
      service: 'uniform:5..30',
      slo: '60',
      ageReject: '25',
      maxWait: '30',
    };
    const scenario = resolveScenario({ ...NONE, input: {}, flags });
    expect(scenario).toMatchObject({
      durationS: 300,
      sloS: 60,
      arrivals: {
        process: 'poisson',
        ratePerS: 0.8,
        bursts: [{ fromS: 120, toS: 240, factor: 2 }],
      },
      gate: { slots: 16, ageRejectS: 25, maxWaitS: 30 },
      model: { service: { uniform: [5, 30] } },
    });
  });

  it('turn a rule off', () => {
    expect(resolveScenario({ ...NONE, flags: { ageReject: 'off' } }).gate.ageRejectS).toBeNull();
  });

  it('know every short form of a service time', () => {
    const service = (text: string) =>
      resolveScenario({ ...NONE, flags: { service: text } }).model.service;
    expect(service('exponential:4')).toEqual({ exponential: 4 });
    expect(service('fixed:5')).toEqual({ fixed: 5 });
    expect(service('lognormal:10~1.4')).toEqual({ lognormal: { mean: 10, scv: 1.4 } });
    expect(service('gamma:10~.5')).toEqual({ gamma: { mean: 10, scv: 0.5 } });
    expect(service('uniform:.5..1.5')).toEqual({ uniform: [0.5, 1.5] });
  });

  it('have the aliases of other tools', () => {
    const flags = { requestRate: '3', burstiness: '.5' };
    expect(resolveScenario({ ...NONE, input: {}, flags }).arrivals).toMatchObject({
      process: 'gamma',
      ratePerS: 3,
      burstiness: 0.5,
    });
  });

  it('take several bursts', () => {
    const flags = { burst: '10..20x2,.5..1.5x.5' };
    expect(resolveScenario({ ...NONE, flags }).arrivals).toMatchObject({
      bursts: [
        { fromS: 10, toS: 20, factor: 2 },
        { fromS: 0.5, toS: 1.5, factor: 0.5 },
      ],
    });
  });

  it('say which of them is wrong, and what it wants', () => {
    const fails = (flags: Record<string, string>) => () => flagOverrides(flags);
    expect(fails({ slots: 'many' })).toThrow('--slots: expected a number, got "many"');
    expect(fails({ requestRate: '' })).toThrow('--request-rate: expected a number, got ""');
    expect(fails({ maxWait: 'x' })).toThrow('--max-wait: expected a number, or off, got "x"');
    for (const burst of ['120', '1..2', 'x', '1..x2', '..2x3']) {
      expect(fails({ burst })).toThrow('--burst: expected a burst such as 120..240x2');
    }
    for (const service of [
      '5',
      'uniform:5',
      'fixed:',
      'normal:1~2',
      'fixed:1..2',
      'uniform:a..b',
    ]) {
      expect(fails({ service })).toThrow('--service: expected uniform:5..30');
    }
  });

  it('leave the options of a command alone', () => {
    expect(flagOverrides({ json: true, out: 'x' })).toEqual([]);
  });

  it('each have help, a path of their own and a name of their own', () => {
    const names = SCENARIO_FLAGS.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(SCENARIO_FLAGS.map(({ path }) => path)).size).toBe(SCENARIO_FLAGS.length);
    expect(SCENARIO_FLAGS.every(({ help, placeholder }) => help !== '' && placeholder !== '')).toBe(
      true,
    );
  });
});

describe('environment', () => {
  it('knows the names of the runbooks', () => {
    const env = {
      AGE_REJECT: '1e9',
      DEPTH_MULT: '2',
      WORKERS: '4',
      SLO_SEC: '60',
      BASE_RATE: '.8',
      BURST_FROM: '120',
      BURST_TO: '240',
      ARRIVAL_S: '300',
      TASK_BUDGET: '1000',
      QUEUE_AGE_FRAC: '.5',
      RESTART_FRAC: '.3',
      MAX_PREEMPTS: '2',
    };
    expect(resolveScenario({ ...NONE, input: {}, env })).toMatchObject({
      durationS: 300,
      sloS: 60,
      arrivals: { ratePerS: 0.8, bursts: [{ fromS: 120, toS: 240, factor: 2 }] },
      gate: {
        slots: 4,
        ageRejectS: 1e9,
        depthMultiple: 2,
        taskBudgetTokens: 1000,
        queueAgeFraction: 0.5,
        restartFraction: 0.3,
        maxPreempts: 2,
      },
    });
  });

  it('gives a deadline to batch classes only', () => {
    const classes = { job: { share: 0.5 }, chat: { share: 0.5, kind: 'interactive' } };
    const env = { DEADLINE_MS: '120000' };
    const scenario = resolveScenario({ ...NONE, input: { ...input, classes }, env });
    expect(scenario.classes['job']?.deadlineS).toBe(120);
    expect(scenario.classes['chat']?.deadlineS).toBeNull();
    expect(resolveScenario({ ...NONE, env }).classes['task']?.deadlineS).toBe(120);
  });

  it('opens the door with ADMIT_ALWAYS=1, whatever ADMIT_MODE says, and not with 0', () => {
    const mode = (env: Record<string, string>) => resolveScenario({ ...NONE, env }).gate.mode;
    expect(mode({ ADMIT_MODE: 'reject_preempt_budget' })).toBe('reject_preempt_budget');
    expect(mode({ ADMIT_ALWAYS: '1', ADMIT_MODE: 'shadow' })).toBe('admit-always');
    expect(mode({ ADMIT_ALWAYS: '0' })).toBe('enforce');
  });

  it('takes an empty variable as not set', () => {
    expect(resolveScenario({ ...NONE, env: { WORKERS: '' } }).gate.slots).toBe(2);
    expect(variablesInUse({ WORKERS: '', SLO_SEC: '5', PATH: '/bin' })).toEqual(['SLO_SEC']);
  });

  it('names the variable that is wrong', () => {
    expect(() => resolveScenario({ ...NONE, env: { AGE_REJECT: '5 10' } })).toThrow(
      'AGE_REJECT: expected a number, or off, got "5 10"',
    );
  });

  it('leaves endpoints and keys to the commands', () => {
    const env = Object.fromEntries(COMMAND_VARIABLES.map((name) => [name, 'sk-secret']));
    expect(resolveScenario({ ...NONE, env })).toEqual(parseScenario(input));
    expect(
      SCENARIO_VARIABLES.filter((name) => COMMAND_VARIABLES.some((own) => own === name)),
    ).toEqual([]);
  });
});

it('a --set that is wrong is named', () => {
  expect(() => resolveScenario({ ...NONE, sets: ['gate.slot=3'] })).toThrow(
    '--set: gate.slot: unknown path; did you mean slots?',
  );
});
