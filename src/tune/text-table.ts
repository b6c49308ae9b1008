import { intervalOf, numberOf } from '../result/figure.ts';
import type { Figure } from '../result/types.ts';

/** Rows of cells with the columns aligned: the first to the left, the others to the right. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) =>
    Math.max(...rows.map((row) => row[i]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/**
 * `82.3 [81.9, 82.6]` in percent, or one number of one run. What is not quite none or all is not
 * rounded to it, as on a page: `<0.1 [0.0, 0.1]`.
 */
export function percentCell(figure: Figure): string {
  const cell = figureCell(figure, (value) => (100 * value).toFixed(1), 1);
  const value = numberOf(figure);
  if (value !== null && value > 0 && cell.startsWith('0.0')) return cell.replace('0.0', '<0.1');
  const isAll = value !== null && value < 1 && cell.startsWith('100.0');
  return isAll ? cell.replace('100.0', '>99.9') : cell;
}

/** @param most of a share: 1 */
export function figureCell(
  figure: Figure,
  write: (value: number) => string,
  most?: number,
): string {
  if (figure === null) return '-';
  const said = (value: number) => unsigned(write(value));
  if (typeof figure === 'number') return said(figure);
  const [lo, hi] = intervalOf(figure, most);
  return `${said(figure.mean)} [${said(lo)}, ${said(hi)}]`;
}

/** A little below 0 is rounded to 0, which has no sign. */
function unsigned(text: string): string {
  return /^-[0.]+$/.test(text) ? text.slice(1) : text;
}

/** A number without its interval, for columns that only orient. */
export function meanCell(figure: Figure, write: (value: number) => string): string {
  if (figure === null) return '-';
  return write(typeof figure === 'number' ? figure : figure.mean);
}

/** About three digits and no exponent. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2);
}
