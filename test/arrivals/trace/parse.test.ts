import { describe, expect, it } from 'vitest';
import { buildSchedule } from '../../../src/arrivals/build.ts';
import { parseTrace } from '../../../src/arrivals/trace/parse.ts';
import { writeScheduleCsv } from '../../../src/ledger/schedule-csv.ts';
import { parseScenario } from '../../../src/scenario/schema.ts';

const AUTO = { format: 'auto', unit: 'auto' } as const;
const parse = (...lines: string[]) => parseTrace(lines.join('\n'), AUTO);
const instants = (...lines: string[]) => parse(...lines).rows.map((row) => row.atUs);
const AZURE = 'TIMESTAMP,ContextTokens,GeneratedTokens';
const BURST = 'Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type';
const token = (timestamp: number, more = '') =>
  `{${more}"timestamp": ${timestamp}, "input_length": 7, "output_length": 3}`;

describe('Azure traces', () => {
  it('of 2023 are read past byte order mark, carriage returns and a missing last line end', () => {
    const text = `\uFEFF${AZURE}\r\n2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319600,3180,8`;
    const trace = parseTrace(text, AUTO);
    expect(trace.rows.map((row) => row.atUs)).toEqual([0, 52_000]);
    expect(trace.rows[0]).toMatchObject({ inTokens: 4808, outTokens: 10, serviceUs: null });
    expect(trace).toMatchObject({ format: 'azure', unit: 'instant', rejected: [] });
  });

  it('of 2024 have a zone, and no fraction on a full second', () => {
    expect(
      instants(
        AZURE,
        '2024-05-10 00:00:00.009930+00:00,2162,5',
        '2024-05-10 00:00:01+00:00,1,1',
        '2024-05-10 02:00:02+02:00,1,1',
        '2024-05-10T00:00:02.5Z,1,1',
      ),
    ).toEqual([0, 990_070, 1_990_070, 2_490_070]);
  });

  it('keep a hundred nanoseconds to the nearest microsecond, over midnight and a leap day', () => {
    const rows = ['2024-02-28 23:59:59.9999994,1,1', '2024-02-29 00:00:00.0000006,1,1'];
    expect(instants(AZURE, ...rows, '2024-03-01 00:00:00,1,1')).toEqual([0, 2, 86_400_000_001]);
  });
});

describe('other formats', () => {
  it('Mooncake stamps are milliseconds, unless they have fractions or the unit is given', () => {
    expect(instants(token(0), token(277))).toEqual([0, 277_000]);
    expect(instants(token(0), token(0.2))).toEqual([0, 200_000]);
    const given = parseTrace(`${token(0)}\n${token(2)}`, { format: 'mooncake', unit: 's' });
    expect(given.rows.at(-1)?.atUs).toBe(2_000_000);
    expect(given.notes[0]).toContain('read in seconds');
  });

  it('Qwen stamps are seconds, known by the number of the conversation', () => {
    const chat = '"chat_id": 1, ';
    expect(parse(token(0, chat), token(61, chat))).toMatchObject({ format: 'qwen', unit: 's' });
    expect(instants(token(0, chat), token(61, chat))).toEqual([0, 61_000_000]);
  });

  it('BurstGPT goes by the names of its columns and keeps failures', () => {
    const trace = parse(
      'Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type',
      '5,a,1.5,ChatGPT,472,18,490,Conversation log',
      '45,b,2,"Chat, GPT",1087,0,1087,API log',
    );
    expect(trace.rows.map((row) => [row.atUs, row.inTokens, row.outTokens])).toEqual([
      [0, 472, 18],
      [40_000_000, 1087, 0],
    ]);
    expect(trace.notes).toContain('1 rows have 0 output tokens (failed?): kept as arrivals');
  });

  it('a table goes by names of columns, whose units count', () => {
    const trace = parse('at_ms,class,prompt_tokens,duration_s', '100,small,5,1.5', '350,large,,2');
    expect(trace).toMatchObject({ format: 'csv', unit: 'ms' });
    expect(trace.rows).toEqual([
      { atUs: 0, inTokens: 5, outTokens: null, serviceUs: 1_500_000, class: 'small' },
      { atUs: 250_000, inTokens: null, outTokens: null, serviceUs: 2_000_000, class: 'large' },
    ]);
  });

  it('a schedule of our own comes back with its instants, classes and demands', () => {
    const { arrivals } = buildSchedule(parseScenario({ arrivals: { ratePerS: 2 } }));
    const { rows, format } = parse(writeScheduleCsv(arrivals));
    expect(format).toBe('loadline');
    expect(rows.map((row) => row.atUs)).toEqual(arrivals.map((a) => a.atUs));
    expect(rows.map((row) => row.serviceUs)).toEqual(arrivals.map((a) => a.demand.serviceUs));
  });

  it('a ledger of our own gives the service of the completed only', () => {
    const line = (outcome: string, intendedUs: number) =>
      JSON.stringify({
        kind: 'request',
        class: 'small',
        intendedUs,
        outcome,
        heldUs: 9,
        inTokens: 4,
        outTokens: 6,
      });
    const { rows } = parse('{"kind":"start"}', line('completed', 50), line('rejected', 70));
    expect(rows).toEqual([
      { atUs: 50, inTokens: 4, outTokens: 6, serviceUs: 9, class: 'small' },
      { atUs: 70, inTokens: 4, outTokens: null, serviceUs: null, class: 'small' },
    ]);
  });
});

