import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAdmission } from '../../src/admission/admission.ts';
import type { Admission, ClassRules, Effect, Input, Policy } from '../../src/admission/types.ts';
import { BATCH, brief, DEBUG, OPEN } from '../admission/fixtures.ts';
import { Reference } from '../admission/reference.ts';

const CLASSES: Readonly<Record<string, ClassRules>> = {
  debug: { ...DEBUG, priority: 0 },
  batch: { ...BATCH, deadlineUs: 60, expectedComputeUs: 8 },
  late: { ...BATCH, deadlineUs: null, replay: false, expectedComputeUs: 5 },
  never: { ...DEBUG, mayQueue: false },
};

const limit = (max: number) => fc.option(fc.nat({ max }), { freq: 1 });
const patch: fc.Arbitrary<Partial<Policy>> = fc.record(
  {
    slots: fc.nat(4),
    ageRejectUs: limit(12),
    depthMultiple: limit(3),
    queueCapacity: limit(6),
    maxWaitUs: limit(15),
    maxHoldUs: limit(20),
    interactiveCap: limit(2),
    retryBudget: limit(2),
    rejectInteractive: fc.boolean(),
    upstreamDown: fc.nat(5).map((n) => n === 0),
    mode: fc.constantFrom<Policy['mode']>(
      'enforce',
      'enforce',
      'enforce',
      'shadow',
      'admit-always',
      'drain',
      'reject_preempt_budget',
    ),
  },
  { requiredKeys: [] },
);
const patchOfAll: fc.Arbitrary<Partial<Policy>> = fc
  .tuple(
    patch,
    fc.record(
      {
        slackRejectUs: limit(30),
        holdRejectUs: fc.nat(10),
        slackAdmitUs: fc.nat(50),
        predictedWaitUs: limit(20),
        killWindowUs: limit(10),
        queueAgeFraction: fc.option(fc.constantFrom(0.2, 0.5)),
        taskBudgetTokens: limit(100),
        maxPreempts: limit(3),
        stopAfterPreempts: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([a, b]) => ({ ...a, ...b }));

/** What to do next; `pick` chooses among what is there, so that most operations hit something. */
type Step =
  | { op: 'arrive'; class: string; attempt: number; deadlineUs: number | null; gapUs: number }
  | { op: 'end' | 'cancel' | 'kill' | 'progress' | 'preempted'; pick: number; gapUs: number }
  | { op: 'configure'; patch: Partial<Policy>; gapUs: number }
  | { op: 'drain' | 'tick'; gapUs: number };

const gapUs = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.nat(6) },
);
const pick = fc.nat(999);
const deadlineUs: fc.Arbitrary<number | null> = fc.option(fc.nat({ max: 20 }), { freq: 1 });

function steps(patches: fc.Arbitrary<Partial<Policy>>, withPreempts: boolean) {
  const pool: fc.WeightedArbitrary<Step>[] = [
    {
      weight: 40,
      arbitrary: fc.record({
        op: fc.constant('arrive' as const),
        class: fc.constantFrom('debug', 'batch', 'batch', 'late', 'never'),
        attempt: fc.nat(3),
        deadlineUs,
        gapUs,
      }),
    },
    { weight: 24, arbitrary: fc.record({ op: fc.constant('end' as const), pick, gapUs }) },
    {
      weight: 8,
      arbitrary: fc.record({
        op: fc.constantFrom('cancel' as const, 'kill' as const),
        pick,
        gapUs,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ op: fc.constant('configure' as const), patch: patches, gapUs }),
    },
    { weight: 4, arbitrary: fc.record({ op: fc.constant('tick' as const), gapUs }) },
  ];
  if (withPreempts) {
    const ops = fc.constantFrom('progress' as const, 'preempted' as const);
    pool.push({ weight: 12, arbitrary: fc.record({ op: ops, pick, gapUs }) });
  }
  const drained = fc.record({ op: fc.constant('drain' as const), gapUs });
  const step = fc.oneof(...pool, { weight: 1, arbitrary: drained });
  return fc.array(step, { minLength: 60, maxLength: 60, size: 'max' });
}

