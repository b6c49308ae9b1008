import { msFromUs } from '../../units.ts';

/** How late requests go out, for whoever watches the run; the result reads the ledger. */
export interface Lateness {
  add(lateUs: number): void;
  /** Of the last few hundred; null before the first. */
  p99Ms(): number | null;
}

const RECENT = 500;

export function createLateness(): Lateness {
  const recent: number[] = [];
  let count = 0;
  return {
    add(lateUs) {
      recent[count++ % RECENT] = lateUs;
    },
    p99Ms() {
      const ascending = [...recent].sort((a, b) => a - b);
      const value = ascending[Math.ceil(0.99 * ascending.length) - 1];
      return value === undefined ? null : msFromUs(value);
    },
  };
}
