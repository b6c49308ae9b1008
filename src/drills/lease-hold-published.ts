/**
 * Runbook 000's drill as it was published, faults included: a batch job that is dequeued is never
 * put back on the pending list, so it never ends and its slot never comes free, and the slack that
 * the rule looks at never falls below 290 s. Kept as a function of its own so that what the text
 * claims can be set beside what its script prints.
 */

const BATCH_DEADLINE_S = 480;
const MAX_LEASES = 2;
const INTERACTIVE_HOLD_S = 180;
const BATCH_COMPUTE_S = 25;
const SLACK_REJECT_S = 90;
const ARRIVALS_S: readonly number[] = [5, 10, 15, 22, 30, 40];
const LENGTH_S = 220;

type Kind = 'interactive' | 'batch';

/** One line of the script's log, in its own field names. */
export type PublishedRow =
  | { t: number; event: 'lease'; cls: Kind; job: string; hold_slots: number }
  | { t: number; event: 'enqueue_batch'; job: string; q: number }
  | { t: number; event: 'dequeue_batch'; job: string; age: number; slack: number }
  | { t: number; event: 'reject_interactive'; job: string; slack: number }
  | { t: number; event: 'reject_interactive_full'; job: string };

interface Job {
  readonly id: string;
  readonly atS: number;
}

class Pool {
  private leases: string[] = [];
  private readonly queue: Job[] = [];
  readonly log: PublishedRow[] = [];

  constructor(private readonly rejectInteractive: boolean) {}

  admit(cls: Kind, job: string, t: number): boolean {
    const slack = this.slackS(t);
    if (cls === 'interactive' && this.rejectInteractive && slack < SLACK_REJECT_S) {
      this.log.push({ t, event: 'reject_interactive', job, slack: tenths(slack) });
      return false;
    }
    if (this.leases.length >= MAX_LEASES) {
      this.turnAway(cls, job, t);
      return false;
    }
    this.leases.push(job);
    this.log.push({ t, event: 'lease', cls, job, hold_slots: this.leases.length });
    return true;
  }

  release(job: string, t: number): void {
    this.leases = this.leases.filter((held) => held !== job);
    while (this.leases.length < MAX_LEASES) {
      const next = this.queue.shift();
      if (next === undefined) return;
      const age = t - next.atS;
      this.leases.push(next.id);
      const slack = tenths(BATCH_DEADLINE_S - age - BATCH_COMPUTE_S);
      this.log.push({ t, event: 'dequeue_batch', job: next.id, age: tenths(age), slack });
    }
  }

  private turnAway(cls: Kind, job: string, t: number): void {
    if (cls === 'interactive') {
      this.log.push({ t, event: 'reject_interactive_full', job });
      return;
    }
    this.queue.push({ id: job, atS: t });
    this.log.push({ t, event: 'enqueue_batch', job, q: this.queue.length });
  }

  private slackS(nowS: number): number {
    const oldest = this.queue[0];
    if (oldest === undefined) return BATCH_DEADLINE_S;
    return BATCH_DEADLINE_S - (nowS - oldest.atS) - BATCH_COMPUTE_S;
  }
}

/** The log that the published script prints with DRILL_MODE=reject (the default) or admit. */
export function publishedLeaseHold(mode: 'reject' | 'admit'): PublishedRow[] {
  const pool = new Pool(mode === 'reject');
  const pending = new Map<string, number>();
  for (let t = 0; t < LENGTH_S; t++) {
    arrive(pool, pending, mode, t);
    for (const [job, endS] of [...pending]) {
      if (endS > t) continue;
      pending.delete(job);
      pool.release(job, t);
    }
    if (t === INTERACTIVE_HOLD_S) pool.release('dbg-1', t);
    if (t === INTERACTIVE_HOLD_S + 5 && mode === 'admit') pool.release('dbg-2', t);
  }
  return pool.log;
}

/** Only a job that gets a slot at once is put on the list of what will end: the script's fault. */
function arrive(pool: Pool, pending: Map<string, number>, mode: 'reject' | 'admit', t: number) {
  if (t === 0) pool.admit('interactive', 'dbg-1', t);
  if (t === 8 && mode === 'admit') pool.admit('interactive', 'dbg-2', t);
  if (!ARRIVALS_S.includes(t)) return;
  if (pool.admit('batch', `b-${t}`, t)) pending.set(`b-${t}`, t + BATCH_COMPUTE_S);
}

/** The script's own summary of a log. */
export function publishedSummary(log: readonly PublishedRow[]): {
  readonly dequeued: number;
  readonly maxAgeS: number;
  readonly rejects: number;
} {
  const ages = log.flatMap((row) => (row.event === 'dequeue_batch' ? [row.age] : []));
  const rejects = log.filter(({ event }) => event.startsWith('reject')).length;
  return { dequeued: ages.length, maxAgeS: Math.max(0, ...ages), rejects };
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
