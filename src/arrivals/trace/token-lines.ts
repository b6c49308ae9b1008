import { numberIn, objectOn, type ReadRow, rowFrom } from './row.ts';

/**
 * Mooncake (milliseconds) and Qwen-Bailian (seconds): JSON lines with `timestamp`, `input_length`
 * and `output_length`. The keys are the same, so the unit must come from outside.
 */
export function tokenLinesReader(unitUs: number): ReadRow {
  return (line) => {
    const values = objectOn(line);
    if (values === undefined) return { fault: 'expected one JSON object' };
    const at = numberIn(values['timestamp']);
    return rowFrom({
      atUs: at === null ? null : at * unitUs,
      inTokens: values['input_length'],
      outTokens: values['output_length'],
    });
  };
}
