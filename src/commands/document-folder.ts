import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UserError } from '../errors.ts';
import { stableJson } from '../result/json.ts';
import { freeBeside } from './beside.ts';
import { makeFolder, removeEmpty, tryFolder } from './make-folder.ts';
import type { OutputOptions } from './options.ts';
import { note } from './output.ts';
import { filledMeanwhile, newRunPath, refuseTaken } from './run-folder.ts';
import { writeWhole } from './whole-files.ts';

/**
 * Makes sure that a document can be written, before anything is played.
 * @returns where; undefined where none is wanted: `--json` without `--out`
 * @throws UserError where something stands there already, or nothing can be written
 */
export function documentFolder(name: string, options: OutputOptions): string | undefined {
  if (options.out === undefined && options.json === true) return undefined;
  const path = options.out ?? newRunPath(name);
  refuseTaken(path, options.force ?? false);
  try {
    tryFolder(path);
  } catch (error) {
    throw unwritable(path, error, 2);
  }
  return path;
}

function unwritable(path: string, error: unknown, exitCode: 1 | 2): UserError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new UserError(`${path}: expected a folder that can be written, got ${code}`, exitCode);
}

/**
 * Writes `<kind>.json` and the page, and says where.
 * @throws UserError where they do not fit on the disk; neither is there then, nor half of one. Also
 *   where others have come there meanwhile: then they are written beside it
 */
export function writeDocument(
  path: string,
  document: { readonly kind: string },
  page: string,
  options: OutputOptions,
): void {
  const names = [`${document.kind}.json`, 'report.html'];
  const isTaken = options.force !== true && names.some((name) => existsSync(join(path, name)));
  const place = isTaken ? freeBeside(path) : path;
  const [json = '', html = ''] = names.map((name) => join(place, name));
  let made: string[] = [];
  try {
    made = makeFolder(place);
    writeWhole({ [json]: stableJson(document), [html]: page });
  } catch (error) {
    removeEmpty(made);
    throw unwritable(place, error, 1);
  }
  note(`page: ${resolve(html)}`, options);
  if (isTaken) throw new UserError(filledMeanwhile(path, place), 1);
}
