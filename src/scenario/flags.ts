/** The flags that build or change a scenario, as one table. Commands hand it to their parser. */
import { UserError } from '../errors.ts';
import { burstsOf, numberOf, numberOrOff, serviceOf, textOf } from './flag-values.ts';
import type { Override } from './set.ts';

export interface ScenarioFlag {
  /** Without dashes: `age-reject`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly placeholder: string;
  readonly help: string;
  /** The runbooks' environment variable of the same meaning. */
  readonly env?: string;
  readonly path: string;
  /** Reads the text; throws a UserError that says what it expected. */
  readonly parse: (text: string) => unknown;
  /** What else the flag implies; applied before its own value. */
  readonly implies?: Override;
}

export const SCENARIO_FLAGS: readonly ScenarioFlag[] = [
  {
    name: 'rate',
    aliases: ['request-rate'],
    placeholder: 'per-second',
    help: 'arrivals per second',
    env: 'BASE_RATE',
    path: 'arrivals.ratePerS',
    parse: numberOf,
  },
  {
    name: 'burst',
    placeholder: 'from..toxfactor',
    help: 'windows of a multiplied rate: 120..240x2, or several with commas',
    path: 'arrivals.bursts',
    parse: burstsOf,
  },
  {
    name: 'burstiness',
    placeholder: 'shape',
    help: 'gamma arrivals of this shape, 1e-4 or more: 1 is Poisson, less is burstier',
    path: 'arrivals.burstiness',
    parse: numberOf,
    implies: { path: 'arrivals.process', value: 'gamma' },
  },
  {
    name: 'trace',
    placeholder: 'file',
    help: 'recorded arrivals instead: Azure, Mooncake, BurstGPT, Qwen, a table, or a run of ours',
    path: 'arrivals.file',
    parse: textOf,
    implies: { path: 'arrivals', value: { process: 'trace' } },
  },
  {
    name: 'duration',
    placeholder: 'seconds',
    help: 'how long requests arrive',
    env: 'ARRIVAL_S',
    path: 'durationS',
    parse: numberOf,
  },
  {
    name: 'warmup',
    placeholder: 'seconds',
    help: 'arrivals before this are dropped from the figures',
    path: 'warmupS',
    parse: numberOf,
  },
  {
    name: 'drain',
    placeholder: 'seconds|off',
    help: 'how long the end waits for what is in flight (off: until nothing is)',
    path: 'drainS',
    parse: numberOrOff,
  },
  {
    name: 'slo',
    placeholder: 'seconds',
    help: 'response time that is still in time',
    env: 'SLO_SEC',
    path: 'sloS',
    parse: numberOf,
  },
  {
    name: 'seed',
    placeholder: 'number',
    help: 'the same seed gives the same arrivals and the same work',
    path: 'seed',
    parse: numberOf,
  },
  {
    name: 'slots',
    placeholder: 'number',
    help: 'requests in service at once',
    env: 'WORKERS',
    path: 'gate.slots',
    parse: numberOf,
  },
  {
    name: 'service',
    placeholder: 'distribution',
    help: 'service time: uniform:5..30, exponential:4, fixed:5, lognormal:10~1.4 (mean~scv)',
    path: 'model.service',
    parse: serviceOf,
  },
  {
    name: 'age-reject',
    placeholder: 'seconds|off',
    help: 'refuse arrivals while the oldest queued request is older',
    env: 'AGE_REJECT',
    path: 'gate.ageRejectS',
    parse: numberOrOff,
  },
  {
    name: 'depth-multiple',
    placeholder: 'number|off',
    help: 'refuse while all slots are leased and more than this times the slots wait',
    env: 'DEPTH_MULT',
    path: 'gate.depthMultiple',
    parse: numberOrOff,
  },
  {
    name: 'queue-capacity',
    placeholder: 'number|off',
    help: 'the most that may wait',
    path: 'gate.queueCapacity',
    parse: numberOrOff,
  },
  {
    name: 'max-wait',
    placeholder: 'seconds|off',
    help: 'end a wait that has lasted this long',
    path: 'gate.maxWaitS',
    parse: numberOrOff,
  },
  {
    name: 'max-hold',
    placeholder: 'seconds|off',
    help: 'end a lease that has been held this long',
    path: 'gate.maxHoldS',
    parse: numberOrOff,
  },
  {
    name: 'predicted-wait',
    placeholder: 'seconds|off',
    help: 'refuse who would wait longer than this',
    path: 'gate.predictedWaitS',
    parse: numberOrOff,
  },
  {
    name: 'slack-reject',
    placeholder: 'seconds|off',
    help: 'refuse interactive work while batch has less slack than this',
    path: 'gate.slackRejectS',
    parse: numberOrOff,
  },
  {
    name: 'gate-mode',
    placeholder: 'mode',
    help: 'enforce, shadow, admit-always, reject_preempt_budget or drain',
    env: 'ADMIT_MODE',
    path: 'gate.mode',
    parse: textOf,
  },
];

/** The key under which an argument parser files a flag: `age-reject` is `ageReject`. */
export function optionKey(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The flags that were given, by option key, as text. */
export type FlagOptions = Readonly<Record<string, unknown>>;

/**
 * The changes that the flags ask for. Keys that are no scenario flag are left to their command.
 * @throws UserError naming the flag: `--slots: expected a number, got "many"`
 */
export function flagOverrides(options: FlagOptions): Override[] {
  return SCENARIO_FLAGS.flatMap((flag) => {
    const given = [flag.name, ...(flag.aliases ?? [])]
      .map((name) => ({ name, value: options[optionKey(name)] }))
      .filter(({ value }) => value !== undefined);
    return given.flatMap(({ name, value }) => overridesOf(flag, name, String(value)));
  });
}

function overridesOf(flag: ScenarioFlag, name: string, text: string): Override[] {
  const own = { path: flag.path, value: labelled(`--${name}`, () => flag.parse(text)) };
  return flag.implies === undefined ? [own] : [flag.implies, own];
}

/** Puts where a value came from before what is wrong with it. */
export function labelled<T>(label: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`${label}: ${error.message}`);
    throw error;
  }
}
