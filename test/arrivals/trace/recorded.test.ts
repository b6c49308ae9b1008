import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { spreadTimes } from '../../../src/arrivals/replayed.ts';
import { figuresOf } from '../../../src/arrivals/trace/figures.ts';
import { parseTrace } from '../../../src/arrivals/trace/parse.ts';
import { streamKey } from '../../../src/random.ts';

const folder = new URL('../../../../shared/traces/', import.meta.url);
const here = existsSync(folder);
const AUTO = { format: 'auto', unit: 'auto' } as const;
const parsed = (name: string) => parseTrace(readFileSync(new URL(name, folder), 'utf8'), AUTO);

if (!here) console.log('skipped: the recorded traces are not beside this project');

describe.skipIf(!here)('recorded traces', () => {
  it.each([
    ['azure2023_code.csv', 'azure', 8819, 3435.9, 2.567, 172.96, 12.76],
    ['azure2023_conv.csv', 'azure', 19_366, 3501.7, 5.53, 1.197, 1.78],
    ['mooncake_conversation_trace.jsonl', 'mooncake', 12_031, 3537.0, 3.402, 9.2, 1.97],
    ['mooncake_synthetic_trace.jsonl', 'mooncake', 3993, 1022.0, 3.907, 1.023, 1.42],
    ['vidur_splitwise_code.csv', 'csv', 8819, 3435.9, 2.567, 172.96, 12.76],
    ['vidur_splitwise_conv.csv', 'csv', 19_366, 3501.7, 5.53, 1.197, 1.78],
  ])(
    '%s has its known rows, span, rate, SCV and peak',
    (name, format, rows, spanS, perS, scv, p2m) => {
      const trace = parsed(name);
      const { figures } = trace;
      expect(trace).toMatchObject({ format, rejected: [], outOfOrder: 0 });
      expect(figures.rows).toBe(rows);
      expect(Math.abs(figures.spanS - spanS)).toBeLessThan(0.06);
      expect(Math.abs((figures.ratePerS ?? 0) - perS)).toBeLessThan(0.001);
      expect(Math.abs((figures.scv ?? 0) / scv - 1)).toBeLessThan(0.001);
      expect(Math.abs((figures.p2m10 ?? 0) - p2m)).toBeLessThan(0.006);
    },
  );

  it('of Azure 2023 keep every instant apart that the file keeps apart', () => {
    const { rows, figures } = parsed('azure2023_conv.csv');
    expect(new Set(rows.map((row) => row.atUs)).size).toBeGreaterThan(19_360);
    expect(figures.resolutionS).toBeNull();
  });

  it('of Azure code show their silences', () => {
    expect(parsed('azure2023_code.csv').figures.silentGaps).toBeGreaterThanOrEqual(6);
  });

  it('of Mooncake show a clock of 3 s, and are nearly Poisson once spread over it', () => {
    const trace = parsed('mooncake_conversation_trace.jsonl');
    expect(trace.figures.resolutionS).toBe(3);
    expect(trace.notes.join('\n')).toMatch(
      /\d+ % of arrivals share a timestamp; resolution looks like 3000 ms/,
    );
    const spread = spreadTimes(trace.rows, 3, streamKey(1, 'spread')).sort((a, b) => a - b);
    expect(Math.abs((figuresOf(spread).scv ?? 0) - 1.02)).toBeLessThan(0.04);
  });

  it.each([
    ['cuts/azure2024_week_heads_quoted.csv', 'azure', 10],
    ['cuts/burstgpt1_first3_quoted.csv', 'burstgpt', 3],
    ['cuts/qwen_bailian_schema_sample.jsonl', 'qwen', 2],
    ['cuts/mooncake_conversation_trace_slim.jsonl', 'mooncake', 2000],
    ['cuts/inference_perf_example_trace.csv', 'azure', null],
  ])('%s is recognised and read whole', (name, format, rows) => {
    const trace = parsed(name);
    expect(trace).toMatchObject({ format, rejected: [] });
    if (rows !== null) expect(trace.rows).toHaveLength(rows);
    expect(trace.rows.every((row) => row.inTokens !== null && row.outTokens !== null)).toBe(true);
  });
});
