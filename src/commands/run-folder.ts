/**
 * The folder of a run: `scenario.json schedule.csv client.jsonl gate.jsonl result.json report.html`.
 * It is made beside its place under another name, with its first file, and moved there when it is
 * whole.
 */
import { existsSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Schedule } from '../arrivals/schedule.ts';
import { UserError } from '../errors.ts';
import { writeScheduleCsv } from '../ledger/schedule-csv.ts';
import { asWritten, stableJson } from '../result/json.ts';
import type { Result } from '../result/types.ts';
import { freeBeside } from './beside.ts';
import { makeFolder, tryFolder } from './make-folder.ts';
import { pageOf } from './page.ts';
import { beginUnfinished, endUnfinished } from './unfinished.ts';

export interface RunFolder {
  /** Where it will be. */
  readonly path: string;
  /** Where one of its files is written until then. */
  file(name: string): string;
  /** Writes one of its files. */
  put(name: string, text: string): void;
  /**
   * Adds schedule, scenario, result and page, and moves all to its place. Returns the page's path.
   * @throws UserError where another run has come to that place meanwhile; this one is then beside it
   */
  finish(result: Result, schedule: Schedule): Promise<string>;
  /** Leaves nothing behind. Harmless after `finish`. */
  abandon(): void;
}

/**
 * Makes sure, before anything is run, that it can be written afterwards.
 * @throws UserError where something stands there already, or nothing can be written
 */
export function openRunFolder(path: string, force: boolean): RunFolder {
  const place = resolve(path);
  refuseTaken(path, force);
  const work = join(dirname(place), `.${basename(place)}.${process.pid}.part`);
  try {
    tryFolder(work);
  } catch (error) {
    throw new UserError(`${path}: expected a folder that can be written, got ${codeOf(error)}`);
  }
  const file = (name: string) => {
    beginUnfinished(work);
    makeFolder(work);
    return join(work, name);
  };
  const put = (name: string, text: string) => {
    try {
      writeFileSync(file(name), text);
    } catch (error) {
      throw new UserError(`${path}: expected to write ${name}, got ${codeOf(error)}`, 1);
    }
  };
  return {
    path: place,
    file,
    put,
    async finish(result, schedule) {
      // Of what is written, so that `report` makes the very same again.
      const page = await pageOf([asWritten(result)]);
      put('scenario.json', stableJson(result.scenario.resolved));
      put('schedule.csv', writeScheduleCsv(schedule.arrivals));
      put('result.json', stableJson(result));
      put('report.html', page);
      const moved = moveAll(work, place, force);
      endUnfinished(work);
      if (moved !== place) throw new UserError(filledMeanwhile(path, moved), 1);
      return join(place, 'report.html');
    },
    abandon() {
      rmSync(work, { recursive: true, force: true });
      endUnfinished(work);
    },
  };
}

/** A name for the folder of a run that begins now: `runs/rush-20260314-091500`. */
export function newRunPath(name: string, now = new Date()): string {
  const [day = '', time = ''] = now.toISOString().slice(0, 19).replace(/[-:]/g, '').split('T');
  const stem = join('runs', `${name.replace(/[^\w.-]+/g, '-')}-${day}-${time}`);
  for (let n = 1; ; n++) {
    const path = n === 1 ? stem : `${stem}-${n}`;
    if (!existsSync(path)) return path;
  }
}

/**
 * @throws UserError where it is empty, a file stands there, or without `force` a folder with files in it
 */
export function refuseTaken(path: string, force: boolean): void {
  // As from a variable of a shell that was never set; it would mean the present folder.
  if (path === '') throw new UserError('--out: expected the path of a folder, got none');
  if (!existsSync(path)) return;
  let names: string[];
  try {
    names = readdirSync(path);
  } catch (error) {
    throw new UserError(`${path}: expected a folder that can be written, got ${codeOf(error)}`);
  }
  if (names.length > 0 && !force) {
    throw new UserError(
      `${path}: expected a new folder, got one with files in it (--force writes over them)`,
    );
  }
}

/** What is said where two were written to one place at once. */
export function filledMeanwhile(path: string, instead: string): string {
  return `${path}: expected a new folder, got one that was filled meanwhile; this is in ${instead}`;
}

/** To its place, or beside it where another has come there since it was looked at. Returns where. */
function moveAll(work: string, place: string, force: boolean): string {
  try {
    // The system refuses where a folder with files in it is: two runs cannot both come there.
    renameSync(work, place);
    return place;
  } catch (error) {
    if (!existsSync(place)) throw error;
  }
  if (!force && readdirSync(place).length > 0) {
    const beside = freeBeside(place);
    renameSync(work, beside);
    return beside;
  }
  for (const name of readdirSync(work)) renameSync(join(work, name), join(place, name));
  rmdirSync(work);
  return place;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
