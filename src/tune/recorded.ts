/** Rows that a log recorded, changed: their services and instants are in no distribution. */
import type { Rng } from '../random.ts';
import type { Arrivals, Scenario, TraceRow } from '../scenario/types.ts';
import { usFromS } from '../units.ts';
import { resampledRows } from './resampled-rows.ts';
import { spreadDoubled } from './spread-doubled.ts';
import { withArrivals } from './what-if.ts';

type Trace = Extract<Arrivals, { readonly process: 'trace' }>;

function tracesOf({ arrivals, classes }: Scenario): Trace[] {
  const all = [arrivals, ...Object.values(classes).map((spec) => spec.arrivals)];
  return all.flatMap((each) => (each?.process === 'trace' ? [each] : []));
}

/** Whether any arrivals are those of a log, so that they are the same in every run. */
export function isRecorded(scenario: Scenario): boolean {
  return tracesOf(scenario).length > 0;
}

/** The rows of each log that come within the run. */
export function recordedRows(scenario: Scenario): (readonly TraceRow[])[] {
  return tracesOf(scenario).map((trace) => rowsWithin(trace, scenario));
}

function rowsWithin({ rows, limit, speed }: Trace, { durationS }: Scenario): readonly TraceRow[] {
  const endUs = usFromS(durationS) * speed;
  return rows.slice(0, limit ?? rows.length).filter(({ atUs }) => atUs < endUs);
}

/** Every recorded service times a factor. */
export function withRowsScaled(scenario: Scenario, factor: number): Scenario {
  return withRecordedServices(scenario, () => (us) => us * factor);
}

/** The recorded services of each class with the same mean and twice the variance, where they have any. */
export function withRowsSpread(scenario: Scenario): Scenario {
  return withRecordedServices(scenario, spreadDoubled);
}

/** @param changeOf what becomes of each of the services of a class, which are these, in microseconds */
function withRecordedServices(
  scenario: Scenario,
  changeOf: (servicesUs: readonly number[]) => (us: number) => number,
): Scenario {
  return withTraces(scenario, (trace) => {
    const changes = new Map<string | null, (us: number) => number>();
    for (const [name, services] of servicesByClass(trace.rows)) {
      changes.set(name, changeOf(services));
    }
    const changed = (us: number, name: string | null) =>
      Math.max(1, Math.round(changes.get(name)?.(us) ?? us));
    return { ...trace, rows: trace.rows.map((row) => withService(row, changed)) };
  });
}

function servicesByClass(rows: readonly TraceRow[]): Map<string | null, number[]> {
  const services = new Map<string | null, number[]>();
  for (const { class: name, serviceUs } of rows) {
    if (serviceUs === null) continue;
    const known = services.get(name);
    if (known === undefined) services.set(name, [serviceUs]);
    else known.push(serviceUs);
  }
  return services;
}

/** A try that was turned away carries the service of its last one. */
function withService(
  row: TraceRow,
  changed: (us: number, name: string | null) => number,
): TraceRow {
  const of = (us: number | null) => (us === null ? null : changed(us, row.class));
  const own = { ...row, serviceUs: of(row.serviceUs) };
  if (row.served === undefined) return own;
  return { ...own, served: { ...row.served, serviceUs: of(row.served.serviceUs) } };
}

/** Another log that could have been kept of the same days. */
export function withRowsResampled(scenario: Scenario, rng: Rng): Scenario {
  return withTraces(scenario, (trace) => {
    const rows = resampledRows(rowsWithin(trace, scenario), rng);
    return { ...trace, rows, limit: null };
  });
}

function withTraces(scenario: Scenario, change: (trace: Trace) => Trace): Scenario {
  if (!isRecorded(scenario)) return scenario;
  return withArrivals(scenario, (arrivals) =>
    arrivals.process === 'trace' ? change(arrivals) : arrivals,
  );
}
