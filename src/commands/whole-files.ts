import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beginUnfinished, endUnfinished } from './unfinished.ts';

/**
 * Writes files that are whole or not there: each under another name in its folder first, and moved
 * to its place when all of them are on the disk. What stood there stays until then.
 * @param files texts by path
 * @throws the error of the system; no part of a file is left behind
 */
export function writeWhole(files: Readonly<Record<string, string>>): void {
  const parts: [part: string, path: string][] = [];
  try {
    for (const [path, text] of Object.entries(files)) {
      if (isSpecial(path)) {
        writeFileSync(path, text);
        continue;
      }
      const part = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
      parts.push([part, path]);
      beginUnfinished(part);
      writeFileSync(part, text);
    }
    for (const [part, path] of parts) renameSync(part, path);
  } catch (error) {
    for (const [part] of parts) rmSync(part, { force: true });
    throw error;
  } finally {
    for (const [part] of parts) endUnfinished(part);
  }
}

/** A device, a pipe or a link: it is written to, never replaced. */
function isSpecial(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile();
}
