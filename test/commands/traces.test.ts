import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { buildSchedule } from '../../src/arrivals/build.ts';
import { scenarioFrom } from '../../src/commands/resolve.ts';
import { withVerdicts } from '../../src/commands/run-facts.ts';
import { simulateResult } from '../../src/commands/simulate.ts';
import { withTraces } from '../../src/commands/traces.ts';
import { parseScenario } from '../../src/scenario/schema.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const FIXTURE = here('../fixtures/small-trace.csv');
const CUTS = here('../../../shared/traces/cuts');

function loaded(changes: Record<string, unknown> = {}, file = 'small-trace.csv') {
  const said: string[] = [];
  const { arrivals, ...rest } = changes;
  const scenario = withTraces(
    parseScenario({
      durationS: 20,
      arrivals: { process: 'trace', file, ...(arrivals as object) },
      ...rest,
    }),
    here('../fixtures'),
    (text) => said.push(text),
  );
  return { scenario, said, schedule: buildSchedule(scenario) };
}

describe('a scenario with recorded arrivals', () => {
  it('plays them at their instants, with their tokens', () => {
    const { arrivals } = loaded().schedule;
    expect(arrivals.map(({ atUs }) => atUs / 1e6)).toEqual([
      0, 0.5, 0.5, 1.75, 2.25, 4, 5.5, 7, 8.25, 9.75, 12,
    ]);
    expect(arrivals[3]?.demand).toMatchObject({ inTokens: 33, outTokens: 4 });
  });

  it('says what a reader should know, and says it in the result', () => {
    const { scenario, said, schedule } = loaded();
    expect(said[0]).toMatch(
      /^small-trace.csv: azure trace read in calendar time: 12 rows over 55 s/,
    );
    expect(said.join('\n')).toContain('1 rows came before an earlier one');
    expect(said.join('\n')).toContain('1 lines rejected (line 7: expected an instant');
    expect(said.at(-1)).toBe(
      'small-trace.csv: 1 rows come at or after durationS 20: left out (--duration)',
    );
    const result = withVerdicts(simulateResult(scenario), schedule);
    expect(result.environment.notes).toEqual(expect.arrayContaining(said));
    expect(result.outcomes.offered).toBe(11);
  });

  it('counts what a speed, a limit and the end of the run leave out', () => {
    expect(loaded({ arrivals: { speed: 4 } }).said.join()).not.toContain('durationS');
    const { said, schedule } = loaded({ arrivals: { limit: 3 }, durationS: 0.4 });
    expect(schedule.arrivals).toHaveLength(1);
    expect(said).toContain('small-trace.csv: limit 3: 9 rows left out');
    expect(said.at(-1)).toContain('2 rows come at or after durationS 0.4');
  });

  it('says the same of two classes that share a file once', () => {
    const said: string[] = [];
    const arrivals = { process: 'trace', file: 'small-trace.csv' };
    const scenario = parseScenario({
      durationS: 20,
      classes: { a: { arrivals }, b: { arrivals } },
    });
    withTraces(scenario, here('../fixtures'), (text) => said.push(text));
    expect(new Set(said).size).toBe(said.length);
  });

  it('is built by --trace, whose path starts where it was typed', async () => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const file = relative(process.cwd(), FIXTURE);
    const scenario = await scenarioFrom('rush', { set: [], trace: file, quiet: true });
    expect(said).not.toHaveBeenCalled();
    said.mockRestore();
    expect(scenario.arrivals).toMatchObject({ process: 'trace', file, speed: 1 });
    expect(buildSchedule(scenario).arrivals).toHaveLength(12);
  });

  it('names the file that it cannot read', async () => {
    const missing = scenarioFrom(undefined, { set: [], trace: 'no-such.csv' });
    await expect(missing).rejects.toThrow('arrivals.file: expected a file that can be read');
  });
});

describe.skipIf(!existsSync(CUTS))('published traces (cuts beside the project)', () => {
  it.each([
    ['azure2023_code_burst600s.csv', {}],
    ['azure2023_conv_first2000.csv', {}],
    ['burstgpt1_first3_quoted.csv', {}],
    ['mooncake_conversation_first500.jsonl', {}],
    ['qwen_bailian_schema_sample.jsonl', {}],
    ['inference_perf_example_trace.csv', {}],
  ])('%s plays in virtual time, every row of it', (name, arrivals) => {
    const file = join(CUTS, name);
    const { scenario, schedule, said } = loaded({ durationS: 1e6, arrivals }, file);
    const lines = readFileSync(file, 'utf8').trim().split('\n').length;
    expect(schedule.arrivals.length).toBeGreaterThanOrEqual(lines - 1);
    expect(said[0]).toContain(`${schedule.arrivals.length} rows`);
    expect(simulateResult(scenario).outcomes.offered).toBe(schedule.arrivals.length);
  });
});
