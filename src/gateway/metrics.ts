/**
 * What a scrape of the gate shows. The runbooks' names stand as they are written there; the rest
 * has the prefix `loadline_`. Labels come from closed sets only (classes, codes), never from a
 * caller, and each exists from the start at 0 so that `rate()` has a series.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type AdmissionConfig, CODES, type Kind, queueAgeUs } from '../admission/types.ts';
import { msFromUs, sFromUs } from '../units.ts';
import type { Gate } from './gate.ts';

const SECONDS = [
  0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 30, 45, 60, 90, 120, 300, 600,
];

/** Why a request that had a slot did not end well, and why one left before it had any. */
export const FAILURES = [
  'connect',
  'reset',
  'truncated',
  'malformed',
  'timeout',
  'request',
  'in_stream',
  'status',
] as const;
export const GONE = ['queued', 'body', 'leased'] as const;
export const KILLS = ['max_hold', 'no_progress', 'operator'] as const;
const KINDS: readonly Kind[] = ['batch', 'interactive'];

export interface Live {
  readonly gate: Gate;
  readonly config: AdmissionConfig;
  /** Requests inside, from their arrival to the end of their answer. */
  inFlight(): number;
  /** Leases whose callers do not read. */
  slowReaders(): number;
  /** Share of capacity that computes; undefined: unknown. */
  busyRatio(): number | undefined;
  /** Share of the upstream's memory in use; undefined: unknown. */
  memoryRatio(): number | undefined;
  /** Most tokens that one task in flight has lost to preempts. */
  restartTokens(): number;
}

/** The instruments that are told; all others read the gate when scraped. */
export interface Metrics {
  readonly registry: Registry;
  readonly decisions: Counter<'decision' | 'reason'>;
  readonly wouldReject: Counter<'reason'>;
  readonly waitS: Histogram<'class'>;
  readonly turnaroundS: Histogram<'class'>;
  readonly outcomes: Counter<'class' | 'outcome'>;
  readonly failures: Counter<'kind'>;
  readonly clientGone: Counter<'phase'>;
  readonly killed: Counter<'reason'>;
  readonly preempts: Counter;
  readonly transportRetries: Counter;
  readonly retries: Counter;
  readonly tokenIn: Counter;
  readonly tokenOut: Counter;
}

/** Makes a registry of its own, so that two gates in one process do not meet. */
export function createMetrics(live: Live): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const classes = Object.keys(live.config.classes);
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Counter<T>({ name, help, labelNames: [...labelNames], registers });
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames: ['class'], buckets: SECONDS, registers });

  const metrics: Metrics = {
    registry,
    decisions: counter('loadline_decisions_total', 'Decisions on attempts, by reason', [
      'decision',
      'reason',
    ]),
    wouldReject: counter('loadline_would_reject_total', 'What a shadowed gate would have refused', [
      'reason',
    ]),
    waitS: histogram('loadline_wait_seconds', 'From the door to the slot, of the admitted'),
    turnaroundS: histogram(
      'loadline_turnaround_seconds',
      'From the door to the end, of the completed',
    ),
    outcomes: counter('loadline_requests_total', 'Attempts by how they ended', [
      'class',
      'outcome',
    ]),
    failures: counter('loadline_upstream_failures_total', 'Upstream failures by kind', ['kind']),
    clientGone: counter('loadline_client_gone_total', 'Callers that left, by where they stood', [
      'phase',
    ]),
    killed: counter('loadline_killed_total', 'Leases ended by the gate', ['reason']),
    preempts: counter('loadline_preempts_total', 'Slots that the upstream took back'),
    transportRetries: counter(
      'loadline_transport_retries_total',
      'Sent again because a reused connection was dead',
    ),
    retries: counter('retry_count', 'Attempts that said they were retries'),
    tokenIn: counter('token_in', 'Prompt tokens, where the upstream said them'),
    tokenOut: counter('token_out', 'Output tokens'),
  };
  createAtZero(metrics, classes);
  registerGauges(live, registers);
  return metrics;
}

const OUTCOMES = ['completed', 'failed', 'rejected', 'expired', 'abandoned', 'killed'] as const;

