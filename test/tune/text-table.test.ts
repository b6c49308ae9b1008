import { expect, it } from 'vitest';
import { figureCell, percentCell, shortNumber } from '../../src/tune/text-table.ts';

const of = (mean: number, lo: number, hi: number) =>
  ({ mean, lo, hi, band: [lo, hi] }) as const satisfies Parameters<typeof percentCell>[0];

it('gives what is rounded to nothing no sign, and keeps that of what is not', () => {
  expect(percentCell(of(-0.0001, -0.0002, 0.0004))).toBe('0.0 [0.0, 0.0]');
  expect(percentCell(of(-0.02, -0.03, 0.01))).toBe('-2.0 [-3.0, 1.0]');
});

it('ends an interval where the quantity does: a share at none and all, anything else at none', () => {
  expect(percentCell(of(0.985, 0.959, 1.011))).toBe('98.5 [95.9, 100.0]');
  expect(percentCell(of(0.002, -0.001, 0.005))).toBe('0.2 [0.0, 0.5]');
  expect(figureCell(of(1.5, -0.5, 3.5), shortNumber)).toBe('1.50 [0, 3.50]');
});

it('does not round a share to none or all that is neither', () => {
  expect(percentCell(of(0.0003, -0.0002, 0.0012))).toBe('<0.1 [0.0, 0.1]');
  expect(percentCell(of(0.9997, 0.999, 1))).toBe('>99.9 [99.9, 100.0]');
  expect([0, 0.0002, 0.0005, 0.9999, 1].map((value) => percentCell(value))).toEqual([
    ...['0.0', '<0.1', '0.1', '>99.9', '100.0'],
  ]);
});
