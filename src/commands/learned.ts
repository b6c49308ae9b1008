/** Scenarios that a recorded run supports: its services as observed, its arrivals or their rate. */
import { buildSchedule } from '../arrivals/build.ts';
import { UserError } from '../errors.ts';
import { replicationSeed } from '../random.ts';
import { numberOf } from '../result/figure.ts';
import type { Outcomes } from '../result/types.ts';
import type { ClassSpec, Distribution, ModelSpec, Scenario, TraceRow } from '../scenario/types.ts';
import { withRate } from '../tune/what-if.ts';
import { US_PER_S } from '../units.ts';
import type { RecordedRun } from './recorded-run.ts';

/** Beyond this share of drawn demand a replay says more of the drawing than of the run. */
export const MOST_DRAWN = 0.2;
/** A class with fewer observations borrows those of all classes. */
export const LEAST_OF_A_CLASS = 10;
const SEEDS_OF_A_COUNT = 20;

/** How much of the demand was never observed: refused, failed or abandoned requests. */
export interface Drawn {
  readonly arrivals: number;
  /** Or known from the schedule of a stub or of the simulator. */
  readonly observed: number;
  readonly drawn: number;
  readonly share: number;
}

export function drawnOf({ arrivals, serviceUs }: RecordedRun): Drawn {
  const drawn = arrivals.length - serviceUs.size;
  const share = arrivals.length === 0 ? 0 : drawn / arrivals.length;
  return { arrivals: arrivals.length, observed: serviceUs.size, drawn, share };
}

/** A caller who tries again is one request: how many attempts stand beside. */
export function attemptsNote({ path, result, arrivals }: RecordedRun): string {
  const [total, retries] = [numberOf(result.attempts.total), numberOf(result.attempts.retries)];
  return `${path}: ${arrivals.length} requests, each counted once; ${total ?? 0} attempts, ${retries ?? 0} of them retries`;
}

/**
 * Where the demand comes from, in words.
 * @throws UserError where over a fifth of it would be drawn, unless that is allowed
 */
export function drawnNote(run: RecordedRun, allowDrawn: boolean): string {
  const { drawn, arrivals, share } = drawnOf(run);
  if (drawn === 0 && run.knownFrom !== 'observed') return knownNote(run);
  if (share > MOST_DRAWN && !allowDrawn) throw tooMuchDrawn(run.path, share, whyUnseen(run));
  return `${run.path}: the demand of ${drawn} of ${arrivals} requests (${percent(share)}) was never observed and is drawn from that of the others`;
}

function knownNote({ path, knownFrom, arrivals, served, result }: RecordedRun): string {
  const ran = result.environment.target === 'none' ? 'simulated' : 'stub';
  if (knownFrom === 'schedule') {
    return `${path}: the demand of all ${arrivals.length} requests is the schedule's own, served by the scenario's own model: a ${ran} run`;
  }
  return `${path}: the demand of the ${arrivals.length - served} of ${arrivals.length} requests that were not served is the schedule's own: a ${ran} run`;
}

/** Why demand was never observed, and what would show it. */
interface Unseen {
  readonly why: string;
  readonly remedy: string;
}

const REFUSED: Unseen = {
  why: 'what a gate refused nobody measured',
  remedy: 'record again with a gate that refuses less',
};

/** Said alike of a run and of a log, in which all that is unseen was refused. */
export function tooMuchDrawn(path: string, share: number, { why, remedy } = REFUSED): UserError {
  return new UserError(
    `${path}: expected at most 20 % of drawn demand, got ${percent(share)}: ${why}; ${remedy}, or give --allow-drawn to draw it from what was served`,
  );
}