function createAtZero(metrics: Metrics, classes: readonly string[]): void {
  metrics.decisions.inc({ decision: 'admit', reason: 'none' }, 0);
  for (const reason of CODES) {
    metrics.decisions.inc({ decision: 'reject', reason }, 0);
    metrics.decisions.inc({ decision: 'expire', reason }, 0);
    metrics.wouldReject.inc({ reason }, 0);
  }
  for (const kind of FAILURES) metrics.failures.inc({ kind }, 0);
  for (const phase of GONE) metrics.clientGone.inc({ phase }, 0);
  for (const reason of KILLS) metrics.killed.inc({ reason }, 0);
  for (const name of classes) {
    metrics.waitS.zero({ class: name });
    metrics.turnaroundS.zero({ class: name });
    for (const outcome of OUTCOMES) metrics.outcomes.inc({ class: name, outcome }, 0);
  }
}

function registerGauges(live: Live, registers: Registry[]): void {
  const { admission, clock } = live.gate;
  const { view } = admission;
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const value = read();
        // What is unknown has no series: it is not 0.
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  new Gauge({
    name: 'lease_hold_seconds',
    help: 'Longest hold of a lease now',
    labelNames: ['lease_class'],
    registers,
    collect() {
      for (const kind of KINDS) {
        this.set({ lease_class: kind }, sFromUs(view.longestHoldUs(kind, clock.nowUs())));
      }
    },
  });
  const ageUs = () => queueAgeUs(view, clock.nowUs());
  const batch = Object.entries(live.config.classes).find(([, rules]) => rules.kind === 'batch');
  const deadlineUs = batch?.[1].deadlineUs ?? undefined;
  const batchName = batch?.[0];
  gauge('queue_age_seconds', 'Age of the oldest queued request', () => sFromUs(ageUs()));
  gauge('queue_age_ms', 'Age of the oldest queued request', () => msFromUs(ageUs()));
  gauge('deadline_slack_seconds', 'Deadline less age less expected compute', () =>
    maybe(sFromUs, view.slackUs(clock.nowUs())),
  );
  gauge('batch_deadline_seconds', 'Deadline of batch work', () => maybe(sFromUs, deadlineUs));
  gauge('deadline_ms', 'Deadline of batch work', () => maybe(msFromUs, deadlineUs));
  gauge('expected_compute_seconds', 'Expected compute of one batch request', () =>
    batchName === undefined ? undefined : sFromUs(view.expectedComputeUs(batchName)),
  );
  gauge(
    'task_budget',
    'Tokens that one task may cost',
    () => view.policy.taskBudgetTokens ?? undefined,
  );
  gauge(
    'restart_tokens',
    'Most tokens that one task in flight has lost to preempts',
    live.restartTokens,
  );
  gauge('cpu_busy_ratio', 'Share of upstream capacity that computes', live.busyRatio);
  gauge('loadline_upstream_memory_ratio', 'Memory in use upstream, 0 to 1', live.memoryRatio);
  new Gauge({
    name: 'loadline_signal_missing',
    help: '1: the upstream does not say it, which is not 0',
    labelNames: ['signal'],
    registers,
    collect() {
      this.set({ signal: 'cpu_busy' }, live.busyRatio() === undefined ? 1 : 0);
      this.set({ signal: 'memory' }, live.memoryRatio() === undefined ? 1 : 0);
    },
  });
  gauge('loadline_in_flight', 'Requests inside the gate', live.inFlight);
  gauge('loadline_leases', 'Slots that are out', () => view.leased);
  gauge('loadline_queue_depth', 'Requests that wait', () => view.queued);
  gauge('loadline_slots', 'Slots in the pool', () => view.policy.slots);
  gauge('loadline_slow_readers', 'Leases whose callers do not read', live.slowReaders);
  gauge('loadline_upstream_up', '0: the upstream cannot be reached', () =>
    view.policy.upstreamDown ? 0 : 1,
  );
}

function maybe(convert: (us: number) => number, us: number | undefined): number | undefined {
  return us === undefined ? undefined : convert(us);
}
