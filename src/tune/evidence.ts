/** What the inputs are known from, and other worlds that the same observations could have come from. */

import { drawsAt, type Rng, streamKey } from '../random.ts';
import type { Figures } from '../result/figures.ts';
import type { Distribution, Scenario, TokenService } from '../scenario/types.ts';
import { sFromUs } from '../units.ts';
import { LOAD_BINS } from './evaluate.ts';
import { isRecorded, recordedRows, withRowsResampled } from './recorded.ts';
import type { Evidence } from './types.ts';
import { anyArrived, meanOf } from './weigh.ts';
import { scaledArrivals, withArrivals, withService } from './what-if.ts';

/** Fewer observed service times than this are not enough for a recommendation. */
export const LEAST_OBSERVATIONS = 30;
/** Below this load nothing waits long, and no setting shows what it does. */
const QUIET_LOAD = 0.8;

/** Observed service times of a scenario, by distribution and by log. */
function observedServices(scenario: Scenario): (readonly number[])[] {
  const specs = Object.values(scenario.classes).map(({ service }) => service);
  const used = specs.includes(null) ? [...specs, scenario.model.service] : specs;
  const distributions = used.flatMap((service) =>
    service !== null && 'empirical' in service ? [service.empirical] : [],
  );
  const ofRows = recordedRows(scenario).map((rows) =>
    rows.flatMap(({ serviceUs }) => (serviceUs === null ? [] : [sFromUs(serviceUs)])),
  );
  return [...distributions, ...ofRows.filter(({ length }) => length > 0)];
}

/** Arrivals of the shortest log; null where none has any. */
function recordedArrivals(scenarios: readonly Scenario[]): number | null {
  const counts = scenarios.flatMap(recordedRows).map(({ length }) => length);
  return counts.length === 0 ? null : Math.min(...counts);
}

/**
 * @param arrivals observed, where the rate is known from a run; null: it is declared
 * @param runs of the first setting, by scenario
 */
export function evidenceOf(
  scenarios: readonly Scenario[],
  arrivals: number | null,
  runs: readonly (readonly Figures[])[],
): Evidence {
  const lists = scenarios.flatMap(observedServices);
  const n = lists.length === 0 ? null : Math.min(...lists.map(({ length }) => length));
  const arrived = runs.some(anyArrived);
  const recorded = recordedArrivals(scenarios);
  const isFew = [n, recorded].some((count) => count !== null && count < LEAST_OBSERVATIONS);
  const enough = arrived && !isFew;
  const peaks = scenarios.map((scenario, s) => peakOf(scenario, runs[s] ?? []));
  const peakLoad = Math.max(...peaks);
  const where = scenarios.length > 1 ? ` in ${scenarios[peaks.indexOf(peakLoad)]?.name}` : '';
  const overload = peakLoad >= QUIET_LOAD;
  const services = n === null ? 'declared' : 'observed';
  const text = arrived
    ? textOf(n, recorded, enough, peakLoad, where)
    : 'no request arrived in any run';
  return { services, n, arrivals, arrived, enough, peakLoad, overload, text };
}

function textOf(
  n: number | null,
  recorded: number | null,
  enough: boolean,
  peakLoad: number,
  where: string,
): string {
  const load = `${peakLoad.toFixed(2)} of the slots${where}`;
  const services =
    n === null ? 'service times declared, not observed' : `${n} service times observed`;
  const parts = [
    recorded === null || recorded === n ? services : `${recorded} arrivals recorded, ${services}`,
    peakLoad >= 1
      ? `work offered reaches ${load}`
      : `work offered reaches only ${load}: no evidence above a load of ${QUIET_LOAD}`,
  ];
  if (peakLoad >= QUIET_LOAD && peakLoad < 1) parts[1] = `work offered reaches ${load}`;
  if (!enough) parts.push(`at least ${LEAST_OBSERVATIONS} are needed`);
  return parts.join('; ');
}

/** Work offered in the busiest tenth of the run, over its slots. */
function peakOf({ gate }: Scenario, runs: readonly Figures[]): number {
  const bins = Array.from({ length: LOAD_BINS }, (_, bin) =>
    meanOf(runs.map((run) => run[`load.${bin}`] ?? 0)),
  );
  return Math.max(...bins) / gate.slots;
}

/** Whether anything is known only from a sample. */
export function isObserved(scenarios: readonly Scenario[], arrivals: number | null): boolean {
  return (
    arrivals !== null ||
    scenarios.some((scenario) => isRecorded(scenario) || observedServices(scenario).length > 0)
  );
}

/**
 * A world that the same observations could have come from: services resampled in blocks, so that
 * slow spells stay spells (Künsch 1989), the rate as a gamma with the observed count, and the rows
 * of a log in blocks of their neighbours, gaps and work together.
 */
export function resampledWorld(
  scenario: Scenario,
  arrivals: number | null,
  seed: number,
  world: number,
): Scenario {
  const rng = drawsAt(streamKey(seed, 'resample', scenario.name), world);
  const factor = arrivals === null ? 1 : rng.gamma(arrivals);
  const known = new Map<Distribution | TokenService, Distribution | TokenService>();
  const resampled = withService(scenario, (service) => {
    if (!('empirical' in service)) return service;
    const done = known.get(service) ?? { empirical: inBlocks(service.empirical, rng) };
    known.set(service, done);
    return done;
  });
  const rated =
    factor === 1
      ? resampled
      : withArrivals(resampled, (of) => (of.process === 'trace' ? of : scaledArrivals(of, factor)));
  return withRowsResampled(rated, rng);
}

/** A resample of the same length, of runs of neighbours that go round the end; n^(1/3) long. */
export function inBlocks(values: readonly number[], rng: Rng): number[] {
  const { length } = values;
  const block = Math.max(1, Math.round(Math.cbrt(length)));
  const drawn: number[] = [];
  while (drawn.length < length) {
    const from = Math.floor(rng.uniform() * length);
    for (let i = 0; i < block && drawn.length < length; i++) {
      drawn.push(values[(from + i) % length] ?? 0);
    }
  }
  return drawn;
}
