import type { Requests } from './requests.ts';
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
  isTooLarge(slot: number): boolean {
    return this.blocksAtEnd(slot) > this.spec.blocks;
  }

  /** Blocks in use at this reading of the work clock. */
  used(work: number): number {
    const { requests } = this;
    let sum = 0;
    for (let s = requests.running.head; s >= 0; s = requests.after(s)) {
      sum += this.blocksAt(s, work);
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

  mayStart(slot: number, work: number): boolean {
    if (this.requests.running.length === 0) return true;
    if (this.tight) return this.usedAtEnd() + this.blocksAtEnd(slot) <= this.spec.blocks;
    return this.used(work) + this.blocksBefore(slot) <= this.spec.blocks;
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
    for (let s = requests.running.head; s >= 0; s = requests.after(s)) {
      const count = (requests.outTokens[s] as number) - (requests.resumed[s] as number);
      const first = requests.firstWork[s] as number;
      const last = workOfToken(count, first, requests.gapWork[s] as number);
      const grown = Number.isFinite(last) ? last : first;
      end = Math.max(end, (requests.startWork[s] as number) + grown);
    }
    const perUs = workAt(nowUs + 1) - workAt(nowUs);
    return nowUs + Math.ceil((end - workAt(nowUs)) / perUs) + 1;
  }

  private blocksAt(slot: number, work: number): number {
    const { requests } = this;
    const resumed = requests.resumed[slot] as number;
    const made = tokensAfter(
      work - (requests.startWork[slot] as number),
      requests.firstWork[slot] as number,
      requests.gapWork[slot] as number,
      (requests.outTokens[slot] as number) - resumed,
    );
    return this.blocksFor((requests.inTokens[slot] as number) + resumed + made);
  }

  private blocksBefore(slot: number): number {
    const { inTokens, resumed } = this.requests;
    return this.blocksFor((inTokens[slot] as number) + (resumed[slot] as number));
  }

  private blocksAtEnd(slot: number): number {
    const { inTokens, outTokens } = this.requests;
    return this.blocksFor((inTokens[slot] as number) + (outTokens[slot] as number));
  }

  private usedAtEnd(): number {
    const { requests } = this;
    let sum = 0;
    for (let s = requests.running.head; s >= 0; s = requests.after(s)) sum += this.blocksAtEnd(s);
    return sum;
  }

  private blocksFor(tokens: number): number {
    return Math.ceil(tokens / this.spec.blockTokens);
  }
}
