import { buildSchedule } from '../arrivals/build.ts';
import type { Schedule } from '../arrivals/schedule.ts';
import type { Sink } from '../engine/sim/sink.ts';
import { simulate } from '../engine/sim.ts';
import type { RequestRow } from '../ledger/rows.ts';
import { replicationSeed } from '../random.ts';
import { cutOffBy } from '../result/cut-off.ts';
import type { Figures } from '../result/figures.ts';
import { createFold } from '../result/fold.ts';
import type { Time } from '../result/tally.ts';
import type { Scenario } from '../scenario/types.ts';
import { cutOffPath } from '../tune/cut-off.ts';
import { type Evaluated, type Evaluation, LOAD_BINS, SIZES } from '../tune/evaluate.ts';
import { slotUsOf, withoutHold } from '../tune/what-if.ts';
import { US_PER_S, usFromS } from '../units.ts';

/** Replications `from` to `to` (not included) of an evaluation: what one thread does at a time. */
export interface Task extends Omit<Evaluation, 'replications'> {
  readonly from: number;
  readonly to: number;
}

/** Plays a part of an evaluation. The figures of one replication do not depend on the others. */
export function evaluateTask(task: Task): Evaluated {
  const { scenarios, from, to, figures, slowPhases = 1, holds = true } = task;
  const runs: Figures[][] = scenarios.map(() => []);
  for (let k = from; k < to; k++) {
    let kept: { readonly of: Scenario; readonly offered: Offered } | undefined;
    for (const [i, scenario] of scenarios.entries()) {
      const seed = replicationSeed(scenario.seed, k);
      if (kept === undefined || !sameArrivals(kept.of, scenario)) {
        const schedule = buildSchedule({ ...scenario, seed }, seed);
        const slowed = slowPhases === 1 ? schedule : withSlowPhases(schedule, scenario, slowPhases);
        const held = holds ? slowed : withoutHolds(slowed, scenario);
        kept = { of: scenario, offered: offeredOf(held, scenario) };
      }
      runs[i]?.push(playOne({ ...scenario, seed }, kept.offered, figures));
    }
  }
  return runs;
}

/** Whether the schedule of one is that of the other. The parts are compared by identity, which settings of one scenario share. */
function sameArrivals(a: Scenario, b: Scenario): boolean {
  return (
    a.seed === b.seed &&
    a.durationS === b.durationS &&
    a.arrivals === b.arrivals &&
    a.classes === b.classes &&
    a.model.service === b.model.service
  );
}

const SLOW_TENTHS = [2, 6];

function withSlowPhases(schedule: Schedule, { durationS }: Scenario, factor: number): Schedule {
  const arrivals = schedule.arrivals.map((arrival) => {
    const tenth = Math.floor((10 * arrival.atUs) / usFromS(durationS));
    if (!SLOW_TENTHS.includes(tenth)) return arrival;
    const serviceUs = Math.round(arrival.demand.serviceUs * factor);
    return { ...arrival, demand: { ...arrival.demand, serviceUs } };
  });
  return { ...schedule, arrivals };
}

function withoutHolds(schedule: Schedule, { classes }: Scenario): Schedule {
  const arrivals = schedule.arrivals.map((arrival) => {
    const demand = withoutHold(arrival.demand, classes[arrival.class]?.compute ?? 1);
    return { ...arrival, demand };
  });
  return { ...schedule, arrivals };
}

interface Offered {
  readonly schedule: Schedule;
  /** By seq: which third by the time that a slot is taken. */
  readonly size: Uint8Array;
  /** Time of slots that is asked for in each part of the run, over the time of the part. */
  readonly load: readonly number[];
}

function offeredOf(schedule: Schedule, scenario: Scenario): Offered {
  const { arrivals } = schedule;
  const times = Float64Array.from(arrivals, ({ demand }) => slotUsOf(demand)).sort();
  const cut = (share: number) => times[Math.floor(share * times.length)] ?? 0;
  const [short, long] = [cut(1 / 3), cut(2 / 3)];
  const binUs = usFromS(scenario.durationS) / LOAD_BINS;
  const load = new Array<number>(LOAD_BINS).fill(0);
  const size = new Uint8Array(arrivals.length);
  for (const [seq, { atUs, demand }] of arrivals.entries()) {
    const us = slotUsOf(demand);
    size[seq] = us < short ? 0 : us < long ? 1 : 2;
    const bin = Math.min(LOAD_BINS - 1, Math.floor(atUs / binUs));
    load[bin] = (load[bin] ?? 0) + us / binUs;
  }
  return { schedule, size, load };
}

/** What a search weighs: `src/tune/weigh.ts`. */
const WEIGHED: readonly Time[] = ['response', 'wait', 'refusal'];

function playOne(scenario: Scenario, offered: Offered, figures: Evaluation['figures']): Figures {
  const times = figures === 'all' ? {} : { times: WEIGHED };
  const fold = createFold(scenario, { detail: 'figures', ...times });
  const sizes = new SizeCount(scenario, offered.size);
  const request = (row: RequestRow) => {
    fold.request(row);
    sizes.add(row);
  };
  const sink: Sink = figures === 'all' ? { ...fold, request } : { request };
  const { seed } = scenario;
  const { cutOff } = simulate(scenario, { seed, schedule: offered.schedule, sink });
  const all: Record<string, number | null> = { ...fold.figures(), ...sizes.figures() };
  if (cutOff) all[cutOffPath(cutOffBy(all).by)] = 1;
  for (const [bin, load] of offered.load.entries()) all[`load.${bin}`] = load;
  return all;
}

/** Goodput of each third of the arrivals. */
class SizeCount {
  private readonly offered = [0, 0, 0];
  private readonly inTime = [0, 0, 0];
  private readonly warmupUs: number;

  constructor(
    private readonly scenario: Scenario,
    private readonly size: Uint8Array,
  ) {
    this.warmupUs = scenario.warmupS * US_PER_S;
  }

  add({ seq, intendedUs, endUs, outcome, class: name }: RequestRow): void {
    if (intendedUs < this.warmupUs) return;
    const size = this.size[seq] ?? 0;
    const sloS = this.scenario.classes[name]?.sloS ?? this.scenario.sloS;
    const inTime = outcome === 'completed' && endUs - intendedUs <= usFromS(sloS);
    this.offered[size] = (this.offered[size] ?? 0) + 1;
    if (inTime) this.inTime[size] = (this.inTime[size] ?? 0) + 1;
  }

  figures(): Figures {
    const shares = SIZES.map((name, i) => {
      const offered = this.offered[i] ?? 0;
      const share = offered === 0 ? null : (this.inTime[i] ?? 0) / offered;
      return [`bySize.${name}.goodput`, share] as const;
    });
    return Object.fromEntries(shares);
  }
}
