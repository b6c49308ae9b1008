/**
 * The integral of compute in service. Each class keeps its own integral of a whole number of
 * requests over whole microseconds, so the sum has no rounding but that of the shares.
 */
export class ComputeMeter {
  private readonly names: string[] = [];
  private readonly indices = new Map<string, number>();
  private readonly shares: number[] = [];
  private readonly counts: number[] = [];
  private readonly sinceUs: number[] = [];
  private readonly requestUs: number[] = [];
  /** What was done under shares that have since been changed. */
  private settledUs = 0;
  private lastName = '';
  private lastIndex = -1;

  constructor(private table: Readonly<Record<string, number>>) {}

  /** The number of a class, given on first sight. Runs of one class are the rule. */
  classIndex(name: string): number {
    if (this.lastName !== name) {
      this.lastIndex = this.indexOf(name);
      this.lastName = name;
    }
    return this.lastIndex;
  }

  private indexOf(name: string): number {
    const known = this.indices.get(name);
    if (known !== undefined) return known;
    const index = this.names.length;
    this.indices.set(name, index);
    this.names.push(name);
    this.shares.push(this.shareOf(name));
    this.counts.push(0);
    this.sinceUs.push(0);
    this.requestUs.push(0);
    return index;
  }

  className(index: number): string {
    return this.names[index] as string;
  }

  share(index: number): number {
    return this.shares[index] as number;
  }

  /** `by` 1: one request of this class enters service; -1: one leaves. */
  change(index: number, by: 1 | -1, nowUs: number): void {
    const count = this.counts[index] as number;
    const since = this.sinceUs[index] as number;
    this.requestUs[index] = (this.requestUs[index] as number) + count * (nowUs - since);
    this.sinceUs[index] = nowUs;
    this.counts[index] = count + by;
  }

  /** Slot-microseconds of compute done by `nowUs`. */
  totalUs(nowUs: number): number {
    let sum = this.settledUs;
    for (let i = 0; i < this.shares.length; i++) {
      const open = (this.counts[i] as number) * (nowUs - (this.sinceUs[i] as number));
      sum += (this.shares[i] as number) * ((this.requestUs[i] as number) + open);
    }
    return sum;
  }

  /** New shares hold from `nowUs` on; what was done stays as it was counted. */
  setShares(table: Readonly<Record<string, number>>, nowUs: number): void {
    this.settledUs = this.totalUs(nowUs);
    this.table = table;
    for (const [name, index] of this.indices) {
      this.shares[index] = this.shareOf(name);
      this.requestUs[index] = 0;
      this.sinceUs[index] = nowUs;
    }
  }

  private shareOf(name: string): number {
    return Object.hasOwn(this.table, name) ? (this.table[name] as number) : 1;
  }
}
