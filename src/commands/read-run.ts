import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UserError } from '../errors.ts';
import { readResult } from '../result/schema.ts';
import type { Result } from '../result/types.ts';

/** A run on disk. */
export interface ReadRun {
  /** Of its folder. */
  readonly name: string;
  readonly folder: string;
  readonly page: string;
  readonly result: Result;
}

/**
 * Reads a run's result.
 * @param path its folder, or its result.json
 * @throws UserError where there is none, or it is of another version
 */
export function readRun(path: string): ReadRun {
  const file = resultFile(path);
  const folder = dirname(resolve(file));
  return {
    name: basename(folder),
    folder,
    page: join(dirname(file), 'report.html'),
    result: resultIn(file),
  };
}

/** What lies in a folder that has no run: the pages of `sweep`, `replay` and `tune`. */
const OTHERS = { 'sweep.json': 'a sweep', 'tune.json': 'a tune' } as const;

function resultFile(path: string): string {
  if (!existsSync(path)) {
    throw new UserError(`${path}: expected the folder of a run, got no such file or folder`);
  }
  if (!statSync(path).isDirectory()) return path;
  const file = join(path, 'result.json');
  if (existsSync(file)) return file;
  const other = Object.entries(OTHERS).find(([name]) => existsSync(join(path, name)));
  const got = other === undefined ? 'a folder without result.json' : `that of ${other[1]}`;
  throw new UserError(`${path}: expected the folder of a run, got ${got}`);
}

/** @throws UserError where it is no JSON, or not what a run writes */
function resultIn(file: string): Result {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no JSON';
    throw new UserError(`${file}: expected the result of a run, got ${code}`);
  }
  const version = (value as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (version !== 1) {
    throw new UserError(
      `${file}: expected schemaVersion 1, got ${JSON.stringify(version) ?? 'none'}`,
    );
  }
  return readResult(value, file);
}
