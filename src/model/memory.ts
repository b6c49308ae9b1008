import type { Requests, Run } from './requests.ts';
import { tokensAfter, workOfToken } from './token-work.ts';
import type { Preempts } from './types.ts';

type Blocks = Extract<Preempts, { type: 'memory' }>;

/**
 * Memory in blocks: a running request holds those of its prompt and of the tokens that it has
 * made. Use only grows between two changes of the running set, so the instant at which it runs
 * out is found by bisection, never by an event per token.
 */
export class Memory {
  /**
   * After an eviction new work starts only when something has left, or when everything fits to
   * its end. Else the victim would start at once and be evicted at the next token, again and again.
   */
  private tight = false;

  constructor(
    private readonly spec: Blocks,
    private readonly requests: Requests,
  ) {}

  /** Whether it could never be served, even alone. */
  isTooLarge(run: Run): boolean {
    return this.blocksAtEnd(run) > this.spec.blocks;
  }

  /** Blocks in use at this reading of the work clock. */
  used(work: number): number {
    const { requests } = this;
    let sum = 0;
    for (let run = requests.running.head; run !== undefined; run = run.after) {
      sum += this.blocksAt(run, work);
    }
    return sum;
  }

  share(work: number): number {
    return Math.min(1, this.used(work) / this.spec.blocks);
  }

  /** The oldest request always goes on, so that the model always gets somewhere. */
  mustEvict(work: number): boolean {
    return this.requests.running.length > 1 && this.used(work) > this.spec.blocks;
  }

  mayStart(run: Run, work: number): boolean {
    if (this.requests.running.length === 0) return true;
    if (this.tight) return this.usedAtEnd() + this.blocksAtEnd(run) <= this.spec.blocks;
    return this.used(work) + this.blocksBefore(run) <= this.spec.blocks;
  }

  evicted(): void {
    this.tight = true;
  }

  /** A request has left by itself or by its caller. */
  freed(): void {
    this.tight = false;
  }

  /**
   * The first whole microsecond in (nowUs, untilUs] at which blocks have run out; Infinity where
   * they have not by then. `workAt` is the work clock of the running set as it stands.
   */
  exhaustedUs(nowUs: number, untilUs: number, workAt: (us: number) => number): number {
    if (this.requests.running.length < 2) return Number.POSITIVE_INFINITY;
    if (this.mustEvict(workAt(nowUs))) return nowUs;
    let high = Math.min(untilUs, this.growthEndsUs(nowUs, workAt));
    if (!this.mustEvict(workAt(high))) return Number.POSITIVE_INFINITY;
    let low = nowUs;
    while (high - low > 1) {
      const middle = low + Math.floor((high - low) / 2);
      if (this.mustEvict(workAt(middle))) high = middle;
      else low = middle;
    }
    return high;
  }

  /** An instant by which every running request has made its last token. */
  private growthEndsUs(nowUs: number, workAt: (us: number) => number): number {
    const { requests } = this;
    let end = workAt(nowUs);
    for (let run = requests.running.head; run !== undefined; run = run.after) {
      const count = run.work.demand.outTokens - run.resumed;
      const first = run.firstWork;
      const last = workOfToken(count, first, run.gapWork);
      const grown = Number.isFinite(last) ? last : first;
      end = Math.max(end, run.startWork + grown);
    }
    const perUs = workAt(nowUs + 1) - workAt(nowUs);
    return nowUs + Math.ceil((end - workAt(nowUs)) / perUs) + 1;
  }

  private blocksAt(run: Run, work: number): number {
    const { firstWork, gapWork, resumed } = run;
    const { inTokens, outTokens } = run.work.demand;
    const made = tokensAfter(work - run.startWork, firstWork, gapWork, outTokens - resumed);
    return this.blocksFor(inTokens + resumed + made);
  }

  private blocksBefore({ work, resumed }: Run): number {
    return this.blocksFor(work.demand.inTokens + resumed);
  }

  private blocksAtEnd({ work }: Run): number {
    return this.blocksFor(work.demand.inTokens + work.demand.outTokens);
  }

  private usedAtEnd(): number {
    const { running } = this.requests;
    let sum = 0;
    for (let run = running.head; run !== undefined; run = run.after) sum += this.blocksAtEnd(run);
    return sum;
  }

  private blocksFor(tokens: number): number {
    return Math.ceil(tokens / this.spec.blockTokens);
  }
}
