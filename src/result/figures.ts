import { BY_CODE } from './figure.ts';
import type { PreemptTokens } from './preempt-work.ts';
import { type Samples, sortedTogether } from './samples.ts';
import { quantileOf } from './statistics.ts';
import { addCounts, type Counts, type Tally, type Time } from './tally.ts';
import type { ClassResult, Distribution, Figure, Outcomes, Result } from './types.ts';

/**
 * The numbers of one run by their path in the result (`rates.breach`, `responseS.p95`,
 * `byClass.small.outcomes.offered`): flat, so that thousands of runs pass between threads and are
 * averaged cheaply. `null` where there is no data.
 */
export type Figures = Readonly<Record<string, number | null>>;

/** The parts of a result that are figures and nothing else. */
export type FigureParts = Pick<
  Result,
  | 'outcomes'
  | 'rejectedBy'
  | 'wouldReject'
  | 'failedBy'
  | 'rates'
  | 'attempts'
  | 'responseS'
  | 'waitS'
  | 'serviceS'
  | 'firstByteS'
  | 'ttftS'
  | 'firstContentS'
  | 'refusalS'
  | 'utilization'
  | 'queueAgeS'
  | 'tokens'
  | 'preempts'
  | 'preemptsPerTask'
  | 'lostToPreempts'
  | 'callersGone'
  | 'byClass'
>;

const SECTIONS: Record<Time, string> = {
  response: 'responseS',
  wait: 'waitS',
  service: 'serviceS',
  firstByte: 'firstByteS',
  ttft: 'ttftS',
  firstContent: 'firstContentS',
  refusal: 'refusalS',
  held: 'heldS',
};

/** Figures being put together. */
export type Draft = Record<string, number | null>;

export function share(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}

/** Outcomes and rates of some counts, by DESIGN.md §5. */
export function putCounts(draft: Draft, prefix: string, counts: Counts): void {
  const c = counts;
  const admitted = c.completed + c.failed + c.expired + c.abandoned + c.killed + c.censored;
  const offered = c.unsent + c.undecided + c.rejected + admitted;
  const outcomes: Record<keyof Outcomes, number> = {
    offered,
    unsent: c.unsent,
    undecided: c.undecided,
    rejected: c.rejected,
    admitted,
    completed: c.completed,
    failed: c.failed,
    expired: c.expired,
    abandoned: c.abandoned,
    killed: c.killed,
    censored: c.censored,
    sloBreached: c.sloBreached,
  };
  for (const [name, n] of Object.entries(outcomes)) draft[`${prefix}outcomes.${name}`] = n;
  const served = c.completed + c.failed + c.killed + c.censoredLate;
  draft[`${prefix}rates.rejection`] = share(c.rejected + c.expired, offered);
  draft[`${prefix}rates.breach`] = share(c.sloBreached, served);
  draft[`${prefix}rates.goodput`] = share(c.inTime, offered);
}

/** Distribution of samples in microseconds, in seconds. Returns them ascending, for who needs more of them. */
export function putTimes(
  draft: Draft,
  prefix: string,
  time: Time,
  parts: readonly Samples[],
): Float64Array {
  const ascending = sortedTogether(parts);
  const path = `${prefix}${SECTIONS[time]}.`;
  const at = (p: number) => {
    const us = quantileOf(ascending, p);
    return us === null ? null : us / 1e6;
  };
  draft[`${path}n`] = ascending.length;
  draft[`${path}mean`] = meanS(ascending);
  draft[`${path}p50`] = at(0.5);
  draft[`${path}p95`] = at(0.95);
  draft[`${path}p99`] = at(0.99);
  draft[`${path}max`] = at(1);
  return ascending;
}

function meanS(valuesUs: Float64Array): number | null {
  if (valuesUs.length === 0) return null;
  let sum = 0;
  for (const us of valuesUs) sum += us;
  return sum / valuesUs.length / 1e6;
}

/** What only the gate can count. */
export interface GateCounts {
  readonly rejectedAttempts: number;
  readonly preempted: PreemptTokens;
}

/** Attempts and tokens of all classes together. */
export function putWork(draft: Draft, tallies: readonly Tally[], gate: GateCounts): void {
  const c = addCounts(tallies.map((tally) => tally.counts));
  putCounts(draft, '', c);
  draft['attempts.total'] = c.attempts;
  draft['attempts.retries'] = Math.max(0, c.attempts - c.sent);
  draft['attempts.amplification'] = share(c.attempts, c.sent);
  draft['attempts.rejected'] = gate.rejectedAttempts;
  draft['attempts.transportRetries'] = c.transportRetries;
  draft['tokens.in'] = c.inTokens;
  draft['tokens.out'] = c.outTokens;
  draft['tokens.restarted'] = c.restartTokens;
  const { wasted, redone, lost } = gate.preempted;
  draft['tokens.wasted'] = c.deadTokens + wasted;
  draft['tokens.redone'] = redone;
  const worked = c.workedTokens + lost + redone;
  draft['tokens.worked'] = worked;
  draft['tokens.redoneShare'] = share(redone, worked);
  draft['tokens.wastedShare'] = share(c.deadTokens + wasted, worked);
  draft['preempts'] = c.preempts;
  draft['lostToPreempts'] = c.lostToPreempts;
  draft['preemptsPerTask.mean'] = share(c.preempts, c.tasks);
  const most = Math.max(0, ...tallies.map(({ mostPreempts }) => mostPreempts));
  draft['preemptsPerTask.max'] = c.tasks > 0 ? most : null;
  const known = c.heldUs > 0;
  draft['callersGone.slotS'] = known ? c.goneUs / 1e6 : null;
  draft['callersGone.afterS'] = known ? c.goneAfterUs / 1e6 : null;
  draft['callersGone.share'] = share(c.goneUs, c.heldUs);
}

