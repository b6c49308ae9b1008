/** Files that a command writes at its end: looked at before its work begins. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../errors.ts';
import { makeFolder, tryFolder } from './make-folder.ts';
import { writeWhole } from './whole-files.ts';

/**
 * Makes sure, before anything is done, that files can be written afterwards.
 * @param over they may be there already
 * @throws UserError where one is there, or cannot be written
 */
export function checkOutFiles(paths: readonly string[], over: boolean): void {
  for (const path of paths) {
    if (path === '') throw new UserError('--out: expected the path of a file, got none');
    try {
      checkPlace(path);
    } catch (error) {
      throw unwritableFile(path, error, 2);
    }
    if (!over && isTaken(path)) throw takenFile(path);
  }
}

/** A file stands there; a device or a pipe is written to. */
export function isTaken(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function takenFile(path: string): UserError {
  return new UserError(
    `${path}: expected a new file, got one that is there (--force writes over it)`,
  );
}

function checkPlace(path: string): void {
  if (!existsSync(path)) {
    tryFolder(dirname(path));
    return;
  }
  if (statSync(path).isDirectory()) throw Object.assign(new Error(), { code: 'a folder' });
  // A whole file takes the place of the old one; a device is written to itself.
  accessSync(isTaken(path) ? dirname(path) : path, constants.W_OK);
}

/**
 * Writes them, all or none, and the folders that are missing.
 * @param files texts by path
 * @throws UserError where they cannot be written, as on a full disk
 */
export function writeOutFiles(files: Readonly<Record<string, string>>): void {
  const paths = Object.keys(files);
  try {
    for (const path of paths) makeFolder(dirname(path));
    writeWhole(files);
  } catch (error) {
    throw unwritableFile(paths[0] ?? '', error, 1);
  }
}

function unwritableFile(path: string, error: unknown, exitCode: 1 | 2): UserError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  return new UserError(`${path}: expected a file that can be written, got ${code}`, exitCode);
}