/** Who is inside, and where each has gone: the books that law 1 speaks of. */
class Books {
  nextId = 0;
  readonly queued: number[] = [];
  readonly leased: number[] = [];
  readonly ended = new Map<number, string>();
  readonly classOf = new Map<number, string>();
  readonly shadowed = new Map<number, number>();

  end(id: number, how: string): void {
    expect(this.ended.has(id), `${id} ended as ${this.ended.get(id)}, then as ${how}`).toBe(false);
    this.ended.set(id, how);
    this.drop(this.queued, id);
    this.drop(this.leased, id);
  }

  read(effect: Effect): void {
    if (effect.type === 'drained' || effect.type === 'replay') return;
    const { id } = effect;
    if ('shadow' in effect) this.shadowed.set(id, (this.shadowed.get(id) ?? 0) + 1);
    if (effect.type === 'queued') this.queued.push(id);
    else if (effect.type === 'granted') this.grant(id);
    else this.end(id, effect.type);
  }

  /** Law 4: nobody of its class who still waits came before. */
  private grant(id: number): void {
    const name = this.classOf.get(id);
    if (this.queued.includes(id)) {
      expect(this.queued.find((each) => this.classOf.get(each) === name)).toBe(id);
    }
    this.drop(this.queued, id);
    this.leased.push(id);
  }

  private drop(list: number[], id: number): void {
    const at = list.indexOf(id);
    if (at >= 0) list.splice(at, 1);
  }
}

function inputOf(step: Step, books: Books): Input {
  switch (step.op) {
    case 'arrive': {
      const id = books.nextId++;
      books.classOf.set(id, step.class);
      const { attempt, deadlineUs } = step;
      const input = { type: 'arrive', id, seq: id, attempt, class: step.class } as const;
      return deadlineUs === null ? input : { ...input, deadlineUs };
    }
    case 'configure':
      return { type: 'configure', policy: step.patch };
    case 'drain':
    case 'tick':
      return { type: step.op };
    case 'cancel':
      return { type: 'cancel', id: step.pick % (books.nextId + 1) };
    case 'kill':
      return { type: 'kill', id: step.pick % (books.nextId + 1) };
    default:
      return leaseInput(step.op, step.pick, books);
  }
}

function leaseInput(op: 'end' | 'progress' | 'preempted', at: number, books: Books): Input {
  const id = books.leased[at % Math.max(books.leased.length, 1)];
  if (id === undefined) return { type: 'tick' };
  if (op === 'end') return { type: 'release', id, outcome: at % 5 === 0 ? 'failed' : 'completed' };
  if (op === 'progress') return { type: 'progress', id, tokens: at };
  const outputTokens = at % 50;
  return { type: op, id, promptTokens: 10, outputTokens, checkpointTokens: outputTokens >> 1 };
}

/** The books' own entry of an input that ends something, unless the gate ended it first. */
function bookInput(input: Input, effects: readonly Effect[], books: Books): void {
  const here = (id: number) => books.leased.includes(id) || books.queued.includes(id);
  const byGate = (id: number) => effects.some((e) => e.type !== 'drained' && e.id === id);
  if (input.type === 'release' && !byGate(input.id)) books.end(input.id, input.outcome);
  if (input.type === 'cancel' && here(input.id) && !byGate(input.id)) {
    books.end(input.id, 'cancelled');
  }
}

function play(
  gate: Admission,
  all: readonly Step[],
  each: (input: Input, nowUs: number, effects: Effect[], books: Books) => void,
): Books {
  const books = new Books();
  let nowUs = 0;
  for (const step of all) {
    nowUs += step.gapUs;
    const input = inputOf(step, books);
    const effects = gate.apply(input, nowUs);
    bookInput(input, effects, books);
    for (const effect of effects) books.read(effect);
    each(input, nowUs, effects, books);
  }
  return books;
}

const make = (policy: Partial<Policy>) =>
  createAdmission({ policy: { ...OPEN, slots: 2, ...policy }, classes: CLASSES, seed: 7 });

