/**
 * Our result from the summary that k6 makes at its end: counts and quantiles, no charts, because
 * k6 keeps no single request. `loadline import` makes the whole result, from `--out json`.
 * Runs in k6, so nothing here may need Node.
 */
import type {
  ClassResult,
  Distribution,
  Health,
  Outcomes,
  Rates,
  Result,
} from '../../result/types.ts';
import { traceNotes } from '../../scenario/trace-notes.ts';
import { type K6Outcome, METRICS, OUTCOMES } from './metrics.ts';
import type { Plan } from './plan.ts';

/** What k6 hands to `handleSummary`, as far as it is read. */
export interface SummaryData {
  readonly metrics: Readonly<
    Record<string, { readonly values: Readonly<Record<string, number>> } | undefined>
  >;
  readonly state?: { readonly testRunDurationMs?: number };
}

const NOTE =
  "from k6's own summary: no charts and no code of a refusal; import --out json for those";

export function resultOfSummary(plan: Plan, data: SummaryData): Result {
  const read = readerOf(data);
  const byClass: Record<string, ClassResult> = {};
  for (const name of Object.keys(plan.classes)) byClass[name] = classResult(read, name);
  const outcomes = outcomesOf(plan, read, Object.keys(plan.classes));
  const { durationS } = plan.scenario;
  return {
    schemaVersion: 1,
    engine: 'k6',
    scenario: { name: plan.name, digest: plan.scenarioDigest, resolved: plan.scenario },
    seed: plan.scenario.seed,
    replications: 1,
    timeScale: 1,
    schedule: {
      digest: plan.scheduleDigest,
      count: plan.count,
      ratePerS: plan.count / durationS,
    },
    health: healthOf(plan, read),
    outcomes,
    rejectedBy: {},
    wouldReject: {},
    failedBy: {},
    rates: ratesOf(plan, read, outcomes),
    lossSplit: null,
    attempts: {
      total: read.count(METRICS.sent),
      retries: 0,
      amplification: read.count(METRICS.sent) > 0 ? 1 : null,
      rejected: outcomes.rejected,
      transportRetries: 0,
    },
    responseS: distribution(read, METRICS.responseMs),
    waitS: distribution(read, METRICS.waitMs),
    serviceS: distribution(read, METRICS.serviceMs),
    ttftS: NO_TIMES,
    refusalS: distribution(read, METRICS.refusalMs),
    utilization: { slots: null, busy: null },
    queueAgeS: { mean: null, p99: null, max: seconds(read.value(METRICS.queueAgeMs, 'max')) },
    tokens: {
      in: read.count(METRICS.tokensIn),
      out: read.count(METRICS.tokensOut),
      restarted: 0,
      wasted: null,
      redone: null,
      worked: null,
      redoneShare: null,
      wastedShare: null,
    },
    preempts: null,
    lostToPreempts: null,
    preemptsPerTask: { mean: null, max: null },
    byClass,
    byQueueAge: [],
    timeline: [],
    series: {
      response: [],
      wait: [],
      waitOverTime: [],
      leases: [],
      preempts: [],
      retried: [],
      messages: [],
    },
    verdicts: [],
    environment: {
      target: 'endpoint',
      endpoint: plan.endpoint,
      model: plan.model,
      direct: false,
      loadline: plan.version,
      node: null,
      cpus: null,
      startedAt: null,
      notes: [NOTE, ...plan.notes, ...traceNotes(plan.scenario)],
    },
  };
}

interface Reader {
  value(metric: string, name: string): number | null;
  count(metric: string): number;
}

function readerOf({ metrics }: SummaryData): Reader {
  const value = (metric: string, name: string): number | null => {
    const found = metrics[metric]?.values[name];
    return found === undefined || !Number.isFinite(found) ? null : found;
  };
  return { value, count: (metric) => value(metric, 'count') ?? 0 };
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}

const NO_TIMES: Distribution = { n: 0, mean: null, p50: null, p95: null, p99: null, max: null };

function distribution(read: Reader, metric: string): Distribution {
  const n = read.count(metric);
  if (n === 0) return NO_TIMES;
  const at = (name: string) => seconds(read.value(metric, name));
  return { n, mean: at('avg'), p50: at('med'), p95: at('p(95)'), p99: at('p(99)'), max: at('max') };
}

function countOf(read: Reader, names: readonly string[], outcome: K6Outcome): number {
  let sum = 0;
  for (const name of names)
    sum += read.count(`${METRICS.requests}{class:${name},outcome:${outcome}}`);
  return sum;
}