type Lookup = (path: string) => Figure;

function distribution(get: Lookup, path: string): Distribution {
  return {
    n: get(`${path}.n`),
    mean: get(`${path}.mean`),
    p50: get(`${path}.p50`),
    p95: get(`${path}.p95`),
    p99: get(`${path}.p99`),
    max: get(`${path}.max`),
  };
}

function outcomesAt(get: Lookup, prefix: string): Pick<ClassResult, 'outcomes' | 'rates'> {
  const outcome = (name: keyof Outcomes) => get(`${prefix}outcomes.${name}`);
  return {
    outcomes: {
      offered: outcome('offered'),
      unsent: outcome('unsent'),
      undecided: outcome('undecided'),
      rejected: outcome('rejected'),
      admitted: outcome('admitted'),
      completed: outcome('completed'),
      failed: outcome('failed'),
      expired: outcome('expired'),
      abandoned: outcome('abandoned'),
      killed: outcome('killed'),
      censored: outcome('censored'),
      sloBreached: outcome('sloBreached'),
    },
    rates: {
      rejection: get(`${prefix}rates.rejection`),
      breach: get(`${prefix}rates.breach`),
      goodput: get(`${prefix}rates.goodput`),
    },
  };
}

function classAt(get: Lookup, name: string): ClassResult {
  const prefix = `byClass.${name}.`;
  return {
    ...outcomesAt(get, prefix),
    responseS: distribution(get, `${prefix}responseS`),
    waitS: distribution(get, `${prefix}waitS`),
    refusalS: distribution(get, `${prefix}refusalS`),
    heldS: distribution(get, `${prefix}heldS`),
  };
}

/** The nested parts of a result, from figures by path. */
export function partsOf(
  figures: Readonly<Record<string, Figure>>,
  classNames: readonly string[],
): FigureParts {
  const get: Lookup = (path) => figures[path] ?? null;
  const all = (section: string, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, get(`${section}.${name}`)]));
  const coded = (section: (typeof BY_CODE)[number]) => all(section, codesIn(figures, section));
  return {
    ...outcomesAt(get, ''),
    rejectedBy: coded('rejectedBy'),
    wouldReject: coded('wouldReject'),
    failedBy: coded('failedBy'),
    attempts: {
      total: get('attempts.total'),
      retries: get('attempts.retries'),
      amplification: get('attempts.amplification'),
      rejected: get('attempts.rejected'),
      transportRetries: get('attempts.transportRetries'),
    },
    responseS: distribution(get, 'responseS'),
    waitS: distribution(get, 'waitS'),
    serviceS: distribution(get, 'serviceS'),
    firstByteS: distribution(get, 'firstByteS'),
    ttftS: distribution(get, 'ttftS'),
    firstContentS: distribution(get, 'firstContentS'),
    refusalS: distribution(get, 'refusalS'),
    utilization: { slots: get('utilization.slots'), busy: get('utilization.busy') },
    queueAgeS: {
      mean: get('queueAgeS.mean'),
      p99: get('queueAgeS.p99'),
      max: get('queueAgeS.max'),
    },
    tokens: {
      in: get('tokens.in'),
      out: get('tokens.out'),
      restarted: get('tokens.restarted'),
      wasted: get('tokens.wasted'),
      redone: get('tokens.redone'),
      worked: get('tokens.worked'),
      redoneShare: get('tokens.redoneShare'),
      wastedShare: get('tokens.wastedShare'),
    },
    preempts: get('preempts'),
    lostToPreempts: get('lostToPreempts'),
    preemptsPerTask: { mean: get('preemptsPerTask.mean'), max: get('preemptsPerTask.max') },
    callersGone: {
      slotS: get('callersGone.slotS'),
      afterS: get('callersGone.afterS'),
      share: get('callersGone.share'),
    },
    byClass: Object.fromEntries(classNames.map((name) => [name, classAt(get, name)])),
  };
}

function codesIn(figures: Readonly<Record<string, Figure>>, section: string): string[] {
  const start = `${section}.`;
  const paths = Object.keys(figures).filter((path) => path.startsWith(start));
  return paths.map((path) => path.slice(start.length)).sort();
}

/** The figures of a result of one run: the inverse of `partsOf`. A replicated figure gives its mean. */
export function figuresOf(parts: FigureParts): Figures {
  const draft: Draft = {};
  const sections: (keyof FigureParts)[] = [
    'outcomes',
    ...BY_CODE,
    'rates',
    'attempts',
    'responseS',
    'waitS',
    'serviceS',
    'firstByteS',
    'ttftS',
    'firstContentS',
    'refusalS',
    'utilization',
    'queueAgeS',
    'tokens',
    'preempts',
    'preemptsPerTask',
    'lostToPreempts',
    'callersGone',
    'byClass',
  ];
  for (const section of sections) flatten(draft, section, parts[section]);
  return draft;
}

function flatten(draft: Draft, path: string, value: unknown): void {
  if (typeof value === 'number' || value === null) draft[path] = value;
  else if (typeof value === 'object') {
    if ('band' in value && 'mean' in value) flatten(draft, path, value.mean);
    else
      for (const [name, inner] of Object.entries(value)) flatten(draft, `${path}.${name}`, inner);
  }
}
