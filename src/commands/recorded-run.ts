import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../errors.ts';
import { openLedger } from '../ledger/codec.ts';
import { joinLedgers } from '../ledger/join.ts';
import type { RequestRow } from '../ledger/rows.ts';
import { readScheduleCsv, type Scheduled } from '../ledger/schedule-csv.ts';
import type { Result } from '../result/types.ts';
import { parseScenario } from '../scenario/schema.ts';
import type { Scenario } from '../scenario/types.ts';

/** A run as it was written to its folder. */
export interface RecordedRun {
  readonly path: string;
  readonly scenario: Scenario;
  readonly result: Result;
  readonly arrivals: readonly Scheduled[];
  /** Service of each request that completed, by seq, in microseconds; what was refused or failed has none. */
  readonly serviceUs: ReadonlyMap<number, number>;
}

export function isRunFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/**
 * Reads a run to learn from it.
 * @throws UserError where it is no run, or one whose generator was limited: what it measured is not
 * the load that it claims
 */
export async function readRun(path: string): Promise<RecordedRun> {
  const result = readJson(path, 'result.json') as Result;
  const status = result.health?.status;
  if (status !== 'ok') {
    const notes = result.health?.notes?.join('; ') ?? '';
    throw new UserError(
      `${path}: expected a run that can be trusted, got one that is ${status}: ${notes}`,
      1,
    );
  }
  const scenario = parseScenario(readJson(path, 'scenario.json'));
  const arrivals = readScheduleCsv(readText(path, 'schedule.csv'), join(path, 'schedule.csv'));
  return { path, scenario, result, arrivals, serviceUs: await observedServices(path, arrivals) };
}

function readText(path: string, name: string): string {
  const file = join(path, name);
  if (!existsSync(file))
    throw new UserError(`${path}: expected the folder of a run, got no ${name}`);
  return readFileSync(file, 'utf8');
}

function readJson(path: string, name: string): unknown {
  try {
    return JSON.parse(readText(path, name));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${join(path, name)}: expected JSON, got something else`);
  }
}

/** A simulated run has no ledgers: its schedule says what each request needed. */
async function observedServices(
  path: string,
  arrivals: readonly Scheduled[],
): Promise<Map<number, number>> {
  const client = join(path, 'client.jsonl');
  if (!existsSync(client)) {
    return new Map(arrivals.map(({ seq, demand }) => [seq, demand.serviceUs]));
  }
  const gate = join(path, 'gate.jsonl');
  const services = new Map<number, number>();
  const none = () => {};
  await joinLedgers(
    {
      client: await openLedger('client', client),
      gate: existsSync(gate) ? await openLedger('gate', gate) : null,
      arrivals,
    },
    {
      request: (row) => {
        const serviceUs = serviceOf(row);
        if (serviceUs !== null) services.set(row.seq, serviceUs);
      },
      ...{ state: none, busy: none, decision: none, preempt: none },
    },
  );
  return services;
}

/** How long the slot was held; without a gate, from sent to the end. */
function serviceOf({ outcome, heldUs, sentUs, endUs }: RequestRow): number | null {
  if (outcome !== 'completed') return null;
  const us = heldUs ?? (sentUs === null ? null : endUs - sentUs);
  return us === null ? null : Math.max(1, us);
}