describe('a trace that is not clean', () => {
  it('is sorted, and says how many rows were out of order', () => {
    const trace = parse(BURST, '9,m,1,1,2,x', '5,m,2,1,3,x', '7,m,3,1,4,x', '6,m,4,1,5,x');
    expect(trace.rows.map((row) => row.inTokens)).toEqual([2, 4, 3, 1]);
    expect(trace.outOfOrder).toBe(2);
    expect(trace.notes).toContain('2 rows came before an earlier one: sorted by time');
  });

  it('names each rejected line by its number in the file, blank lines counted', () => {
    const trace = parse(
      AZURE,
      '2023-11-16 18:17:03,1,1',
      '',
      'yesterday,1,1',
      '2023-11-16 18:17:03,-4,1',
    );
    expect(trace.rejected.map(({ line }) => line)).toEqual([4, 5]);
    expect(trace.notes.at(-1)).toMatch(
      /^2 lines rejected \(line 4: expected an instant .* got yesterday/,
    );
  });

  it('reports ties and the step of the clock', () => {
    const rows = Array.from({ length: 60 }, (_, i) => `${Math.floor(i / 3)},m,1,1,2,x`);
    const { figures, notes } = parse(BURST, ...rows);
    expect(figures).toMatchObject({ tiedShare: 1, resolutionS: 1 });
    expect(notes[1]).toMatch(/^100 % of arrivals share a timestamp; resolution looks like 1000 ms/);
  });

  it.each([
    ['', 'expected recorded arrivals, got an empty file'],
    ['a,b\n1,2', 'expected a column timestamp, at_s or at_ms, got a,b'],
    [`${AZURE}\nnever,1,1`, 'got none (line 2: expected an instant'],
    [AZURE, 'got none (no rows)'],
  ])('that holds nothing is refused with the reason (%#)', (text, message) => {
    expect(() => parseTrace(text, AUTO)).toThrow(message);
  });

  it('of one instant has no rate and no SCV', () => {
    const { figures } = parse(BURST, '5,m,1,1,2,x', '5,m,1,1,2,x');
    expect(figures).toMatchObject({ spanS: 0, ratePerS: null, scv: null, p2m10: null });
  });

  it('with one wrong time stamp is read at once, and its line is named', () => {
    const epoch = Array.from({ length: 200 }, (_, i) => `${1_764_460_000 + 2 * i},1`);
    const { figures, notes } = parse('timestamp,duration_s', ...epoch, '0,1');
    expect(figures.p2m10).toBeGreaterThan(1e6);
    expect(notes[1]).toMatch(/^line 202: its time stamp lies 2042\d days from the other rows/);
    const late = parse('timestamp,duration_s', '0,1', '9e9,1');
    expect(late.figures.p2m10).toBeCloseTo(9e8 / 2, -1);
    expect(late.notes[1]).toMatch(/^line 3: its time stamp lies 104\d00 days/);
  });

  it('with an instant that no clock shows rejects its line', () => {
    const { rows, rejected } = parse('timestamp,duration_s', '0,1', '1e300,1', '-1e300,1', '5,1');
    expect(rows).toHaveLength(2);
    expect(rejected.map(({ line }) => line)).toEqual([3, 4]);
    const inMs = ['timestamp', '1764460000000', '1764460001000'];
    expect(() => parse(...inMs)).toThrow(/line 2: .*arrivals\.unit: s or ms/);
    expect(parseTrace(inMs.join('\n'), { format: 'csv', unit: 'ms' }).rows[1]?.atUs).toBe(1e6);
  });

  it('of weeks with nights and weekends in it has no row that stands out', () => {
    const days = Array.from({ length: 40 }, (_, i) => `${(i + (i > 30 ? 3 : 0)) * 86_400},1`);
    expect(parse('timestamp,duration_s', ...days).strays).toBeNull();
    const stretches = [0, 100_000, 200_000].flatMap((from) => [from, from + 9, from + 18]);
    expect(parse('timestamp,duration_s', ...stretches.map((at) => `${at},1`)).strays).toBeNull();
  });

  it('that numbers its tries without a status does not say that anybody was refused', () => {
    const { notes } = parse('timestamp,duration_s,attempt', '0,2,0', '1,2,1', '2,2,2', '3,2,0');
    expect(notes.join()).toContain('2 of 4 rows are taken for retries by their number of the try');
    expect(notes.join()).not.toContain('refused');
  });
});
