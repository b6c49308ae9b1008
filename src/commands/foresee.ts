/** The counterfactuals behind a verdict: the same arrivals, simulated with one thing changed. */
import { buildSchedule } from '../arrivals/build.ts';
import { callerName } from '../arrivals/caller-name.ts';
import type { Arrival, Schedule } from '../arrivals/schedule.ts';
import { simulate } from '../engine/sim.ts';
import type { RequestRow } from '../ledger/rows.ts';
import { replicationSeed } from '../random.ts';
import { createFold } from '../result/fold.ts';
import type { Scenario } from '../scenario/types.ts';
import { US_PER_S, usFromS } from '../units.ts';
import type { Change, Forecast, Foresee, HeldLease } from '../verdicts/facts.ts';

/** Runs behind a forecast of a gate, fewer where a run is long: a verdict should not be waited for. */
const MOST_RUNS = 10;
const MOST_ARRIVALS = 4_000;
/** How long after the change a forecast of holds looks, in deadlines: every job has met its own by then. */
const HORIZON_DEADLINES = 3;

/** @param leases of the run itself: who held, and since when */
export function foreseeFor(
  scenario: Scenario,
  schedule: Schedule,
  leases: readonly HeldLease[],
): Foresee {
  let drawn: Drawn[] | undefined;
  return (change) => {
    if (change.type === 'end-holds') return withHoldsEnding(scenario, schedule, leases, change);
    drawn ??= drawRuns(scenario, schedule);
    return withGate(drawn, change);
  };
}

/** One of the runs that all settings of a gate are tried on. */
interface Drawn {
  readonly scenario: Scenario;
  readonly schedule: Schedule;
}

function drawRuns(scenario: Scenario, schedule: Schedule): Drawn[] {
  const { length } = schedule.arrivals;
  const runs = Math.max(1, Math.min(MOST_RUNS, Math.floor(MOST_ARRIVALS / (length + 1))));
  return Array.from({ length: runs }, (_, k) => {
    if (k === 0) return { scenario, schedule };
    const seeded = { ...scenario, seed: replicationSeed(scenario.seed, k) };
    return { scenario: seeded, schedule: buildSchedule(seeded) };
  });
}

type GateChange = Extract<Change, { type: 'gate' }>;

function withGate(drawn: readonly Drawn[], { set, model = {} }: GateChange): Forecast {
  return meanOf(
    drawn.map(({ scenario, schedule }) => {
      const gate = { ...scenario.gate, ...set };
      return play({ ...scenario, gate, model: { ...scenario.model, ...model } }, schedule);
    }),
  );
}

/** Sessions that nobody ends stay for ever: how long they would have stayed is not known at the time. */
function withHoldsEnding(
  scenario: Scenario,
  schedule: Schedule,
  leases: readonly HeldLease[],
  { atS, names }: Extract<Change, { type: 'end-holds' }>,
): Forecast {
  const deadlineS = Math.max(0, ...batchDeadlines(scenario));
  const horizonS = atS + HORIZON_DEADLINES * (deadlineS || scenario.durationS);
  const holders = new Map(
    leases.filter(({ kind }) => kind === 'interactive').map((lease) => [lease.name, lease]),
  );
  const arrivals = schedule.arrivals.map((arrival) => {
    const lease = holders.get(callerName(arrival));
    if (
      lease === undefined ||
      lease.fromS >= atS ||
      (lease.toS ?? atS) < atS - waited(names, lease)
    ) {
      return arrival;
    }
    const endS = names.includes(lease.name) ? atS : horizonS;
    return heldFor(arrival, endS - lease.fromS);
  });
  return play(scenario, { ...schedule, arrivals }, usFromS(horizonS));
}

/** A session that is to be ended later than it ended in the run is taken to go on until then. */
function waited(names: readonly string[], { name }: HeldLease): number {
  return names.includes(name) ? Number.POSITIVE_INFINITY : 0;
}

function heldFor(arrival: Arrival, holdS: number): Arrival {
  const holdUs = usFromS(holdS);
  const serviceUs = Math.max(arrival.demand.serviceUs, holdUs + US_PER_S);
  return { ...arrival, demand: { ...arrival.demand, holdUs, serviceUs } };
}

function batchDeadlines({ classes }: Scenario): number[] {
  return Object.values(classes).flatMap(({ kind, deadlineS }) =>
    kind === 'batch' && deadlineS !== null ? [deadlineS] : [],
  );
}

function play(scenario: Scenario, schedule: Schedule, stopAfterUs?: number): Forecast {
  const fold = createFold(scenario, { detail: 'figures' });
  const batch = new BatchCount(scenario);
  const request = (row: RequestRow) => {
    fold.request(row);
    batch.add(row);
  };
  simulate(scenario, {
    sink: { request },
    schedule,
    ...(stopAfterUs === undefined ? {} : { stopAfterUs }),
  });
  const figures = fold.figures();
  return {
    offered: figures['outcomes.offered'] ?? 0,
    rejection: figures['rates.rejection'] ?? 0,
    breach: figures['rates.breach'] ?? 0,
    goodput: figures['rates.goodput'] ?? 0,
    batchInTime: batch.inTime,
    batch: batch.all,
  };
}

/** Batch work against its own deadlines. */
class BatchCount {
  inTime = 0;
  all = 0;

  constructor(private readonly scenario: Scenario) {}

  add({ class: name, outcome, intendedUs, endUs }: RequestRow): void {
    const spec = this.scenario.classes[name];
    if (spec?.kind !== 'batch' || spec.deadlineS === null) return;
    this.all++;
    if (outcome === 'completed' && endUs - intendedUs <= usFromS(spec.deadlineS)) this.inTime++;
  }
}

/** Of the runs in which somebody arrives: the others serve nothing and lose nothing. */
function meanOf(runs: readonly Forecast[]): Forecast {
  const arrived = runs.filter(({ offered }) => offered > 0);
  const all = arrived.length > 0 ? arrived : runs;
  const mean = (of: (forecast: Forecast) => number) =>
    all.reduce((sum, forecast) => sum + of(forecast), 0) / all.length;
  return {
    runs: all.length,
    offered: mean(({ offered }) => offered),
    rejection: mean(({ rejection }) => rejection),
    breach: mean(({ breach }) => breach),
    goodput: mean(({ goodput }) => goodput),
    batchInTime: mean(({ batchInTime }) => batchInTime),
    batch: mean(({ batch }) => batch),
  };
}
