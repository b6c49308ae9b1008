import { type Cell, cellBy, columnsOf } from './columns.ts';
import { instantUs } from './instant.ts';
import { cellsOf } from './lines.ts';
import { type ReadRow, rowFrom } from './row.ts';

/**
 * Azure LLM inference traces of 2023 (seven digits, no zone) and 2024 (six digits or none, with a
 * zone): `TIMESTAMP,ContextTokens,GeneratedTokens`.
 */
export function azureReader(header: string): ReadRow {
  const cell: Cell = cellBy(columnsOf(header));
  return (line) => {
    const cells = cellsOf(line);
    const stamp = cell(cells, 'timestamp');
    const atUs = instantUs(stamp);
    if (Number.isNaN(atUs)) {
      return { fault: `expected an instant such as 2023-11-16 18:17:03.97, got ${stamp}` };
    }
    return rowFrom({
      atUs,
      inTokens: cell(cells, 'contexttokens'),
      outTokens: cell(cells, 'generatedtokens'),
    });
  };
}
