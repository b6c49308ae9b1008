import { UserError } from '../errors.ts';
import type { Offered } from './digest.ts';

/** An arrival as it stands in `schedule.csv`, with the place of its draws. */
export interface Scheduled extends Offered {
  readonly keySeq: number;
  readonly drawn?: boolean;
}

const HEADER = 'seq,atUs,class,serviceUs,inTokens,outTokens,holdUs,keySeq,drawn';
const WHOLE = /^(0|[1-9]\d{0,15})$/;

/** A schedule as comma-separated values: a header, then a line for each arrival; `drawn` is 1 or 0. */
export function writeScheduleCsv(arrivals: readonly Scheduled[]): string {
  return `${[HEADER, ...arrivals.map(lineOf)].join('\n')}\n`;
}

/**
 * Reads what `writeScheduleCsv` wrote; the round trip is exact.
 * @param file its name, for errors
 * @throws UserError with the number of the line that is wrong
 */
export function readScheduleCsv(text: string, file = 'schedule.csv'): Scheduled[] {
  const lines = text.split(/\r?\n/);
  if (lines[0] !== HEADER) throw wrong(file, 1, `the header ${HEADER}`, lines[0] ?? '');
  if (lines.at(-1) === '') lines.pop();
  const arrivals = lines.slice(1).map((line, i) => arrivalOn(line, file, i + 2));
  for (let i = 1; i < arrivals.length; i++) {
    const inOrder = (arrivals[i]?.atUs ?? 0) >= (arrivals[i - 1]?.atUs ?? 0);
    if (!inOrder) throw wrong(file, i + 2, 'arrivals in order of time', lines[i + 1] ?? '');
  }
  return arrivals;
}

function lineOf(arrival: Scheduled): string {
  const { serviceUs, inTokens, outTokens, holdUs } = arrival.demand;
  const place = `${arrival.keySeq},${arrival.drawn === true ? 1 : 0}`;
  return `${arrival.seq},${arrival.atUs},${arrival.class},${serviceUs},${inTokens},${outTokens},${holdUs},${place}`;
}

function arrivalOn(line: string, file: string, number: number): Scheduled {
  const cells = line.split(',');
  const name = cells[2] ?? '';
  if (cells.length !== 9 || name === '') throw wrong(file, number, '9 cells with a class', line);
  const whole = (i: number): number => {
    const cell = cells[i] ?? '';
    const value = Number(cell);
    if (WHOLE.test(cell) && Number.isSafeInteger(value)) return value;
    throw wrong(file, number, `a whole number as ${HEADER.split(',')[i]}`, cell);
  };
  const seq = whole(0);
  if (seq !== number - 2) throw wrong(file, number, `seq ${number - 2}`, String(seq));
  const demand = { serviceUs: whole(3), inTokens: whole(4), outTokens: whole(5), holdUs: whole(6) };
  const arrival = { seq, atUs: whole(1), class: name, demand, keySeq: whole(7) };
  const drawn = whole(8);
  if (drawn > 1) throw wrong(file, number, '0 or 1 as drawn', String(drawn));
  return drawn === 1 ? { ...arrival, drawn: true } : arrival;
}

function wrong(file: string, line: number, expected: string, got: string): UserError {
  const shown = JSON.stringify(got.length > 80 ? `${got.slice(0, 80)}…` : got);
  return new UserError(`${file} line ${line}: expected ${expected}, got ${shown}`);
}
