import { describe, expect, it } from 'vitest';
import { parseTrace } from '../../../src/arrivals/trace/parse.ts';

const AUTO = { format: 'auto', unit: 'auto' } as const;
const parse = (header: string, ...lines: string[]) =>
  parseTrace([header, ...lines].join('\n'), AUTO);
const retried = (header: string, ...lines: string[]) =>
  parse(header, ...lines).rows.map(({ retry }) => retry === true);

describe('a log that says what was turned away', () => {
  const CALLERS = 'at_s,caller,input_tokens,output_tokens,duration_s,status';

  it('shows each request once, at its first try, with the work of its last', () => {
    const { rows, refused, retries } = parse(
      CALLERS,
      '0,ann,100,0,0.002,429',
      '1,bob,100,7,3.5,200',
      '2,ann,100,0,0.002,429',
      '6,ann,100,9,4.5,200',
      '7,ann,100,8,4,200',
    );
    expect(rows.map(({ retry }) => retry === true)).toEqual([false, false, true, true, false]);
    expect({ refused, retries }).toEqual({ refused: 2, retries: 2 });
    expect(rows[0]?.served).toEqual({ serviceUs: 4_500_000, outTokens: 9 });
    expect(rows[2]?.served).toBeUndefined();
  });

  it('does not take the time of a refusal, nor its size, for work', () => {
    const { rows } = parse(CALLERS, '0,ann,100,3,0.002,429', '1,bob,5,3,0.5,500');
    for (const row of rows) expect(row).toMatchObject({ serviceUs: null, outTokens: null });
    expect(rows.map(({ refused }) => refused === true)).toEqual([true, false]);
  });

  it('links without callers by class and length of the prompt, one to one', () => {
    const header = 'at_s,class,input_tokens,status';
    const same = ['0,a,100,429', '1,a,100,200', '2,a,100,200'];
    expect(retried(header, ...same)).toEqual([false, true, false]);
    expect(retried(header, '0,a,100,429', '1,b,100,200', '2,a,99,200')).toEqual([
      ...[false, false, false],
    ]);
  });

  it('takes nobody for a retry who comes a minute later, or after a success', () => {
    expect(retried(CALLERS, '0,ann,1,0,0,503', '60.1,ann,1,1,1,200')).toEqual([false, false]);
    expect(retried(CALLERS, '0,ann,1,1,1,200', '1,ann,1,1,1,200')).toEqual([false, false]);
  });

  it('says what nothing can link', () => {
    const { retries, unlinked, notes } = parse('at_s,status', '0,429', '1,200');
    expect({ retries, unlinked }).toEqual({ retries: 0, unlinked: 1 });
    expect(notes.join()).toContain('neither caller nor prompt length');
    expect(notes.join()).toContain('1 of 2 rows (50.0 %) were turned away');
  });

  it('reads a status with its words, and counts an arrival whose status is none', () => {
    const { rows, refused } = parse('at_s,status', '0,429 Too Many Requests', '1,OK', '2,');
    expect(rows).toHaveLength(3);
    expect(refused).toBe(1);
  });
});

describe('a log that numbers the tries', () => {
  it.each([0, 1])('begins with its least number: %d', (first) => {
    const lines = [0, 1, 0, 2].map((more, i) => `${i},${first + more}`);
    expect(retried('at_s,attempt', ...lines)).toEqual([false, true, false, true]);
  });

  it('is believed over what looks like a retry', () => {
    const header = 'at_s,caller,status,attempt';
    const lines = ['0,ann,429,0', '1,ann,200,0', '2,ann,200,1'];
    expect(retried(header, ...lines)).toEqual([false, false, true]);
  });
});

it('says of a table without statuses that nobody can tell', () => {
  const { refused, notes } = parse('at_s,input_tokens', '0,1', '1,1');
  expect(refused).toBe(null);
  expect(notes.join()).toContain('no column status');
});
