import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UserError } from '../errors.ts';
import { stableJson } from '../result/json.ts';
import type { OutputOptions } from './options.ts';
import { note } from './output.ts';
import { newRunPath } from './run-folder.ts';

/**
 * Makes sure that a document can be written, before anything is played.
 * @returns where; undefined where none is wanted: `--json` without `--out`
 * @throws UserError where something stands there already
 */
export function documentFolder(name: string, options: OutputOptions): string | undefined {
  if (options.out === undefined && options.json === true) return undefined;
  const path = options.out ?? newRunPath(name);
  const isTaken = existsSync(path) && readdirSync(path).length > 0;
  if (isTaken && options.force !== true) {
    throw new UserError(
      `${path}: expected a new folder, got one with files in it (--force writes over them)`,
    );
  }
  return path;
}

/** Writes `<kind>.json` and the page, and says where. */
export function writeDocument(
  path: string,
  document: { readonly kind: string },
  page: string,
  options: OutputOptions,
): void {
  try {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `${document.kind}.json`), stableJson(document));
    writeFileSync(join(path, 'report.html'), page);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UserError(`${path}: expected a folder that can be written, got ${code}`, 1);
  }
  note(`page: ${join(resolve(path), 'report.html')}`, options);
}
