/**
 * The laws of DESIGN.md §4 as they can be seen in what a run left behind: its rows, its gate's
 * ledger, its schedule. A break of one is a fault of loadline, never of the user.
 */

import type { Numbered } from './codec.ts';
import { type Offered, scheduleDigest } from './digest.ts';
import { GateLaws } from './gate-laws.ts';
import type { GateHeader, GateLine } from './lines.ts';
import { type Difference, gateReplay } from './replay.ts';
import type { DecisionRow, LeaseRow, RequestRow, RowSink, StateRow } from './rows.ts';

/** By number, in the words of the design. */
export const LAWS = {
  1: 'every request is in exactly one bucket',
  2: 'leases never exceed slots',
  3: 'a lease is released exactly once',
  4: 'first in, first out within a class',
  5: 'same inputs, same effects',
  6: 'same seed, same digest in every engine',
  7: 'a refusal has one reason and is counted once',
  8: 'a refused, failed or unsent request is in no latency figure',
  9: 'a simulation ends',
} as const;

export interface Violation {
  readonly law: keyof typeof LAWS;
  readonly name: string;
  /** Where and what: a line, a request, the numbers. */
  readonly evidence: string;
}

/** More than this of one law say nothing new. */
const MOST_OF_A_LAW = 20;

/** Gathers violations; the first of each law are kept. */
export class Violations {
  readonly found: Violation[] = [];
  private readonly counts = new Map<Violation['law'], number>();

  add(law: Violation['law'], evidence: string): void {
    const count = (this.counts.get(law) ?? 0) + 1;
    this.counts.set(law, count);
    if (count <= MOST_OF_A_LAW) this.found.push({ law, name: LAWS[law], evidence });
  }
}

/**
 * Laws 2, 3, 4, 5 and 7 on the ledger of a gate.
 * @param whole its gate had the time to write all of it: the effects of the last input count too
 */
export async function checkGate(
  header: GateHeader,
  lines: AsyncIterable<Numbered<GateLine>> | Iterable<Numbered<GateLine>>,
  { whole = false }: { whole?: boolean } = {},
): Promise<Violation[]> {
  const violations = new Violations();
  const laws = new GateLaws(header, violations);
  const replay = gateReplay(header);
  let found: Difference | null = null;
  for await (const { number, line } of lines) {
    laws.take(number, line);
    found ??= replay.take(number, line);
  }
  if (whole) found ??= replay.end();
  if (found !== null) violations.add(5, `line ${found.line}: ${differenceText(found)}`);
  return violations.found;
}

export function differenceText({ recorded, replayed, error }: Difference): string {
  return error ?? `recorded ${JSON.stringify(recorded)}, replayed ${JSON.stringify(replayed)}`;
}

/** Law 6: the arrivals are the ones that the digest was made of. */
export function checkDigest(arrivals: readonly Offered[], digest: string): Violation[] {
  const own = scheduleDigest({ arrivals });
  const violations = new Violations();
  if (own !== digest) violations.add(6, `schedule has digest ${own}, the run says ${digest}`);
  return violations.found;
}

/** A sink beside the fold that watches laws 1, 2, 3 and 7 on the rows of a run. */
export interface RowLaws extends RowSink {
  /** @param offered how many arrivals the schedule has */
  end(offered: number): Violation[];
}

const TURNED_AWAY: ReadonlySet<string> = new Set(['rejected', 'expired']);

export function createRowLaws(): RowLaws {
  const violations = new Violations();
  const seen = new Set<number>();
  const decided = new Set<string>();
  const leasedUntil = new Map<number, number>();
  let leasedBefore = 0;

  function request(row: RequestRow): void {
    if (seen.has(row.seq)) violations.add(1, `request ${row.seq} ended twice`);
    seen.add(row.seq);
    if (row.endUs < row.intendedUs) violations.add(1, `request ${row.seq} ended before it arrived`);
    if (TURNED_AWAY.has(row.outcome) && row.code === null) {
      violations.add(7, `request ${row.seq} was ${row.outcome} without a code`);
    }
  }

  function state({ atUs, leased, slots }: StateRow): void {
    // After a cut in slots there may be too many; there may not be more than there were.
    if (leased > slots && leased > leasedBefore) {
      violations.add(2, `${leased} leases of ${slots} slots at ${atUs} us`);
    }
    leasedBefore = leased;
  }

  function decision(row: DecisionRow): void {
    const key = `${row.seq}.${row.attempt}`;
    if (decided.has(key)) violations.add(7, `attempt ${key} was decided twice`);
    decided.add(key);
    if (TURNED_AWAY.has(row.decision) !== (row.code !== null)) {
      violations.add(7, `attempt ${key} was ${row.decision} with code ${row.code}`);
    }
  }

  function lease({ seq, fromUs, toUs }: LeaseRow): void {
    const before = leasedUntil.get(seq) ?? -1;
    if (fromUs < before) violations.add(3, `request ${seq} held two leases at ${fromUs} us`);
    if (toUs < fromUs)
      violations.add(3, `request ${seq} gave back at ${toUs} us what it got later`);
    leasedUntil.set(seq, toUs);
  }

  function end(offered: number): Violation[] {
    if (seen.size !== offered)
      violations.add(1, `${offered} arrivals, ${seen.size} requests ended`);
    return violations.found;
  }

  return { request, state, decision, lease, end, busy: () => {}, preempt: () => {} };
}
