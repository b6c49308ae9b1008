import { movableDraws, streamKey } from '../random.ts';
import type { ClassSpec, Scenario, TraceRow } from '../scenario/types.ts';
import { type DrawDemand, demandOf, serviceIsDrawn } from './demand.ts';
import { mergeByTime } from './merge.ts';
import { type ProcessTimes, processTimes } from './process.ts';
import type { Arrival, Schedule } from './schedule.ts';

interface ArrivingClass {
  readonly name: string;
  readonly drawDemand: DrawDemand;
  readonly spec: ClassSpec;
}

/** One process and the class of each of its arrivals. */
interface Source {
  readonly times: ProcessTimes;
  readonly classAt: (keySeq: number, row: TraceRow | null) => ArrivingClass;
}

/**
 * Materialises the arrivals of a scenario over [0, durationS): the scenario's own process, whose
 * arrivals take a class by share, and the processes of single classes, merged by time. Ties keep
 * the order of the scenario (its own process first, then the classes as written), then sequence.
 * @param seed of this run; a replication has its own
 */
export function buildSchedule(scenario: Scenario, seed: number = scenario.seed): Schedule {
  const sources = sourcesOf(scenario, seed);
  const only = sources.length === 1 ? sources[0] : undefined;
  return { seed, arrivals: only ? arrivalsOf(scenario, only) : mergedArrivals(scenario, sources) };
}

function sourcesOf(scenario: Scenario, seed: number): Source[] {
  const sources: Source[] = [];
  if (scenario.arrivals !== null) {
    const times = processTimes(scenario.arrivals, scenario.durationS, seed, '');
    sources.push({ times, classAt: sharedClasses(scenario, seed) });
  }
  for (const [name, spec] of Object.entries(scenario.classes)) {
    if (spec.arrivals === null) continue;
    const times = processTimes(spec.arrivals, scenario.durationS, seed, name);
    const own = arrivingClass(scenario, name, spec, seed);
    sources.push({ times, classAt: () => own });
  }
  return sources;
}

function arrivingClass(
  scenario: Scenario,
  name: string,
  spec: ClassSpec,
  seed: number,
): ArrivingClass {
  return { name, spec, drawDemand: demandOf(scenario, name, spec, seed) };
}

/** A row's class where it names one that has a share; else by a keyed draw among the shares. */
function sharedClasses(scenario: Scenario, seed: number): Source['classAt'] {
  const shared = Object.entries(scenario.classes).filter(([, spec]) => spec.arrivals === null);
  const classes = shared.map(([name, spec]) => arrivingClass(scenario, name, spec, seed));
  const last = classes.at(-1);
  if (last === undefined) throw new Error('arrivals need a class that has a share');
  const byName = new Map(classes.map((one) => [one.name, one]));
  const total = shared.reduce((sum, [, spec]) => sum + (spec.share ?? 0), 0);
  const key = streamKey(seed, 'class');
  const rng = movableDraws();
  return (keySeq, row) => {
    const named = row?.class ? byName.get(row.class) : undefined;
    if (named !== undefined || classes.length === 1) return named ?? last;
    let left = rng.moveTo(key, keySeq).uniform() * total;
    for (const one of classes) {
      left -= one.spec.share ?? 0;
      if (left < 0) return one;
    }
    return last;
  };
}

function arrivalsOf(scenario: Scenario, source: Source): Arrival[] {
  return source.times.timesUs.map((atUs, i) => arrivalAt(scenario, source, i, atUs, i));
}

function mergedArrivals(scenario: Scenario, sources: readonly Source[]): Arrival[] {
  const arrivals: Arrival[] = [];
  mergeByTime(
    sources.map((source) => source.times.timesUs),
    (which, i, atUs) => {
      const source = sources[which];
      if (source) arrivals.push(arrivalAt(scenario, source, i, atUs, arrivals.length));
    },
  );
  return arrivals;
}

function arrivalAt(
  scenario: Scenario,
  source: Source,
  index: number,
  atUs: number,
  seq: number,
): Arrival {
  const { places, rows } = source.times;
  const keySeq = places === null ? index : (places[index] ?? index);
  const row = rows === null ? null : (rows[keySeq] ?? null);
  const arriving = source.classAt(keySeq, row);
  const demand = arriving.drawDemand(keySeq, row);
  const arrival = { seq, atUs, class: arriving.name, demand, keySeq };
  if (row === null) return arrival;
  const drawn = serviceIsDrawn(arriving.spec.service ?? scenario.model.service, row);
  return drawn ? { ...arrival, drawn } : arrival;
}
