import type { Schedule } from '../arrivals/schedule.ts';
import { textDigest } from '../ledger/digest.ts';
import { fileDigest } from '../ledger/file-digest.ts';
import { writeScheduleCsv } from '../ledger/schedule-csv.ts';
import type { Environment } from '../result/types.ts';
import type { RunFolder } from './run-folder.ts';

/**
 * What `Environment.ledgers` keeps: the SHA-256 of files that a run has just written, by their names,
 * and of the schedule that it will write beside them.
 */
export async function sealsOf(
  folder: Pick<RunFolder, 'file'>,
  names: readonly string[],
  { arrivals }: Schedule,
): Promise<NonNullable<Environment['ledgers']>> {
  const digests = names.map(async (name) => [name, await fileDigest(folder.file(name))] as const);
  const ledgers = Object.fromEntries(await Promise.all(digests));
  return { ...ledgers, 'schedule.csv': textDigest(writeScheduleCsv(arrivals)) };
}
