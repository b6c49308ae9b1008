import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GateOrder, ScriptStep } from '../../src/engine/sim/script.ts';
import { simulate } from '../../src/engine/sim.ts';
import type { LeaseRow, RequestRow, StateRow } from '../../src/ledger/rows.ts';
import { parseScenario } from '../../src/scenario/schema.ts';
import type { ClassSpec, Gate, Scenario } from '../../src/scenario/types.ts';
import { usFromS } from '../../src/units.ts';

const LENGTH_S = 60;
const instant = fc.nat({ max: LENGTH_S - 1 });
const instants = fc.array(instant, { minLength: 1, maxLength: 5 });

/** Callers of three kinds: batch that tries again, sessions that hold and hang up, and impatient ones. */
const BASE = parseScenario({
  name: 'any',
  durationS: LENGTH_S,
  classes: {
    batch: {
      arrivals: { process: 'at', atS: [] },
      priority: 1,
      deadlineS: 40,
      service: { fixed: 5 },
      retry: { max: 2, baseS: 1, budget: null },
    },
    session: {
      kind: 'interactive',
      arrivals: { process: 'at', atS: [] },
      hold: { fixed: 1 },
      service: { fixed: 45 },
    },
    hasty: {
      kind: 'interactive',
      arrivals: { process: 'at', atS: [] },
      mayQueue: true,
      patience: { fixed: 1 },
      service: { fixed: 4 },
    },
  },
});

interface Crowd {
  readonly batch: readonly number[];
  readonly session: readonly number[];
  readonly hasty: readonly number[];
  readonly holdS: number;
  readonly mayQueue: boolean;
  readonly patienceS: number;
}

const crowd: fc.Arbitrary<Crowd> = fc.record({
  batch: instants,
  session: instants,
  hasty: instants,
  holdS: fc.integer({ min: 1, max: 40 }),
  mayQueue: fc.boolean(),
  patienceS: fc.integer({ min: 1, max: 9 }),
});

const gate = fc.record({
  slots: fc.integer({ min: 1, max: 3 }),
  slackRejectS: fc.option(fc.integer({ min: 0, max: 30 })),
  holdRejectS: fc.nat({ max: 10 }),
  slackAdmitS: fc.constant(32),
  interactiveCap: fc.option(fc.integer({ min: 1, max: 2 })),
  retryBudget: fc.option(fc.nat({ max: 2 })),
  killWindowS: fc.option(fc.integer({ min: 3, max: 20 })),
  maxHoldS: fc.option(fc.integer({ min: 5, max: 30 })),
});

function scenarioOf(
  { batch, session, hasty, holdS, mayQueue, patienceS }: Crowd,
  rules: Partial<Gate>,
): Scenario {
  const at = (atS: readonly number[]) => ({
    process: 'at' as const,
    atS: [...atS].sort((a, b) => a - b),
  });
  const spec = (name: string) => BASE.classes[name] as ClassSpec;
  return {
    ...BASE,
    gate: { ...BASE.gate, ...rules },
    classes: {
      batch: { ...spec('batch'), arrivals: at(batch) },
      session: { ...spec('session'), arrivals: at(session), hold: { fixed: holdS }, mayQueue },
      hasty: { ...spec('hasty'), arrivals: at(hasty), patience: { fixed: patienceS } },
    },
  };
}

/** What an operator does: kills whom it likes, flips the flag, drains and opens again. */
const operation: fc.Arbitrary<GateOrder> = fc.oneof(
  fc.nat({ max: 14 }).map((id) => ({ type: 'kill' as const, id })),
  fc
    .boolean()
    .map((rejectInteractive) => ({ type: 'configure' as const, policy: { rejectInteractive } })),
  fc.constant({ type: 'drain' as const }),
  fc.constant({ type: 'configure' as const, policy: { mode: 'enforce' as const } }),
  fc.constantFrom('shadow' as const, 'admit-always' as const).map((mode) => ({
    type: 'configure' as const,
    policy: { mode },
  })),
);
const script = fc
  .array(fc.tuple(instant, operation), { maxLength: 6 })
  .map((steps) =>
    steps
      .sort(([a], [b]) => a - b)
      .map(([s, input]): ScriptStep => ({ atUs: usFromS(s) + 1, to: 'gate', input })),
  );

