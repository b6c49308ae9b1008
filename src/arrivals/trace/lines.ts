/** A line that holds something, and where it stands in its file (from 1). */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** The lines of a file: any line end, none needed after the last, a byte order mark and blank lines left out. */
export function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let number = 0;
  for (const raw of text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    number++;
    if (raw.trim() !== '') lines.push({ number, text: raw });
  }
  return lines;
}

/** The cells of a line of comma-separated values (RFC 4180: quotes, doubled quotes inside them), trimmed. */
export function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  const cells = line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g);
  return [...cells].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain?.trim() ?? '',
  );
}
