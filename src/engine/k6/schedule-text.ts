/**
 * A schedule as compact text: one line for each arrival, its numbers in base 36 and its instant as
 * the gap to the one before. The script in k6 reads it too, so nothing here may need Node.
 */
import type { Arrival, Schedule } from '../../arrivals/schedule.ts';

const BASE = 36;
const FIELDS = 7;

/** Exact: `unpackSchedule` gives the same arrivals, so the same digest. Classes by their place in `classes`. */
export function packSchedule({ arrivals }: Schedule, classes: readonly string[]): string {
  const places = new Map(classes.map((name, place) => [name, place]));
  let beforeUs = 0;
  const lines = arrivals.map(({ atUs, class: name, demand, keySeq }) => {
    const { serviceUs, inTokens, outTokens, holdUs } = demand;
    const gapUs = atUs - beforeUs;
    beforeUs = atUs;
    const fields = [gapUs, places.get(name) ?? 0, serviceUs, inTokens, outTokens, holdUs, keySeq];
    return fields.map((each) => each.toString(BASE)).join(' ');
  });
  return lines.join('\n');
}

/** @throws Error where a line is not what `packSchedule` writes: a file that was cut */
export function unpackSchedule(text: string, classes: readonly string[]): Arrival[] {
  if (text === '') return [];
  let atUs = 0;
  return text.split('\n').map((line, seq) => {
    const fields = line.split(' ').map((each) => Number.parseInt(each, BASE));
    const [gapUs = 0, place = 0, serviceUs = 0, inTokens = 0, outTokens = 0, holdUs = 0] = fields;
    const name = classes[place];
    if (fields.length !== FIELDS || fields.some(Number.isNaN) || name === undefined) {
      throw new Error(`schedule: expected ${FIELDS} numbers in line ${seq + 1}, got "${line}"`);
    }
    atUs += gapUs;
    const demand = { serviceUs, inTokens, outTokens, holdUs };
    return { seq, atUs, class: name, demand, keySeq: fields[FIELDS - 1] ?? 0 };
  });
}