interface Seen {
  readonly requests: RequestRow[];
  readonly leases: LeaseRow[];
  readonly states: StateRow[];
}

function play(scenario: Scenario, steps: readonly ScriptStep[]): Seen {
  const seen: Seen = { requests: [], leases: [], states: [] };
  const end = simulate(scenario, {
    script: steps,
    sink: {
      request: (row) => seen.requests.push({ ...row }),
      lease: (row) => seen.leases.push({ ...row }),
      state: (row) => seen.states.push({ ...row }),
    },
  });
  if (end.cutOff) throw new Error('expected an end, got a run that was cut off');
  return seen;
}

/** Laws that are broken, in words; an `expect` for each row would take longer than the runs. */
function broken({ requests, leases, states }: Seen, offered: number, slots: number): string[] {
  const last = states.at(-1);
  const laws: Readonly<Record<string, boolean>> = {
    'each request ends once':
      requests.length === offered && new Set(requests.map(({ seq }) => seq)).size === offered,
    'leases stay within slots': states.every(({ leased }) => leased <= slots),
    'nothing is left behind': last === undefined || (last.leased === 0 && last.queued === 0),
    'a refused request never had a slot': requests.every(
      ({ outcome, heldUs }) => outcome !== 'rejected' || heldUs === null,
    ),
    'whoever was served or killed had one': requests.every(
      ({ outcome, heldUs }) => (outcome !== 'completed' && outcome !== 'killed') || heldUs !== null,
    ),
    'a lease ends, and not before it began': leases.every(
      ({ fromUs, toUs, ended }) => ended !== 'open' && toUs >= fromUs,
    ),
    'first in, first out within a class': ['batch', 'session', 'hasty'].every((name) =>
      inOrder(requests, name),
    ),
  };
  return Object.entries(laws).flatMap(([law, holds]) => (holds ? [] : [law]));
}

function inOrder(requests: readonly RequestRow[], name: string): boolean {
  const granted = requests.filter((row) => row.class === name && row.waitUs !== null);
  granted.sort((a, b) => (a.doorUs ?? 0) - (b.doorUs ?? 0));
  const grantUs = (row: RequestRow) => (row.doorUs ?? 0) + (row.waitUs ?? 0);
  return granted.every((row, i) => {
    const next = granted[i + 1];
    return next === undefined || next.doorUs === row.doorUs || grantUs(next) >= grantUs(row);
  });
}

test('leases and their callers keep the laws, whatever callers and operator do', () => {
  const outcomes = new Set<string>();
  fc.assert(
    fc.property(crowd, gate, script, (callers, rules, steps) => {
      const seen = play(scenarioOf(callers, rules), steps);
      for (const { outcome } of seen.requests) outcomes.add(outcome);
      const offered = callers.batch.length + callers.session.length + callers.hasty.length;
      expect(broken(seen, offered, rules.slots ?? 0)).toEqual([]);
    }),
    { numRuns: 10_000, seed: 4 },
  );
  expect([...outcomes].sort()).toEqual(['abandoned', 'completed', 'killed', 'rejected']);
}, 120_000);

test('a simulation ends although somebody waits for ever behind a cap of 0', () => {
  const open = { type: 'configure', policy: { mode: 'admit-always' } } as const;
  const shut = { type: 'configure', policy: { mode: 'enforce', interactiveCap: 0 } } as const;
  const { requests } = play(
    parseScenario({
      name: 'shut',
      durationS: LENGTH_S,
      gate: { slots: 1, killWindowS: 5 },
      classes: {
        session: {
          kind: 'interactive',
          arrivals: { process: 'at', atS: [1, 2] },
          mayQueue: true,
          service: { fixed: 9 },
        },
      },
    }),
    [
      { atUs: 0, to: 'gate', input: open },
      { atUs: usFromS(3), to: 'gate', input: shut },
    ],
  );
  expect(requests.map(({ outcome }) => outcome)).toEqual(['completed', 'censored']);
});
