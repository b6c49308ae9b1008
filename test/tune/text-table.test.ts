import { expect, it } from 'vitest';
import { percentCell } from '../../src/tune/text-table.ts';

const of = (mean: number, lo: number, hi: number) =>
  ({ mean, lo, hi, n: 10, range: [lo, hi] }) as unknown as Parameters<typeof percentCell>[0];

it('gives what is rounded to nothing no sign, and keeps that of what is not', () => {
  expect(percentCell(of(0.0001, -0.0002, 0.0004))).toBe('0.0 [0.0, 0.0]');
  expect(percentCell(of(0, -0.01, 0.01))).toBe('0.0 [-1.0, 1.0]');
});
