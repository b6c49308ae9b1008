import { cellBy, columnsOf } from './columns.ts';
import { cellsOf } from './lines.ts';
import { numberIn, type ReadRow, rowFrom } from './row.ts';

/**
 * BurstGPT: columns by name, for later files have more of them. A failed request has 0 response
 * tokens; it arrived all the same, so it stays.
 */
export function burstgptReader(header: string, unitUs: number): ReadRow {
  const cell = cellBy(columnsOf(header));
  return (line) => {
    const cells = cellsOf(line);
    const at = numberIn(cell(cells, 'timestamp'));
    return rowFrom({
      atUs: at === null ? null : at * unitUs,
      inTokens: cell(cells, 'request tokens'),
      outTokens: cell(cells, 'response tokens'),
    });
  };
}
