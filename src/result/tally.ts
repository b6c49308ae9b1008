import type { RequestRow } from '../ledger/rows.ts';
import { goneUs } from './callers-gone.ts';
import { Samples } from './samples.ts';

type Outcome = RequestRow['outcome'];

/** What is counted of requests. Plain numbers, so that classes add up. */
export type Counts = Record<
  | Outcome
  | 'inTime'
  | 'sloBreached'
  | 'censoredLate'
  | 'attempts'
  | 'sent'
  | 'transportRetries'
  | 'inTokens'
  | 'outTokens'
  | 'restartTokens'
  | 'workedTokens'
  | 'deadTokens'
  | 'tasks'
  | 'heldUs'
  | 'goneUs'
  | 'goneAfterUs'
  | 'preempts'
  | 'lostToPreempts',
  number
>;

/** The times that are kept of requests, in microseconds. */
export const TIMES = [
  'response',
  'service',
  'firstByte',
  'ttft',
  'firstContent',
  'wait',
  'refusal',
  'held',
] as const;
export type Time = (typeof TIMES)[number];

export function noCounts(): Counts {
  return {
    unsent: 0,
    undecided: 0,
    rejected: 0,
    completed: 0,
    failed: 0,
    expired: 0,
    abandoned: 0,
    killed: 0,
    censored: 0,
    inTime: 0,
    sloBreached: 0,
    censoredLate: 0,
    attempts: 0,
    sent: 0,
    transportRetries: 0,
    inTokens: 0,
    outTokens: 0,
    restartTokens: 0,
    workedTokens: 0,
    deadTokens: 0,
    tasks: 0,
    heldUs: 0,
    goneUs: 0,
    goneAfterUs: 0,
    preempts: 0,
    lostToPreempts: 0,
  };
}

/** Outcomes whose waiting may stand in a latency figure: law 8 keeps the others out. */
const WAITED: ReadonlySet<Outcome> = new Set(['completed', 'abandoned', 'killed', 'censored']);
const DIED: ReadonlySet<Outcome> = new Set(['failed', 'killed', 'abandoned', 'undecided']);
/** Failures at a restart: their tokens are in the row of the preempt. */
const AT_RESTART: ReadonlySet<string | null> = new Set([
  'slack_zero',
  'task_age',
  'preempt_budget',
  'restart_tokens',
  'draining',
  'upstream_down',
]);

/** Everything that the figures need of the requests of one class. */
export class Tally {
  readonly counts = noCounts();
  /** Of one request. */
  mostPreempts = 0;
  readonly times: Record<Time, Samples> = {
    response: new Samples(),
    service: new Samples(),
    firstByte: new Samples(),
    ttft: new Samples(),
    firstContent: new Samples(),
    wait: new Samples(),
    refusal: new Samples(),
    held: new Samples(),
  };

  constructor(private readonly sloUs: number) {}

  /** Whether the SLO was missed: too late, failed, killed, or censored when it was too late already. */
  breaches(row: RequestRow): boolean {
    if (row.outcome === 'failed' || row.outcome === 'killed') return true;
    if (row.outcome !== 'completed' && row.outcome !== 'censored') return false;
    return row.endUs - row.intendedUs > this.sloUs;
  }

  add(row: RequestRow): void {
    this.count(row, this.breaches(row));
    this.time(row);
  }

  private count(row: RequestRow, breached: boolean): void {
    const counts = this.counts;
    counts[row.outcome]++;
    if (breached) counts.sloBreached++;
    if (breached && row.outcome === 'censored') counts.censoredLate++;
    if (!breached && row.outcome === 'completed') counts.inTime++;
    if (row.sentUs !== null) counts.sent++;
    counts.attempts += row.attempts;
    counts.transportRetries += row.transportRetries ?? 0;
    if (row.waitUs !== null || row.outcome === 'completed') counts.inTokens += row.inTokens;
    counts.outTokens += row.outTokens;
    this.countRestarts(row);
    if (isDead(row, breached)) counts.deadTokens += row.outTokens;
  }

  private countRestarts(row: RequestRow): void {
    const counts = this.counts;
    counts.preempts += row.preempts;
    const wasPreempted = row.preempts > 0 || row.code === 'preempted';
    if (wasPreempted && row.outcome === 'failed') counts.lostToPreempts++;
    counts.restartTokens += row.restartTokens;
    if (row.preempts > this.mostPreempts) this.mostPreempts = row.preempts;
    if (row.waitUs === null && row.outcome !== 'completed' && row.preempts === 0) return;
    counts.tasks++;
    counts.workedTokens += row.inTokens;
    if (!failedAtRestart(row)) counts.workedTokens += row.outTokens;
  }

  private time(row: RequestRow): void {
    const { outcome } = row;
    if (row.waitUs !== null && WAITED.has(outcome)) this.times.wait.push(row.waitUs);
    if (row.heldUs !== null) this.timeHeld(row, row.heldUs);
    if (outcome === 'completed') this.timeCompleted(row);
    else if (outcome === 'rejected' || outcome === 'expired') this.times.refusal.push(keptUs(row));
  }

  private timeHeld(row: RequestRow, heldUs: number): void {
    const { counts } = this;
    const { slotUs, afterUs } = goneUs(row);
    this.times.held.push(heldUs);
    counts.heldUs += heldUs;
    counts.goneUs += slotUs;
    counts.goneAfterUs += afterUs;
  }

  private timeCompleted(row: RequestRow): void {
    this.times.response.push(row.endUs - row.intendedUs);
    if (row.sentUs !== null) this.times.service.push(row.endUs - row.sentUs);
    if (row.firstTokenUs !== null) this.times.ttft.push(row.firstTokenUs - row.intendedUs);
    if (row.firstContentUs !== undefined) this.timeWire(row, row.firstContentUs);
  }

  /** When an answer began and when its reader saw something; a simulation has the first token alone. */
  private timeWire({ firstByteUs, intendedUs }: RequestRow, firstContentUs: number | null): void {
    if (firstByteUs !== null) this.times.firstByte.push(firstByteUs - intendedUs);
    if (firstContentUs !== null) this.times.firstContent.push(firstContentUs - intendedUs);
  }
}

/** Whether the tokens of the last attempt were made for nothing: too late, or for nobody. */
function isDead(row: RequestRow, breached: boolean): boolean {
  if (row.outcome === 'failed') return !failedAtRestart(row);
  return breached || DIED.has(row.outcome);
}

function failedAtRestart({ outcome, code }: RequestRow): boolean {
  return outcome === 'failed' && AT_RESTART.has(code);
}

/** How long the turned-away try was kept; earlier tries and the pauses between them are not the gate's. */
function keptUs(row: RequestRow): number {
  const sentUs = row.sentUs ?? row.intendedUs;
  return row.endUs - (row.attempts > 1 ? (row.doorUs ?? sentUs) : sentUs);
}

/** The sum of several classes. */
export function addCounts(parts: readonly Counts[]): Counts {
  const sum = noCounts();
  for (const part of parts) {
    for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += part[name];
  }
  return sum;
}