/** Each fate that leaves no service behind, with what would show one. */
function whyUnseen({ result: { outcomes, failedBy } }: RecordedRun): Unseen {
  const n = (...names: readonly (keyof Outcomes)[]) =>
    names.reduce((sum, name) => sum + (numberOf(outcomes[name]) ?? 0), 0);
  const codes = Object.keys(failedBy)
    .map((code) => (code === 'status' ? 'an error status' : code))
    .join(', ');
  const fates = [
    { n: n('rejected', 'expired'), was: 'refused by the gate', remedy: REFUSED.remedy },
    {
      n: n('failed', 'killed'),
      was: `failed${codes === '' ? '' : ` (${codes})`}`,
      remedy: 'record again where the endpoint answers',
    },
    {
      n: n('abandoned'),
      was: 'given up by their callers',
      remedy: 'record again with callers who wait',
    },
    {
      n: n('unsent', 'undecided', 'censored'),
      was: 'not over when the run ended',
      remedy: 'record a run that ends by itself',
    },
  ];
  const met = fates.filter((fate) => fate.n > 0).sort((a, b) => b.n - a.n);
  const [most] = met;
  if (most === undefined) return REFUSED;
  const told = met.map((fate) => `${fate.n} were ${fate.was}`.replace('were failed', 'failed'));
  return {
    why: `of ${n('offered')} requests ${told.join(', ')}, and what they need nobody measured`,
    remedy: most.remedy,
  };
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** The run's own arrivals, as a trace: observed services stay, the others are drawn by seed. */
export function replayScenario(run: RecordedRun): Scenario {
  const rows = run.arrivals.map(
    ({ seq, atUs, class: name, demand }): TraceRow => ({
      atUs,
      class: name,
      inTokens: demand.inTokens,
      outTokens: demand.outTokens,
      serviceUs: run.serviceUs.get(seq) ?? null,
    }),
  );
  const total = Math.max(1, rows.length);
  const counted = withObserved(run, (name, spec) => ({
    ...spec,
    arrivals: null,
    share: rows.filter((row) => row.class === name).length / total,
  }));
  const trace = {
    process: 'trace',
    file: 'schedule.csv',
    format: 'loadline',
    unit: 'auto',
  } as const;
  return {
    ...counted,
    arrivals: { ...trace, speed: 1, dequantiseS: 0, limit: null, retries: 'kept', rows },
  };
}

/** The run's own process with its rate as observed: what other days like this one would offer. */
export function fittedScenario(run: RecordedRun): Scenario {
  const { arrivals } = run.scenario;
  if (arrivals !== null && (arrivals.process === 'trace' || arrivals.process === 'at')) {
    return replayScenario(run);
  }
  const fitted = withObserved(run, (_, spec) => spec);
  return withRate(fitted, run.arrivals.length / expectedCount(run.scenario));
}

/** Arrivals that a scenario gives on average. */
function expectedCount(scenario: Scenario): number {
  let sum = 0;
  for (let k = 1; k <= SEEDS_OF_A_COUNT; k++) {
    sum += buildSchedule(scenario, replicationSeed(scenario.seed, k)).arrivals.length;
  }
  return Math.max(1, sum / SEEDS_OF_A_COUNT);
}

function withObserved(
  run: RecordedRun,
  change: (name: string, spec: ClassSpec) => ClassSpec,
): Scenario {
  const all = empirical(run, () => true);
  const classes = Object.entries(run.scenario.classes).map(([name, spec]) => {
    const own = empirical(run, (of) => of === name);
    const service = own.empirical.length >= LEAST_OF_A_CLASS ? own : all;
    return [name, change(name, { ...spec, service })];
  });
  return {
    ...run.scenario,
    classes: Object.fromEntries(classes),
    model: run.knownFrom === 'schedule' ? run.scenario.model : plain(run.scenario.model),
  };
}

/** Slow-downs and waits at the endpoint are in what was observed: they must not count twice. */
function plain(model: ModelSpec): ModelSpec {
  return { ...model, slots: 0, slowdown: { ...model.slowdown, perRequest: 0 } };
}

/** In order of time, so that a resample in blocks keeps slow spells together. */
function empirical(
  { arrivals, serviceUs, path }: RecordedRun,
  belongs: (name: string) => boolean,
): Extract<Distribution, { empirical: unknown }> {
  if (serviceUs.size === 0) {
    throw new UserError(`${path}: expected completed requests to learn from, got none`, 1);
  }
  const values = arrivals.flatMap(({ seq, class: name }) => {
    const us = serviceUs.get(seq);
    return us === undefined || !belongs(name) ? [] : [us / US_PER_S];
  });
  return { empirical: values };
}
