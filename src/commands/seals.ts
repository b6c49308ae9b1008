import { fileDigest } from '../ledger/file-digest.ts';
import type { Environment } from '../result/types.ts';
import type { RunFolder } from './run-folder.ts';

/** The SHA-256 of files that a run has just written, by their names: what `Environment.ledgers` keeps. */
export async function sealsOf(
  folder: Pick<RunFolder, 'file'>,
  names: readonly string[],
): Promise<NonNullable<Environment['ledgers']>> {
  const digests = names.map(async (name) => [name, await fileDigest(folder.file(name))] as const);
  return Object.fromEntries(await Promise.all(digests));
}
