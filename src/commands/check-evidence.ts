/** Whether what a run left behind keeps the laws: its files, its schedule, each of its ledgers, both of them joined. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Schedule } from '../arrivals/schedule.ts';
import { UserError } from '../errors.ts';
import { checkClient } from '../ledger/client-laws.ts';
import { openLedger } from '../ledger/codec.ts';
import { joinLedgers } from '../ledger/join.ts';
import {
  checkDigest,
  checkGate,
  createRowLaws,
  type Violation,
  Violations,
} from '../ledger/laws.ts';
import type { Scheduled } from '../ledger/schedule-csv.ts';
import type { Result } from '../result/types.ts';
import { clientConfig } from '../scenario/machines.ts';
import { checkResult, checkWritten, foldAgain, tee } from './check-result.ts';
import { counted } from './counted.ts';

/** Of a run whose ledgers were folded. */
export const FOLDED = 'result folded again';

export interface Evidence {
  /** What the run has of it. */
  readonly checked: readonly string[];
  /** undefined: it is not there, and need not be. */
  readonly schedule: Schedule | undefined;
  readonly violations: readonly Violation[];
}

/** What a run left behind, without another simulation. */
export async function checkEvidence(folder: string, result: Result): Promise<Evidence> {
  const file = (of: string) => join(folder, of);
  const { arrivals, hasSchedule, violations: found } = await checkWritten(result, folder);
  const schedule = hasSchedule ? { seed: result.seed, arrivals } : undefined;
  if (schedule === undefined) return { checked: [], schedule, violations: found };
  const checked = [`digest of ${counted(arrivals.length, 'arrival')}`];
  if (arrivals.length === 0 && found.length > 0) return { checked, schedule, violations: found };
  const violations = [...found];
  checked.push('scenario and seed');
  if (existsSync(file('gate.jsonl'))) {
    violations.push(
      ...(await readable(violations, () => checkGateway(result, file('gate.jsonl')))),
    );
    checked.push('gate ledger replayed');
  }
  if (result.engine === 'live' && existsSync(file('client.jsonl'))) {
    violations.push(
      ...(await readable(violations, () => checkCallers(result, arrivals, file('client.jsonl')))),
    );
    checked.push('client ledger replayed');
  }
  // What a broken ledger says cannot be joined to anything.
  if (violations.length > 0 || !existsSync(file('client.jsonl'))) {
    return { checked, schedule, violations };
  }
  const joined = await checkJoined(result, arrivals, folder);
  return {
    checked: [...checked, 'every request in one bucket', ...joined.checked],
    schedule,
    violations: joined.violations,
  };
}

/** A ledger that is not what the run wrote may not even be read: that is found, not an error of the user. */
async function readable(
  before: readonly Violation[],
  check: () => Promise<Violation[]>,
): Promise<Violation[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof UserError) || before.length === 0) throw error;
    const violations = new Violations();
    violations.add(5, error.message);
    return violations.found;
  }
}

async function checkGateway(result: Result, path: string): Promise<Violation[]> {
  const gate = await openLedger('gate', path);
  return checkGate(gate.header, gate.lines, { whole: isWhole(result) });
}

/** A run that came to its end, whose parts had the time to write all that they saw. */
function isWhole({ engine, health }: Result): boolean {
  return engine === 'live' && health.status !== 'interrupted';
}

/** The client's ledger by itself: k6 writes none that its machine could say again. */
async function checkCallers(
  result: Result,
  arrivals: readonly Scheduled[],
  path: string,
): Promise<Violation[]> {
  const { header, lines } = await openLedger('client', path);
  const config = clientConfig(result.scenario.resolved);
  return [
    ...checkDigest(arrivals, header.scheduleDigest),
    ...(await checkClient(config, lines, arrivals, { whole: isWhole(result) })),
  ];
}

/** Both ledgers as rows: the laws on them, and where it is a run of ours, its result once more. */
async function checkJoined(
  result: Result,
  arrivals: readonly Scheduled[],
  folder: string,
): Promise<Pick<Evidence, 'checked' | 'violations'>> {
  const gate = join(folder, 'gate.jsonl');
  const laws = createRowLaws();
  const fold = foldAgain(result);
  const joined = await joinLedgers(
    {
      client: await openLedger('client', join(folder, 'client.jsonl')),
      gate: existsSync(gate) ? await openLedger('gate', gate) : null,
      arrivals,
    },
    tee(laws, fold),
  );
  const violations = laws.end(arrivals.length);
  if (result.engine !== 'live') return { checked: [], violations };
  return {
    checked: [FOLDED],
    violations: [...violations, ...checkResult(result, arrivals, fold, joined)],
  };
}
