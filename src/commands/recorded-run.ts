import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchedule } from '../arrivals/build.ts';
import { simulate } from '../engine/sim.ts';
import { UserError } from '../errors.ts';
import { openLedger } from '../ledger/codec.ts';
import { scheduleDigest } from '../ledger/digest.ts';
import { joinLedgers } from '../ledger/join.ts';
import type { Violation } from '../ledger/laws.ts';
import type { RequestRow } from '../ledger/rows.ts';
import type { Scheduled } from '../ledger/schedule-csv.ts';
import type { Result } from '../result/types.ts';
import { parseScenario } from '../scenario/schema.ts';
import type { Scenario } from '../scenario/types.ts';
import { checkEvidence } from './check-evidence.ts';
import { checkWritten } from './check-result.ts';
import { readRun as readResultOf } from './read-run.ts';

/** A run as it was written to its folder. */
export interface RecordedRun {
  readonly path: string;
  readonly scenario: Scenario;
  readonly result: Result;
  readonly arrivals: readonly Scheduled[];
  /** What is known of the service of each request, by seq, in microseconds. */
  readonly serviceUs: ReadonlyMap<number, number>;
  readonly knownFrom: KnownFrom;
  /** Requests that were served to their end. */
  readonly served: number;
}

/**
 * Where the services come from. `observed`: of what completed, as it was served; what was refused
 * or failed has none. A stub and the simulator serve what the schedule says, so that nothing of
 * theirs is unknown. `filled`: observed, and the schedule's own for the others. `schedule`: the
 * schedule's own for all, for a model that adds to them (slots, a slow-down, preempts) and is
 * played again itself.
 */
export type KnownFrom = 'observed' | 'filled' | 'schedule';

/** A folder that happens to have the name of a shipped scenario, and no run in it, is none. */
export function isRunFolder(path: string): boolean {
  if (!existsSync(path) || !statSync(path).isDirectory()) return false;
  return /[\\/]/.test(path) || existsSync(join(path, 'result.json'));
}

/**
 * Reads a run to learn from it.
 * @throws UserError where it is no run, or not as it was written, or one whose generator was limited:
 * what it measured is not the load that it claims
 */
export async function readRun(path: string): Promise<RecordedRun> {
  const { result } = readResultOf(path);
  const { status, notes } = result.health;
  if (status !== 'ok') {
    throw new UserError(
      `${path}: expected a run that can be trusted, got one that is ${status}: ${notes.join('; ')}`,
      1,
    );
  }
  const arrivals = await arrivalsOf(path, result);
  const scenario = parseScenario(result.scenario.resolved);
  const isSimulated = result.engine === 'sim' && !existsSync(join(path, 'client.jsonl'));
  const observed = isSimulated
    ? simulatedServices(path, scenario, result)
    : await observedServices(path, arrivals);
  const run = { path, scenario, result, arrivals, served: observed.size };
  const knownFrom = knownFromOf(scenario, result);
  return { ...run, knownFrom, serviceUs: filled(knownFrom, observed, arrivals) };
}

function knownFromOf({ model }: Scenario, { environment }: Result): KnownFrom {
  if (environment.target !== 'none' && environment.target !== 'stub') return 'observed';
  const { slots, slowdown, preempts } = model;
  const isPlain = slots === 0 && slowdown.perRequest === 0 && preempts.type === 'none';
  return isPlain ? 'filled' : 'schedule';
}

function filled(
  knownFrom: KnownFrom,
  observed: ReadonlyMap<number, number>,
  arrivals: readonly Scheduled[],
): ReadonlyMap<number, number> {
  if (knownFrom === 'observed') return observed;
  const own = arrivals.map(({ seq, demand }) => [seq, demand.serviceUs] as const);
  return new Map(knownFrom === 'filled' ? [...own, ...observed] : own);
}

/** @throws UserError where a file is lost, or is not the one that the run wrote: no advice rests on such */
async function arrivalsOf(path: string, result: Result): Promise<readonly Scheduled[]> {
  const { arrivals, hasSchedule, violations } = await checkWritten(result, path);
  const [first] = violations.length > 0 ? violations : await unsealed(path, result);
  if (first !== undefined) throw notAsWritten(path, first.evidence);
  if (!hasSchedule) throw new UserError(`${path}: expected schedule.csv, got none`);
  return arrivals;
}

/** Ledgers of a run that kept no SHA-256 of them are folded through their machines instead. */
async function unsealed(path: string, result: Result): Promise<readonly Violation[]> {
  if (result.environment.ledgers !== undefined) return [];
  return (await checkEvidence(path, result)).violations;
}

function notAsWritten(path: string, found: string): UserError {
  return new UserError(`${path}: ${found}: run \`loadline check ${path}\``);
}

/**
 * A simulated run has no ledgers; played again it says what was served. What its gate refused it
 * never learned, though the schedule has drawn it.
 */
function simulatedServices(path: string, scenario: Scenario, result: Result): Map<number, number> {
  const schedule = buildSchedule(scenario);
  if (scheduleDigest(schedule) !== result.schedule.digest) {
    throw new UserError(
      `${path}: expected the schedule of its scenario, got another digest (written by another loadline?)`,
      1,
    );
  }
  const services = new Map<number, number>();
  const { direct } = result.environment;
  const holds = new Map(schedule.arrivals.map(({ seq, demand }) => [seq, demand.holdUs]));
  const request = (row: RequestRow) => learn(services, row, holds.get(row.seq) ?? 0);
  simulate(scenario, { schedule, direct, sink: { request } });
  return services;
}

/** @throws UserError where the client's ledger is missing: nobody knows then what was served */
async function observedServices(
  path: string,
  arrivals: readonly Scheduled[],
): Promise<Map<number, number>> {
  const client = join(path, 'client.jsonl');
  if (!existsSync(client)) {
    throw new UserError(`${path}: expected client.jsonl, which says what was served, got none`);
  }
  const gate = join(path, 'gate.jsonl');
  const services = new Map<number, number>();
  const holds = new Map(arrivals.map(({ seq, demand }) => [seq, demand.holdUs]));
  const none = () => {};
  await joinLedgers(
    {
      client: await openLedger('client', client),
      gate: existsSync(gate) ? await openLedger('gate', gate) : null,
      arrivals,
    },
    {
      request: (row) => learn(services, row, holds.get(row.seq) ?? 0),
      ...{ state: none, busy: none, decision: none, preempt: none },
    },
  );
  return services;
}

/**
 * How long the slot was held beyond the caller's own hold, which the scenario has; without a gate,
 * from sent to the end.
 */
function learn(
  services: Map<number, number>,
  { seq, outcome, heldUs, sentUs, endUs }: RequestRow,
  holdUs: number,
): void {
  const us = heldUs ?? (sentUs === null ? null : endUs - sentUs);
  if (outcome === 'completed' && us !== null) services.set(seq, Math.max(1, us - holdUs));
}
