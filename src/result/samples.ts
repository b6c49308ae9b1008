/**
 * A growing list of numbers, which the platform keeps in eight bytes each. It costs nothing while
 * it is empty: the folds of a sweep have dozens of these, and most runs are short.
 */
export class Samples {
  private readonly values: number[] = [];

  /** How many there are. */
  get n(): number {
    return this.values.length;
  }

  push(value: number): void {
    this.values.push(value);
  }

  /** A copy, in the order in which they came. */
  toArray(): Float64Array {
    return new Float64Array(this.values);
  }

  /** Writes them into `target` from `offset` on. */
  copyTo(target: Float64Array, offset: number): void {
    target.set(this.values, offset);
  }
}

/** All the samples in one ascending array. Sorted once, read for every quantile. */
export function sortedTogether(parts: readonly Samples[]): Float64Array {
  const all = new Float64Array(parts.reduce((n, part) => n + part.n, 0));
  let offset = 0;
  for (const part of parts) {
    part.copyTo(all, offset);
    offset += part.n;
  }
  return all.sort();
}
