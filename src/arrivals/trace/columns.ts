import { cellsOf } from './lines.ts';

/** A cell of a line by the name of its column, lower case; '' where the line has no such cell. */
export type Cell = (cells: readonly string[], name: string) => string;

/** Positions of the columns of a header, by lower-case name: files add columns in the middle. */
export function columnsOf(header: string): ReadonlyMap<string, number> {
  return new Map(cellsOf(header).map((name, i) => [name.toLowerCase(), i]));
}

export function cellBy(columns: ReadonlyMap<string, number>): Cell {
  return (cells, name) => {
    const at = columns.get(name);
    return at === undefined ? '' : (cells[at] ?? '');
  };
}
