import { accessSync, constants, existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and whatever is missing above it. Node's own recursive mkdir never returns where
 * a folder can neither be made nor be there, as below `/proc`.
 * @returns what was made, outermost first
 * @throws the error of the system where one cannot be made
 */
export function makeFolder(path: string): string[] {
  if (existsSync(path)) return [];
  const above = makeFolder(dirname(path));
  try {
    mkdirSync(path);
    return [...above, path];
  } catch (error) {
    // Another run may have made it meanwhile.
    if (existsSync(path)) return above;
    removeEmpty(above);
    throw error;
  }
}

/**
 * Makes a folder, and takes it away again until there is something to put into it.
 * @throws the error of the system where it cannot be made, or nothing be written into it
 */
export function tryFolder(path: string): void {
  const made = makeFolder(path);
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
  } finally {
    removeEmpty(made);
  }
}

/** Folders that something has been put into stay. */
export function removeEmpty(made: readonly string[]): void {
  for (const path of [...made].reverse()) {
    try {
      rmdirSync(path);
    } catch {
      return;
    }
  }
}
