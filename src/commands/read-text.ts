import { readFileSync } from 'node:fs';
import { UserError } from '../errors.ts';

/** @throws UserError naming the flag */
export function readText(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UserError(`${flag}: expected a file that can be read, got ${path} (${code})`);
  }
}
