/** A growing list of numbers in eight bytes each: a sweep folds millions of them. */
export class Samples {
  private values = new Float64Array(64);
  private count = 0;

  /** How many there are. */
  get n(): number {
    return this.count;
  }

  push(value: number): void {
    if (this.count === this.values.length) {
      const wider = new Float64Array(this.count * 2);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[this.count++] = value;
  }

  /** What is there now; a view, not a copy. */
  view(): Float64Array {
    return this.values.subarray(0, this.count);
  }
}

/** All the samples in one ascending array. Sorted once, read for every quantile. */
export function sortedTogether(parts: readonly Samples[]): Float64Array {
  const all = new Float64Array(parts.reduce((n, part) => n + part.n, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part.view(), offset);
    offset += part.n;
  }
  return all.sort();
}
