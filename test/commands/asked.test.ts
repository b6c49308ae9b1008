import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { askedFor, askedUnder, withAsked } from '../../src/commands/asked.ts';
import { withVerdicts } from '../../src/commands/run-facts.ts';
import { simulateResult } from '../../src/commands/simulate.ts';
import { rerunCommand } from '../../src/report/advice.ts';
import type { Result } from '../../src/result/types.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import { parseSet } from '../../src/scenario/set.ts';

const scenario = parseScenario({
  ...{ name: 'brief', durationS: 5, arrivals: { process: 'poisson', ratePerS: 1 } },
});
const plain = simulateResult(scenario);

/** The words that a shell hands to the program. */
function wordsOf(command: string): string[] {
  const words = command.replace('npx loadline ', '');
  return execFileSync('sh', ['-c', `printf '%s\\n' ${words}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');
}

describe('the command that runs again', () => {
  it('is plain where nothing but the name was given', () => {
    const result = withAsked(plain, askedFor('brief', { set: [] }, {}));
    expect(result).toBe(plain);
    expect(rerunCommand(result)).toBe('npx loadline sim brief --seed 1');
  });

  it('has every flag and --set that was given, as one word of a shell each', () => {
    const set = [
      'gate.maxWaitS=20',
      "description=it's $HOME `x`",
      'model.service={uniform: [5, 9]}',
    ];
    const options = { set, slots: '8', seed: '1', ageReject: 'off' };
    const command = rerunCommand(withAsked(plain, askedFor('my runs/brief.yaml', options, {})));
    expect(wordsOf(command)).toEqual([
      ...['sim', 'my runs/brief.yaml', '--seed', '1', '--slots', '8', '--age-reject', 'off'],
      ...set.flatMap((text) => ['--set', text]),
    ]);
    expect(command).toContain('--set gate.maxWaitS=20');
  });

  it('has the variables that changed the scenario before it, and no other', () => {
    const env = { AGE_REJECT: '5', WORKERS: '', OPENAI_API_KEY: 'secret', HOME: '/x' };
    const result = withAsked(plain, askedFor('brief', { set: [] }, env));
    expect(rerunCommand(result)).toBe('AGE_REJECT=5 npx loadline sim brief --seed 1');
  });

  it('names no scenario where flags alone made it', () => {
    const result = withAsked(plain, askedFor(undefined, { set: [], rate: '2' }, {}));
    expect(rerunCommand(result)).toBe('npx loadline sim --seed 1 --rate 2');
  });

  it('says how many runs there were, and that there was no gate', () => {
    const result = simulateResult(scenario, { replications: 3, direct: true });
    expect(rerunCommand(result)).toBe('npx loadline sim brief --seed 1 --direct --replications 3');
  });

  it.each([
    ['interrupted', '0.3'],
    ['generator-limited', '0.6'],
  ] as const)('of a run that was %s is played at a time scale of %s', (status, scale) => {
    const asked = askedFor('my/small.ts', { set: [] }, {});
    const live = { ...plain, engine: 'live', timeScale: 0.3 } as Result;
    const cut = { ...withAsked(live, asked), health: { ...plain.health, status } };
    expect(rerunCommand(cut)).toBe(`npx loadline bench my/small.ts --seed 1 --time-scale ${scale}`);
    const [verdict] = withVerdicts(cut, buildSchedule(scenario)).verdicts;
    expect(verdict?.commands).toEqual([rerunCommand(cut)]);
  });

  it('of an endpoint names its model', () => {
    const environment = {
      ...plain.environment,
      target: 'endpoint',
      endpoint: 'http://h:1',
      model: 'm 1',
    };
    const live = { ...plain, engine: 'live', environment } as Result;
    expect(rerunCommand(live)).toContain(
      "bench brief --seed 1 --endpoint http://h:1 --model 'm 1'",
    );
  });
});

it('a setting of a sweep is asked for by values that are read back as they were', () => {
  const setting = {
    'gate.maxWaitS': null,
    'gate.slots': 4,
    'gate.mode': 'shadow',
    description: '7',
  };
  const service = { 'model.service': { uniform: [1, 2] } };
  const { words } = askedUnder(askedFor('brief', { set: ['sloS=9'] }, {}), {
    ...setting,
    ...service,
  });
  expect(words.slice(0, 2)).toEqual(['--set', 'sloS=9']);
  const read = words
    .filter((word) => word !== '--set')
    .slice(1)
    .map(parseSet);
  expect(Object.fromEntries(read.map(({ path, value }) => [path, value]))).toEqual({
    ...setting,
    ...service,
  });
});
