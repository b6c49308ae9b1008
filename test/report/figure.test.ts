import { expect, it } from 'vitest';
import { figure } from '../../src/report/figure.ts';
import { percent, seconds } from '../../src/report/format.ts';

const of = (mean: number, lo: number, hi: number) => ({ mean, lo, hi, band: [0, 1] }) as const;
const shown = (...args: Parameters<typeof figure>) =>
  figure(...args)
    .html.replace(/<br>.*/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/ +/g, ' ')
    .replaceAll('\u00a0', ' ')
    .trim();

it('ends an interval where the quantity does, and keeps the number itself', () => {
  expect(shown(of(0.985, 0.959, 1.011), percent)).toBe('98.5 % 95.9 to 100.0 %');
  expect(shown(of(0.02, -0.01, 0.05), percent)).toBe('2.0 % 0.0 to 5.0 %');
  expect(shown(of(1.5, -0.5, 3.5), seconds)).toBe('1.50 s 0 to 3.50 s');
  expect(figure(of(0.985, 0.959, 1.011), percent).html).toContain('value="0.985"');
});

it('keeps the sign of what may be less than nothing', () => {
  expect(shown(of(-0.02, -0.03, 0.01), percent)).toBe('−2.0 % −3.0 to 1.0 %');
});
