/** What a bundle for k6 is made from: plain data that is written into it. */
import type { Schedule } from '../../arrivals/schedule.ts';
import type { ClassSpec, Scenario } from '../../scenario/types.ts';
import { clientLimits } from './limits.ts';
import { packSchedule } from './schedule-text.ts';

/** What the script needs to know of a class. */
export interface PlannedClass {
  readonly prompt: string;
  readonly stream: boolean;
  readonly sloMs: number;
  readonly timeoutMs: number | null;
}

export interface Plan {
  readonly name: string;
  readonly version: string;
  readonly scenarioDigest: string;
  readonly scheduleDigest: string;
  readonly count: number;
  readonly vus: number;
  readonly maxDurationS: number;
  readonly gracefulStopS: number;
  /** From the start of the executor to the first instant of the scenario, where no epoch is given. */
  readonly leadMs: number;
  /** Base URL; `ENDPOINT` in the environment goes before it. */
  readonly endpoint: string;
  readonly model: string;
  readonly classes: Readonly<Record<string, PlannedClass>>;
  /** k6's own, by the name of its metric. */
  readonly thresholds: Readonly<Record<string, readonly string[]>>;
  /** Above this p99 of lateness the load was not the one asked for. */
  readonly latenessLimitMs: number;
  /** What k6 does otherwise than the scenario says. */
  readonly notes: readonly string[];
  /** As it stands in results; rows of traces are left out, they are in the schedule. */
  readonly scenario: Scenario;
}

export interface PlanOptions {
  readonly version: string;
  readonly scenarioDigest: string;
  readonly scheduleDigest: string;
  /** Predicted peak of requests in flight, over all instances. */
  readonly peakInFlight: number;
  /** Instead of what the prediction asks for. */
  readonly vus?: number;
  /** At least one VU for each. */
  readonly instances: number;
  readonly endpoint: string;
  readonly model: string;
}

export interface PlanParts {
  readonly plan: Plan;
  /** Compact; for the script, inside it or beside it. */
  readonly schedule: string;
}

/** The predicted peak is a mean over what could have been; VUs cost a few MB each. */
const SPARE = 1.25;
/** One VU sleeps until the next arrival while the others are in flight. */
const SLEEPERS = 2;
const LEAD_MS = 1000;
/** An executor ends when its iterations do; this only has to be longer. */
const UNLIMITED_S = 24 * 3600;
const GRACEFUL_STOP_S = 30;

/** Makes the plan of a bundle from a scenario and its schedule. */
export function planOf(scenario: Scenario, schedule: Schedule, options: PlanOptions): PlanParts {
  const count = schedule.arrivals.length;
  const { thresholds, notes } = clientLimits(scenario);
  const { drainS, durationS } = scenario;
  const plan: Plan = {
    name: scenario.name,
    version: options.version,
    scenarioDigest: options.scenarioDigest,
    scheduleDigest: options.scheduleDigest,
    count,
    vus: vusOf(scenario, count, options),
    maxDurationS: Math.ceil(LEAD_MS / 1000 + durationS + (drainS ?? UNLIMITED_S)),
    gracefulStopS: drainS === null ? GRACEFUL_STOP_S : 0,
    leadMs: LEAD_MS,
    endpoint: options.endpoint,
    model: options.model,
    classes: plannedClasses(scenario),
    thresholds,
    latenessLimitMs: latenessLimitMs(scenario.sloS),
    notes,
    scenario: withoutRows(scenario),
  };
  return { plan, schedule: packSchedule(schedule, Object.keys(scenario.classes)) };
}

/** The same rule as a live run's: a hundredth of the SLO, and not below a timer's grain. */
export function latenessLimitMs(sloS: number): number {
  return Math.max(20, 10 * sloS);
}

/** k6 refuses more VUs than iterations, and an instance without a VU would do nothing. */
function vusOf(scenario: Scenario, count: number, options: PlanOptions): number {
  const asked = options.vus ?? Math.ceil(options.peakInFlight * SPARE) + SLEEPERS;
  const most = Math.min(count, Math.max(scenario.maxInFlight, options.instances));
  return Math.max(1, Math.min(most, Math.max(asked, options.instances)));
}

function plannedClasses(scenario: Scenario): Plan['classes'] {
  const entries = Object.entries(scenario.classes).map(([name, spec]) => [
    name,
    plannedClass(spec, scenario),
  ]);
  return Object.fromEntries(entries);
}

function plannedClass(spec: ClassSpec, { sloS }: Scenario): PlannedClass {
  return {
    prompt: spec.prompt,
    stream: spec.stream || spec.hold !== null,
    sloMs: (spec.sloS ?? sloS) * 1000,
    timeoutMs: spec.timeoutS === null ? null : spec.timeoutS * 1000,
  };
}

function withoutRows(scenario: Scenario): Scenario {
  const text = JSON.stringify(scenario, (key, value) => (key === 'rows' ? [] : value));
  return JSON.parse(text) as Scenario;
}
