import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createAdmission } from '../../src/admission/admission.ts';
import type { Input, Policy } from '../../src/admission/types.ts';
import type { Numbered } from '../../src/ledger/codec.ts';
import { GateRows } from '../../src/ledger/gate-rows.ts';
import { checkGate, createRowLaws } from '../../src/ledger/laws.ts';
import type { GateHeader, GateLine } from '../../src/ledger/lines.ts';
import type { DecisionRow, LeaseRow, RowSink } from '../../src/ledger/rows.ts';
import { headerOf, S } from '../ledger/gate-of-a-run.ts';

interface Step {
  readonly pauseUs: number;
  readonly act: 'arrive' | 'release' | 'cancel' | 'kill' | 'progress' | 'preempted' | 'slots';
  readonly pick: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  pauseUs: fc.nat(2 * S),
  act: fc.constantFrom(
    'arrive',
    'arrive',
    'arrive',
    'release',
    'release',
    'cancel',
    'kill',
    'progress',
    'preempted',
    'slots',
  ),
  pick: fc.nat(1000),
});
const limit = fc.option(fc.integer({ min: 0, max: 5 * S }));
const longLimit = fc.option(fc.integer({ min: S, max: 9 * S }));
const depth = fc.option(fc.constantFrom(0, 1, 2));
const budget = fc.option(fc.constant(100));
const mode = fc.constantFrom<Policy['mode'][]>('enforce', 'shadow', 'admit-always');
const policy: fc.Arbitrary<Partial<Policy>> = fc.record({
  slots: fc.integer({ min: 1, max: 3 }),
  ageRejectUs: limit,
  maxWaitUs: limit,
  maxHoldUs: longLimit,
  depthMultiple: depth,
  taskBudgetTokens: budget,
  mode,
});

/** A driver that does only what it may: it releases what it holds. */
function drive(header: GateHeader, steps: readonly Step[]): Numbered<GateLine>[] {
  const admission = createAdmission(header.config);
  const lines: GateLine[] = [];
  let t = 0;
  for (const [id, { pauseUs, act, pick }] of steps.entries()) {
    t += pauseUs;
    if (admission.nextWakeUs() <= t) say({ type: 'tick' }, t);
    const leases = admission.leases();
    const held = leases[pick % Math.max(1, leases.length)]?.id ?? -1;
    if (act === 'arrive') say({ type: 'arrive', id, seq: id, attempt: 0, class: 'small' }, t);
    else if (act === 'slots') say({ type: 'configure', policy: { slots: 1 + (pick % 3) } }, t);
    else if (act === 'cancel') say({ type: 'cancel', id: pick % (id + 1) }, t);
    else if (held >= 0) say(onLease(act, held, pick), t);
  }
  return lines.map((line, i) => ({ number: i + 2, line }));

  function say(input: Input, at: number): void {
    lines.push({ t: at, in: input });
    for (const out of admission.apply(input, at)) lines.push({ t: at, out });
  }
}

function onLease(act: Step['act'], id: number, pick: number): Input {
  if (act === 'release') return { type: 'release', id, outcome: pick % 2 ? 'completed' : 'failed' };
  if (act === 'kill') return { type: 'kill', id };
  if (act === 'progress') return { type: 'progress', id, tokens: pick };
  return { type: 'preempted', id, promptTokens: 10, outputTokens: pick % 50, checkpointTokens: 0 };
}

function rowsOf(header: GateHeader, lines: readonly Numbered<GateLine>[]) {
  const laws = createRowLaws();
  const decisions: DecisionRow[] = [];
  const leases: LeaseRow[] = [];
  const sink: RowSink = {
    ...laws,
    decision: (row) => {
      decisions.push(row);
      laws.decision(row);
    },
    lease: (row) => {
      leases.push(row);
      laws.lease?.(row);
    },
  };
  const rows = new GateRows(header, 0, sink, () => null);
  for (const { line } of lines) rows.take(line);
  rows.end(1e9);
  return { decisions, leases, violations: laws.end(0) };
}

const withTags = (lines: readonly Numbered<GateLine>[], type: string) =>
  lines.filter(
    ({ line }) =>
      ('in' in line && line.in.type === type) || ('out' in line && line.out.type === type),
  );

it('keeps every law on the ledger of whatever a driver may do', async () => {
  const law = fc.asyncProperty(
    policy,
    fc.array(step, { maxLength: 60 }),
    async (changes, steps) => {
      const header = headerOf(changes);
      const lines = drive(header, steps);
      expect(await checkGate(header, lines)).toEqual([]);
    },
  );
  await fc.assert(law, { numRuns: 100 });
});

it('says one decision for each arrival and one lease for each grant', () => {
  const law = fc.property(policy, fc.array(step, { maxLength: 60 }), (changes, steps) => {
    const header = headerOf(changes);
    const lines = drive(header, steps);
    const { decisions, leases, violations } = rowsOf(header, lines);
    expect(violations).toEqual([]);
    expect(decisions).toHaveLength(withTags(lines, 'arrive').length);
    expect(leases).toHaveLength(withTags(lines, 'granted').length);
    for (const type of ['rejected', 'expired']) {
      const said = decisions.filter(({ decision }) => decision === type);
      expect(said).toHaveLength(withTags(lines, type).length);
    }
  });
  fc.assert(law, { numRuns: 100 });
});

it('notices an effect that was forged, left out or said twice', async () => {
  const arrivals = fc.array(step, { minLength: 10, maxLength: 40 });
  const law = fc.asyncProperty(
    arrivals,
    fc.nat(),
    fc.constantFrom('drop', 'twice'),
    async (steps, at, how) => {
      const header = headerOf({ slots: 1 });
      const lines = drive(header, steps);
      const outs = lines.filter(({ line }, i) => 'out' in line && i < lines.length - 1);
      const target = outs[at % Math.max(1, outs.length)];
      // What the last input should have said may have been cut off with the file.
      const lastIn = lines.findLast(({ line }) => 'in' in line);
      if (target === undefined || lastIn === undefined || target.number > lastIn.number) return;
      const forged = lines.flatMap((line) =>
        line !== target ? [line] : how === 'drop' ? [] : [line, line],
      );
      expect((await checkGate(header, forged)).length).toBeGreaterThan(0);
    },
  );
  await fc.assert(law, { numRuns: 100 });
});
