import type { Arrival } from '../../arrivals/schedule.ts';
import type { DecisionRow, LeaseRow, RowSink } from '../../ledger/rows.ts';
import type { Scenario } from '../../scenario/types.ts';
import type { Facts } from './metrics.ts';

export interface Known {
  readonly arrival: Arrival;
  readonly facts: Facts;
}

/** At one instant, in this order: DESIGN.md §4. */
const ORDER = { end: 0, expire: 1, grant: 2, queue: 3, enter: 3, reject: 3 } as const;

interface Step extends Known {
  readonly atUs: number;
  readonly what: keyof typeof ORDER;
}

/**
 * The gate's queue and leases as its answers tell them: each says how long it waited, and what the
 * queue age was. Exact but for the time on the wire; the gate's own ledger is better evidence.
 */
export class GateEcho {
  /** Arrival at the door by sequence number, oldest first. */
  private readonly queue = new Map<number, { readonly atUs: number; readonly isBatch: boolean }>();
  private readonly doorAges = new Map<number, number>();
  private leased = 0;

  constructor(
    private readonly scenario: Scenario,
    private readonly sink: RowSink,
  ) {}

  /** Says state, decision and lease rows in order of time; gives the queue age at the door by sequence number. */
  play(known: readonly Known[]): ReadonlyMap<number, number> {
    const steps = known.flatMap(stepsOf).sort(inOrder);
    for (const step of steps) this.take(step);
    return this.doorAges;
  }

  private take(step: Step): void {
    const { seq } = step.arrival;
    switch (step.what) {
      case 'queue':
        this.door(step);
        this.queue.set(seq, { atUs: step.atUs, isBatch: this.isBatch(step) });
        break;
      case 'enter':
        this.door(step);
        this.grant(step);
        break;
      case 'grant':
        this.queue.delete(seq);
        this.grant(step);
        break;
      case 'expire':
        this.queue.delete(seq);
        this.decide(step, 'expired');
        break;
      case 'reject':
        this.door(step);
        this.decide(step, 'rejected');
        return;
      case 'end':
        this.leased--;
        this.sink.lease?.(leaseOf(step));
        break;
    }
    this.state(step.atUs);
  }

  private isBatch({ arrival }: Step): boolean {
    return this.scenario.classes[arrival.class]?.kind === 'batch';
  }

  private door({ arrival, facts, atUs }: Step): void {
    const [oldest] = this.queue.values();
    const drawn = oldest === undefined ? 0 : atUs - oldest.atUs;
    // What an expired request is told is the age at its end, not at the door.
    this.doorAges.set(arrival.seq, facts.outcome === 'expired' ? drawn : facts.queueAgeUs);
  }

  private grant(step: Step): void {
    this.leased++;
    this.decide(step, 'admitted');
  }

  private decide(step: Step, decision: DecisionRow['decision']): void {
    const { seq, class: name } = step.arrival;
    const ageUs = this.doorAges.get(seq) ?? 0;
    const code = decision === 'admitted' ? null : (step.facts.code as DecisionRow['code']);
    const row = { kind: 'decision', seq, attempt: 0, class: name, decision, code, ageUs } as const;
    this.sink.decision({ ...row, atUs: step.atUs });
  }

  private state(atUs: number): void {
    const [oldest] = this.queue.values();
    this.sink.state({
      kind: 'state',
      atUs,
      oldestUs: oldest?.atUs ?? -1,
      queued: this.queue.size,
      leased: this.leased,
      slots: this.scenario.gate.slots,
      slackUs: null,
      oldestBatchUs: this.oldestBatchUs(),
    });
  }

  private oldestBatchUs(): number {
    for (const { atUs, isBatch } of this.queue.values()) if (isBatch) return atUs;
    return -1;
  }
}

function stepsOf(known: Known): Step[] {
  const { outcome, queueAgeUs, waitUs, endUs } = known.facts;
  if (queueAgeUs < 0) return [];
  const doorUs = Math.max(known.facts.sentUs, 0);
  if (outcome === 'rejected') return [{ ...known, atUs: doorUs, what: 'reject' }];
  // What ends comes before what begins in the same instant, so an end is put after its own beginning.
  const queued = { ...known, atUs: doorUs, what: 'queue' } as const;
  if (outcome === 'expired')
    return [queued, { ...known, atUs: Math.max(endUs, doorUs + 1), what: 'expire' }];
  const grantUs = doorUs + Math.max(0, waitUs);
  const end = { ...known, atUs: Math.max(endUs, grantUs + 1), what: 'end' } as const;
  if (waitUs <= 0) return [{ ...known, atUs: doorUs, what: 'enter' }, end];
  return [queued, { ...known, atUs: grantUs, what: 'grant' }, end];
}

function inOrder(a: Step, b: Step): number {
  return a.atUs - b.atUs || ORDER[a.what] - ORDER[b.what] || a.arrival.seq - b.arrival.seq;
}

function leaseOf({ arrival, facts, atUs }: Step): LeaseRow {
  const { outcome, sentUs, waitUs, outTokens, endUs } = facts;
  const ended = outcome === 'completed' || outcome === 'killed' ? outcome : 'failed';
  return {
    kind: 'lease',
    seq: arrival.seq,
    class: arrival.class,
    client: null,
    fromUs: Math.min(atUs, sentUs + Math.max(0, waitUs)),
    toUs: atUs,
    ended,
    outTokens,
    lastReadUs: endUs,
  };
}
