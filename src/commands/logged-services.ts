import type { ClassSpec, Scenario, TraceRow } from '../scenario/types.ts';
import { US_PER_S } from '../units.ts';
import { LEAST_OF_A_CLASS } from './learned.ts';

/**
 * What a gate before a log refused, it served nobody: such rows ask for what the others of the log
 * asked for, not for what the scenario would draw. A log without refusals or services says nothing.
 */
export function withLoggedServices(scenario: Scenario): Scenario {
  const { arrivals } = scenario;
  if (arrivals?.process !== 'trace') return scenario;
  const { rows } = arrivals;
  const all = servicesOf(rows);
  if (all.length < LEAST_OF_A_CLASS || !rows.some(({ refused }) => refused === true)) {
    return scenario;
  }
  const classes = Object.entries(scenario.classes).map(([name, spec]): [string, ClassSpec] => {
    const own = servicesOf(rows.filter((row) => row.class === name));
    const empirical = own.length < LEAST_OF_A_CLASS ? all : own;
    return [name, spec.arrivals === null ? { ...spec, service: { empirical } } : spec];
  });
  return { ...scenario, classes: Object.fromEntries(classes) };
}

/** In seconds, in order of time. */
function servicesOf(rows: readonly TraceRow[]): number[] {
  return rows.flatMap(({ serviceUs }) => (serviceUs === null ? [] : [serviceUs / US_PER_S]));
}

/** Arrivals of a log whose services are known; null where the rate or the services are declared. */
export function loggedArrivals({ arrivals, classes }: Scenario): number | null {
  if (arrivals?.process !== 'trace') return null;
  const isSeen = arrivals.rows.some(({ serviceUs }) => serviceUs !== null);
  const isObserved = Object.values(classes).some(
    ({ service }) => service !== null && 'empirical' in service,
  );
  return isSeen && isObserved ? arrivals.rows.length : null;
}