/** Requests that were sent and did not end are censored; those that k6 never came to are unsent. */
function outcomesOf(plan: Plan, read: Reader, names: readonly string[]): Outcomes {
  const counts: Record<string, number> = {};
  for (const outcome of OUTCOMES) counts[outcome] = countOf(read, names, outcome);
  const of = (outcome: K6Outcome) => counts[outcome] ?? 0;
  const ended = read.count(METRICS.requests);
  const sent = read.count(METRICS.sent);
  const censored = Math.max(0, sent - ended);
  const admitted = of('completed') + of('failed') + of('expired') + of('killed') + censored;
  return {
    offered: plan.count,
    unsent: plan.count - Math.max(sent, ended),
    undecided: of('undecided'),
    rejected: of('rejected'),
    admitted,
    completed: of('completed'),
    failed: of('failed'),
    expired: of('expired'),
    abandoned: 0,
    killed: of('killed'),
    censored,
    sloBreached: breached(read),
  };
}

/** k6 keeps of a rate how many were true. */
function breached(read: Reader): number {
  return read.value(METRICS.breach, 'passes') ?? 0;
}

function ratesOf(plan: Plan, read: Reader, { rejected, expired }: Outcomes): Rates {
  const turnedAway = Number(rejected) + Number(expired);
  const inTime = read.value(METRICS.goodput, 'passes') ?? 0;
  return {
    rejection: plan.count === 0 ? null : turnedAway / plan.count,
    breach: read.value(METRICS.breach, 'rate'),
    goodput: plan.count === 0 ? null : inTime / plan.count,
  };
}

/** What a class can be told from k6's summary: its counts. */
function classResult(read: Reader, name: string): ClassResult {
  const of = (outcome: K6Outcome) => countOf(read, [name], outcome);
  const counts = {
    undecided: of('undecided'),
    rejected: of('rejected'),
    completed: of('completed'),
    failed: of('failed'),
    expired: of('expired'),
    killed: of('killed'),
  };
  const { undecided, rejected, completed, failed, expired, killed } = counts;
  const admitted = completed + failed + expired + killed;
  const offered = admitted + rejected + undecided;
  return {
    outcomes: {
      ...counts,
      offered,
      admitted,
      unsent: 0,
      abandoned: 0,
      censored: 0,
      sloBreached: null,
    },
    rates: {
      rejection: offered === 0 ? null : (rejected + expired) / offered,
      breach: null,
      goodput: null,
    },
    responseS: NO_TIMES,
    waitS: NO_TIMES,
    refusalS: NO_TIMES,
    heldS: NO_TIMES,
  };
}

/** By the same rules as a live run, as far as the summary goes. */
function healthOf(plan: Plan, read: Reader): Health {
  const at = (name: string) => read.value(METRICS.latenessMs, name);
  const p99 = at('p(99)');
  const sent = read.count(METRICS.sent);
  const notes: string[] = [];
  if (sent < plan.count)
    notes.push(`${plan.count - sent} of ${plan.count} requests were never sent`);
  if (p99 !== null && p99 > plan.latenessLimitMs) {
    notes.push(
      `1 % were sent over ${Math.round(p99)} ms late; ${plan.latenessLimitMs} ms allowed: more VUs`,
    );
  }
  const { durationS } = plan.scenario;
  return {
    status: notes.length > 0 ? 'generator-limited' : 'ok',
    notes,
    requestedRate: plan.count / durationS,
    achievedRate: sent / durationS,
    peakPer100ms: { intended: 0, sent: 0 },
    latenessMs: p99 === null ? null : { p50: at('med') ?? 0, p99, max: at('max') ?? 0 },
    eventLoopP99Ms: null,
    gapScv: null,
  };
}

/** What k6 prints at its end. */
export function summaryText({
  scenario,
  schedule,
  health,
  outcomes,
  responseS,
  waitS,
}: Result): string {
  const late = health.latenessMs;
  const lines = [
    `${scenario.name}: ${schedule.count} arrivals, schedule ${schedule.digest.slice(0, 12)}`,
    `completed ${outcomes.completed}, rejected ${outcomes.rejected}, expired ${outcomes.expired}, failed ${outcomes.failed}, late ${outcomes.sloBreached}`,
    `response p50 ${responseS.p50} s, p99 ${responseS.p99} s; wait p99 ${waitS.p99} s`,
    `lateness p99 ${late === null ? 'unknown' : `${late.p99.toFixed(1)} ms`}: ${health.status}`,
    ...health.notes,
  ];
  return `\n${lines.join('\n')}\n\n`;
}
