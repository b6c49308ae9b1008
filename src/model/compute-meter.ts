/** What the requests of one class have done: the integral of a whole number of them over whole microseconds. */
export class ClassMeter {
  private count = 0;
  private sinceUs = NaN;
  private requestUs = NaN;

  constructor(
    readonly name: string,
    /** Of a slot's compute, that one request uses. */
    public share: number,
    fromUs: number,
  ) {
    this.startOver(fromUs);
  }

  /** `by` 1: one request enters service; -1: one leaves. */
  change(by: 1 | -1, nowUs: number): void {
    this.requestUs += this.count * (nowUs - this.sinceUs);
    this.sinceUs = nowUs;
    this.count += by;
  }

  /** Slot-microseconds of compute since the last start. */
  totalUs(nowUs: number): number {
    return this.share * (this.requestUs + this.count * (nowUs - this.sinceUs));
  }

  startOver(nowUs: number): void {
    this.requestUs = 0;
    this.sinceUs = nowUs;
  }
}

/**
 * The integral of compute in service. Each class keeps its own, so the sum has no rounding but that
 * of the shares.
 */
export class ComputeMeter {
  private readonly classes: ClassMeter[] = [];
  private readonly byName = new Map<string, ClassMeter>();
  /** What was done under shares that have since been changed. */
  private settledUs = 0;
  private last: ClassMeter | undefined = undefined;

  constructor(private table: Readonly<Record<string, number>>) {}

  /** The meter of a class, made on first sight. Runs of one class are the rule. */
  of(name: string): ClassMeter {
    const { last } = this;
    return last !== undefined && last.name === name ? last : this.lookUp(name);
  }

  private lookUp(name: string): ClassMeter {
    this.last = this.byName.get(name) ?? this.add(name);
    return this.last;
  }

  private add(name: string): ClassMeter {
    const meter = new ClassMeter(name, this.shareOf(name), 0);
    this.byName.set(name, meter);
    this.classes.push(meter);
    return meter;
  }

  /** Slot-microseconds of compute done by `nowUs`. */
  totalUs(nowUs: number): number {
    let sum = this.settledUs;
    for (const each of this.classes) sum += each.totalUs(nowUs);
    return sum;
  }

  /** New shares hold from `nowUs` on; what was done stays as it was counted. */
  setShares(table: Readonly<Record<string, number>>, nowUs: number): void {
    this.settledUs = this.totalUs(nowUs);
    this.table = table;
    for (const each of this.classes) {
      each.share = this.shareOf(each.name);
      each.startOver(nowUs);
    }
  }

  private shareOf(name: string): number {
    return Object.hasOwn(this.table, name) ? (this.table[name] as number) : 1;
  }
}
