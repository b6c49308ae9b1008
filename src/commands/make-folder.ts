import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and whatever is missing above it. Node's own recursive mkdir never returns where
 * a folder can neither be made nor be there, as below `/proc`.
 * @throws the error of the system where one cannot be made
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another run may have made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