test('laws 1, 3, 4, 7: each request is in one bucket, refused once, served in order', () => {
  fc.assert(
    fc.property(patchOfAll, steps(patchOfAll, true), (policy, all) => {
      const gate = make(policy);
      const books = play(gate, all, (_input, nowUs, effects, now) => {
        expect(gate.view.leased).toBe(now.leased.length);
        expect(gate.view.queued).toBe(now.queued.length);
        expect(now.ended.size + now.leased.length + now.queued.length).toBe(now.nextId);
        for (const effect of effects) expect(effect.atUs).toBeLessThanOrEqual(nowUs);
      });
      for (const id of books.ended.keys()) {
        expect(() => gate.apply({ type: 'release', id, outcome: 'failed' }, 1e6)).toThrow(
          `got ${id}`,
        );
      }
      for (const times of books.shadowed.values()) expect(times).toBe(1);
    }),
    { numRuns: 150, seed: 1 },
  );
});

test('law 2: leases never exceed slots, save those out when slots were taken away', () => {
  fc.assert(
    fc.property(steps(patchOfAll, true), (all) => {
      const gate = make({});
      let most = 2;
      play(gate, all, () => {
        const { leased, policy } = gate.view;
        most = Math.max(policy.slots, Math.min(most, leased));
        expect(leased).toBeLessThanOrEqual(most);
      });
    }),
    { numRuns: 100, seed: 2 },
  );
});

test('law 5: the recorded inputs, folded again, give the same effects', () => {
  fc.assert(
    fc.property(patchOfAll, steps(patchOfAll, true), (policy, all) => {
      const record: { input: Input; nowUs: number; effects: Effect[] }[] = [];
      play(make(policy), all, (input, nowUs, effects) => record.push({ input, nowUs, effects }));
      const again = make(policy);
      for (const { input, nowUs, effects } of record) {
        expect(again.apply(input, nowUs)).toEqual(effects);
      }
    }),
    { numRuns: 60, seed: 3 },
  );
});

test('a driver that wakes when told learns the same as one that looks late', () => {
  fc.assert(
    fc.property(patch, steps(patch, false), (policy, all) => {
      const prompt = make(policy);
      const late: Effect[] = [];
      const early: Effect[] = [];
      play(make(policy), all, (input, nowUs, effects) => {
        late.push(...effects);
        for (let due = prompt.nextWakeUs(); due < nowUs; due = prompt.nextWakeUs()) {
          early.push(...prompt.apply({ type: 'tick' }, due));
        }
        try {
          early.push(...prompt.apply(input, nowUs));
        } catch {
          // The late driver could not know that the gate had ended this lease.
          expect(input.type).toBe('release');
        }
      });
      expect(early.map(brief)).toEqual(late.map(brief));
    }),
    { numRuns: 60, seed: 4 },
  );
});

test('law 9: once arrivals end and leases are released, nothing is left and nothing is due', () => {
  fc.assert(
    fc.property(steps(patchOfAll, true), (all) => {
      const gate = make({});
      const books = play(gate, all, () => {});
      const end = { slots: 1, mode: 'enforce', upstreamDown: false } as const;
      const limits = { interactiveCap: null, rejectInteractive: true } as const;
      const read = (input: Input) => {
        const effects = gate.apply(input, 1e6);
        bookInput(input, effects, books);
        for (const effect of effects) books.read(effect);
      };
      read({ type: 'configure', policy: { ...end, ...limits } });
      for (let id = books.leased[0]; id !== undefined; id = books.leased[0]) {
        read({ type: 'release', id, outcome: 'completed' });
      }
      expect([gate.view.queued, gate.view.leased, gate.nextWakeUs()]).toEqual([0, 0, Infinity]);
    }),
    { numRuns: 60, seed: 5 },
  );
});

test('effect by effect the gate says what the plain reference says', () => {
  fc.assert(
    fc.property(patch, steps(patch, false), (policy, all) => {
      const reference = new Reference({ ...OPEN, slots: 2, ...policy }, CLASSES);
      play(make(policy), all, (input, nowUs, effects) => {
        const said = effects.map((effect) => `${effect.atUs}: ${brief(effect)}`);
        expect(said).toEqual(reference.apply(input, nowUs));
      });
    }),
    { numRuns: 200, seed: 6 },
  );
});
