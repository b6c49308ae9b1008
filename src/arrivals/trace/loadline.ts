import { cellBy, columnsOf } from './columns.ts';
import { cellsOf } from './lines.ts';
import { numberIn, objectOn, type ReadRow, rowFrom } from './row.ts';

/** A schedule that loadline wrote: microseconds since the start of its run. */
export function scheduleReader(header: string): ReadRow {
  const cell = cellBy(columnsOf(header));
  return (line) => {
    const cells = cellsOf(line);
    return rowFrom({
      atUs: numberIn(cell(cells, 'atus')),
      inTokens: cell(cells, 'intokens'),
      outTokens: cell(cells, 'outtokens'),
      serviceUs: numberIn(cell(cells, 'serviceus')),
      class: cell(cells, 'class'),
    });
  };
}

/**
 * The client's ledger of a run: the requests at their intended instants. Only a completed one shows
 * the service it needed and the tokens it made; of the others these are drawn.
 */
export const ledgerReader: ReadRow = (line) => {
  const values = objectOn(line);
  if (values === undefined) return { fault: 'expected one JSON object' };
  if (values['kind'] !== 'request') return null;
  const completed = values['outcome'] === 'completed';
  return rowFrom({
    atUs: numberIn(values['intendedUs']),
    inTokens: values['inTokens'],
    outTokens: completed ? values['outTokens'] : null,
    serviceUs: completed ? numberIn(values['heldUs']) : null,
    class: values['class'],
  });
};
