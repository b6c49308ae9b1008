import type { LeaseRow, PreemptRow, RequestRow } from '../ledger/rows.ts';
import { sFromUs } from '../units.ts';
import { Messages } from './messages.ts';
import { Samples } from './samples.ts';
import { histogramOf, niceWidth, quantileOf } from './statistics.ts';
import type { Series } from './types.ts';

const MOST_LEASES = 200;
const MOST_PREEMPTS = 500;
const MOST_RETRIED = 20;
const HISTOGRAM_BINS = 50;
const WAIT_INTERVALS = 60;

type Lease = Series['leases'][number];
type Preempt = Series['preempts'][number];

/** By class, from the arrival of a request to the end of its work, in seconds; null: none. */
export type DeadlineOf = (className: string) => number | null;

/** What the charts need beyond figures, in bounded size. */
export class SeriesFold {
  private readonly arrivedUs = new Samples();
  private readonly waitUs = new Samples();
  private leases: Lease[] = [];
  private retried: Series['retried'][number][] = [];
  private readonly preempts: { readonly row: Omit<Preempt, 'taskSlackS'>; class: string }[] = [];
  /** When preempted requests arrived, by seq: told before the preempt or after it. */
  private readonly arrivedS = new Map<number, number>();
  private readonly messages = new Messages();

  constructor(private readonly deadlineOf: DeadlineOf) {}

  request(row: RequestRow): void {
    if (row.preempts > 0) this.arrivedS.set(row.seq, sFromUs(row.doorUs ?? row.intendedUs));
    if (row.attempts > 1) this.tryAgain(row);
    this.messages.take(row);
    if (row.waitUs === null) return;
    this.arrivedUs.push(row.intendedUs);
    this.waitUs.push(row.waitUs);
  }

  private tryAgain({ seq, class: name, attempts }: RequestRow): void {
    this.retried.push({ seq, class: name, retries: attempts - 1 });
    if (this.retried.length >= 8 * MOST_RETRIED) this.retried = mostRetried(this.retried);
  }

  lease(row: LeaseRow): void {
    this.leases.push({
      seq: row.seq,
      class: row.class,
      client: row.client,
      fromS: sFromUs(row.fromUs),
      toS: sFromUs(row.toUs),
      ended: row.ended,
      outTokens: row.outTokens,
      lastReadS: row.lastReadUs === null ? null : sFromUs(row.lastReadUs),
    });
    if (this.leases.length >= 8 * MOST_LEASES) this.leases = longestHeld(this.leases);
  }

  preempt(row: PreemptRow): void {
    if (this.preempts.length >= MOST_PREEMPTS) return;
    this.preempts.push({
      class: row.class,
      row: {
        tS: sFromUs(row.atUs),
        seq: row.seq,
        queueAgeS: sFromUs(row.queueAgeUs),
        slackS: row.slackUs === null ? null : sFromUs(row.slackUs),
        wastedTokens: row.wastedTokens,
        restartTokens: row.restartTokens,
        replayed: row.replayed,
      },
    });
  }

  /** @param responseUs, waitUs ascending, in microseconds */
  rows(responseUs: Float64Array, waitUs: Float64Array, durationS: number): Series {
    return {
      response: histogramOf(responseUs.map(sFromUs), HISTOGRAM_BINS),
      wait: histogramOf(waitUs.map(sFromUs), HISTOGRAM_BINS),
      waitOverTime: this.waitOverTime(durationS),
      leases: longestHeld(this.leases),
      retried: mostRetried(this.retried),
      messages: this.messages.rows(),
      preempts: this.preempts.map(({ row, class: name }) => ({
        ...row,
        taskSlackS: this.taskSlackS(row, name),
      })),
    };
  }

  private taskSlackS({ seq, tS }: Pick<Preempt, 'seq' | 'tS'>, className: string): number | null {
    const deadlineS = this.deadlineOf(className);
    const arrivedS = this.arrivedS.get(seq);
    if (deadlineS === null || arrivedS === undefined) return null;
    return deadlineS - (tS - arrivedS);
  }

  private waitOverTime(durationS: number): Series['waitOverTime'] {
    const widthS = niceWidth(durationS, WAIT_INTERVALS);
    const bins = new Map<number, Samples>();
    const waits = this.waitUs.toArray();
    for (const [i, arrivedUs] of this.arrivedUs.toArray().entries()) {
      const index = Math.floor(sFromUs(arrivedUs) / widthS);
      const bin = bins.get(index) ?? new Samples();
      bins.set(index, bin);
      bin.push(sFromUs(waits[i] ?? 0));
    }
    const inOrder = [...bins].sort(([a], [b]) => a - b);
    return inOrder.map(([index, bin]) => waitsOf(index * widthS, bin));
  }
}

function waitsOf(tS: number, bin: Samples): Series['waitOverTime'][number] {
  const ascending = bin.toArray().sort();
  const at = (p: number) => quantileOf(ascending, p) ?? 0;
  return { tS, p50: at(0.5), p95: at(0.95), max: at(1) };
}

function mostRetried(retried: readonly Series['retried'][number][]): Series['retried'][number][] {
  const most = [...retried].sort((a, b) => b.retries - a.retries || a.seq - b.seq);
  return most.slice(0, MOST_RETRIED);
}

function longestHeld(leases: readonly Lease[]): Lease[] {
  const held = (lease: Lease) => lease.toS - lease.fromS;
  return [...leases].sort((a, b) => held(b) - held(a) || a.seq - b.seq).slice(0, MOST_LEASES);
}
