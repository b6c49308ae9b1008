import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UserError } from '../errors.ts';
import { stableJson } from '../result/json.ts';
import { makeFolder } from './make-folder.ts';
import type { OutputOptions } from './options.ts';
import { note } from './output.ts';
import { newRunPath, refuseTaken } from './run-folder.ts';
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
  tryOut(path);
  return path;
}

/** Makes the folder, and takes it away again until there is something to put into it. */
function tryOut(path: string): void {
  if (existsSync(path)) return;
  try {
    makeFolder(path);
    rmdirSync(path);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function removeEmpty(path: string): void {
  try {
    if (readdirSync(path).length === 0) rmdirSync(path);
  } catch {
    // It was never made.
  }
}

function unwritable(path: string, error: unknown): UserError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new UserError(`${path}: expected a folder that can be written, got ${code}`, 1);
}

/**
 * Writes `<kind>.json` and the page, and says where.
 * @throws UserError where they do not fit on the disk; neither is there then, nor half of one
 */
export function writeDocument(
  path: string,
  document: { readonly kind: string },
  page: string,
  options: OutputOptions,
): void {
  try {
    makeFolder(path);
    writeWhole({
      [join(path, `${document.kind}.json`)]: stableJson(document),
      [join(path, 'report.html')]: page,
    });
  } catch (error) {
    removeEmpty(path);
    throw unwritable(path, error);
  }
  note(`page: ${join(resolve(path), 'report.html')}`, options);
}
