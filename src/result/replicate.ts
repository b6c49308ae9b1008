import { UserError } from '../errors.ts';
import { isByCode } from './figure.ts';
import { type Figures, figuresOf, partsOf } from './figures.ts';
import { Samples } from './samples.ts';
import { moments, quantileOf, student95 } from './statistics.ts';
import type { AgeBin, Figure, LossSplit, Replicated, Result } from './types.ts';

/** Takes the runs of one scenario one by one and keeps of each no more than its figures. */
export interface Replicator {
  /** One run, and its age bins where they are wanted. */
  add(figures: Figures, byQueueAge?: readonly AgeBin[]): void;
  readonly runs: number;
  /** Every figure over the runs so far. A figure that fewer than two runs have is null: it has no interval. */
  figures(): Readonly<Record<string, Figure>>;
  /** Means of the counts, pooled time averages. */
  byQueueAge(): AgeBin[];
  /** The result of all runs; what is not a figure is `first`'s, which is replication 0. */
  finish(first: Result): Result;
}

export function createReplicator(): Replicator {
  return new FigureReplicator();
}

/** Several runs of one scenario as one result. Throws on none. */
export function replicate(results: readonly Result[]): Result {
  const [first] = results;
  if (first === undefined) throw new UserError('replications: expected at least 1, got 0');
  const replicator = createReplicator();
  for (const result of results) replicator.add(figuresOf(result), result.byQueueAge);
  const lossSplit = replicatedLoss(results.map((result) => result.lossSplit));
  return { ...replicator.finish(first), lossSplit };
}

/** Mean, Student interval of the mean and band of the runs; null of fewer than two. */
export function replicated(values: Float64Array): Replicated | null {
  const { n, mean, variance } = moments(values);
  if (n < 2) return null;
  const half = student95(n - 1) * Math.sqrt(variance / n);
  const ascending = values.slice().sort();
  const band = [
    quantileOf(ascending, 0.025) ?? mean,
    quantileOf(ascending, 0.975) ?? mean,
  ] as const;
  return { mean, lo: mean - half, hi: mean + half, band };
}

class FigureReplicator implements Replicator {
  runs = 0;
  private readonly samples = new Map<string, Samples>();
  private pooled: AgeBin[] = [];
  private pooledRuns = 0;

  add(figures: Figures, byQueueAge?: readonly AgeBin[]): void {
    for (const path in figures) {
      const value = figures[path];
      if (value !== undefined) this.sample(path, value);
    }
    this.runs++;
    if (byQueueAge === undefined) return;
    this.pooled = poolBins(this.pooled, byQueueAge);
    this.pooledRuns++;
  }

  private sample(path: string, value: number | null): void {
    const samples = this.samples.get(path) ?? this.open(path);
    if (value !== null) samples.push(value);
  }

  /** A code that earlier runs did not have was there 0 times. */
  private open(path: string): Samples {
    const samples = new Samples();
    this.samples.set(path, samples);
    if (isByCode(path)) for (let run = 0; run < this.runs; run++) samples.push(0);
    return samples;
  }

  figures(): Readonly<Record<string, Figure>> {
    const all: Record<string, Figure> = {};
    for (const [path, samples] of this.samples) {
      while (isByCode(path) && samples.n < this.runs) samples.push(0);
      all[path] = replicated(samples.toArray());
    }
    return all;
  }

  byQueueAge(): AgeBin[] {
    const mean = (sum: number) => sum / this.pooledRuns;
    return this.pooled.map((bin) => ({
      ...bin,
      timeS: mean(bin.timeS),
      decisions: mean(bin.decisions),
      admitted: mean(bin.admitted),
      rejected: mean(bin.rejected),
      expired: mean(bin.expired),
      sloBreached: mean(bin.sloBreached),
    }));
  }

  finish(first: Result): Result {
    if (this.runs < 2) return first;
    return {
      ...first,
      replications: this.runs,
      ...partsOf(this.figures(), Object.keys(first.byClass)),
      byQueueAge: this.byQueueAge(),
    };
  }
}

function replicatedLoss(splits: readonly (LossSplit | null)[]): LossSplit | null {
  const names = ['threshold', 'capacity', 'holds', 'retries', 'upstream'] as const;
  if (splits.length < 2) return splits[0] ?? null;
  if (splits.includes(null)) return null;
  const of = (name: keyof LossSplit): Figure => {
    const values = splits.map((split) => split?.[name] ?? null);
    const numbers = values.filter((value) => typeof value === 'number');
    return replicated(Float64Array.from(numbers));
  };
  const [threshold, capacity, holds, retries, upstream] = names.map(of);
  return {
    threshold: threshold ?? null,
    capacity: capacity ?? null,
    holds: holds ?? null,
    retries: retries ?? null,
    upstream: upstream ?? null,
  };
}

/** Sums of counts and time, time-weighted averages. Widths double, so the wider of two holds whole bins of the other. */
export function poolBins(a: readonly AgeBin[], b: readonly AgeBin[]): AgeBin[] {
  const width = Math.max(widthOf(a), widthOf(b));
  const pooled: AgeBin[] = [];
  for (const bin of [...a, ...b]) {
    const empty = bin.toS === 0;
    const index = empty ? 0 : 1 + Math.floor(bin.fromS / width + 1e-9);
    const edges = empty ? { fromS: 0, toS: 0 } : { fromS: (index - 1) * width, toS: index * width };
    while (pooled.length < index) pooled.push(emptyBin(pooled.length, width));
    const into = pooled[index];
    pooled[index] = { ...(into === undefined ? bin : sumOf(into, bin)), ...edges };
  }
  return pooled;
}

function emptyBin(index: number, width: number): AgeBin {
  return {
    fromS: index === 0 ? 0 : (index - 1) * width,
    toS: index === 0 ? 0 : index * width,
    timeS: 0,
    decisions: 0,
    admitted: 0,
    rejected: 0,
    expired: 0,
    sloBreached: 0,
    slots: null,
    busy: null,
  };
}

function sumOf(a: AgeBin, b: AgeBin): AgeBin {
  return {
    fromS: a.fromS,
    toS: a.toS,
    timeS: a.timeS + b.timeS,
    decisions: a.decisions + b.decisions,
    admitted: a.admitted + b.admitted,
    rejected: a.rejected + b.rejected,
    expired: a.expired + b.expired,
    sloBreached: a.sloBreached + b.sloBreached,
    slots: weighted(a.slots, a.timeS, b.slots, b.timeS),
    busy: weighted(a.busy, a.timeS, b.busy, b.timeS),
  };
}

function weighted(a: number | null, ofA: number, b: number | null, ofB: number): number | null {
  if (a === null || ofA === 0) return b;
  if (b === null || ofB === 0) return a;
  return (a * ofA + b * ofB) / (ofA + ofB);
}

function widthOf(bins: readonly AgeBin[]): number {
  const [, first] = bins;
  return first === undefined ? 0 : (first.toS ?? 0) - first.fromS;
}
