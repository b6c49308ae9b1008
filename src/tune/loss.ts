import { isDeepStrictEqual } from 'node:util';
import { replicated } from '../result/replicate.ts';
import type { Figure, LossSplit } from '../result/types.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Evaluate } from './evaluate.ts';
import { isCapacity, withoutAnyRule } from './setting.ts';
import type { GateAtSlots, SlotsNeeded } from './types.ts';
import { goodputOf, meanAt, meanOf } from './weigh.ts';
import {
  hasHolds,
  queuesInside,
  withEndpointSlots,
  withoutRetries,
  withoutUpstreamFailures,
  withSlots,
} from './what-if.ts';

/**
 * Where 1 - goodput of the present setting goes: to the threshold what the best setting on the same
 * arrivals would save; then, in turn, what holds, retries and upstream failures cost under that
 * setting; to capacity what is left. The parts add up; one that is below 0 helped. A run in which
 * nobody arrives loses nothing, and is left out.
 */
export async function lossSplitOf(
  present: Scenario,
  best: Scenario,
  replications: number,
  evaluate: Evaluate,
): Promise<{ split: LossSplit; goodput: number }> {
  const noRetries = withoutRetries(best);
  const asked = { replications, figures: 'requests' as const };
  const [held, free] = await Promise.all([
    evaluate({ ...asked, scenarios: [present, best] }),
    evaluate({
      ...asked,
      holds: !hasHolds(best),
      scenarios: [best, noRetries, withoutUpstreamFailures(noRetries)],
    }),
  ]);
  const runs = [...held, ...free];
  const goodput = runs.map((of) => of.map(goodputOf));
  const gained = (from: number) => figureOf(differences(goodput[from + 1], goodput[from]));
  const left = (goodput[4] ?? []).flatMap((value) => (value === null ? [] : [1 - value]));
  return {
    split: {
      threshold: gained(0),
      capacity: figureOf(left),
      holds: gained(1),
      retries: gained(2),
      upstream: gained(3),
    },
    goodput: meanAt(runs[0] ?? [], 'rates.goodput') ?? 0,
  };
}

type Values = readonly (number | null)[];

function differences(a: Values = [], b: Values = []): number[] {
  return a.flatMap((value, k) => {
    const other = b[k] ?? null;
    return value === null || other === null ? [] : [value - other];
  });
}

/** One run has values, not intervals. */
function figureOf(values: readonly number[]): Figure {
  return values.length === 1 ? (values[0] ?? null) : replicated(Float64Array.from(values));
}

/** Times the present number beyond which no more are tried. */
const MOST_TIMES = 64;

/** Gates of one scenario, in the order in which they are preferred. */
type Gates = readonly { readonly under: GateAtSlots; readonly scenario: Scenario }[];

interface Conditions {
  /** Goodput, 0 to 1. */
  readonly target: number;
  /** Of the served, 0 to 1; null: no condition. */
  readonly maxBreach: number | null;
  readonly replications: number;
  readonly evaluate: Evaluate;
}

/** A gate is kept for up to so many times the slots that another needs: without a rule nothing bounds a wait. */
const WORTH_KEEPING = 1.1;

/**
 * The slots that these gates need, and the gate under which to buy them.
 * @param keeps whether the present gate stays if it can. Where it is to be changed anyhow, no slots are
 *   bought to keep it that the chosen one does not need
 */
export async function slotsNeeded(
  gates: Gates,
  conditions: Conditions,
  keeps = true,
): Promise<SlotsNeeded> {
  const all = await Promise.all(
    gates.map(async ({ under, scenario }) => ({
      under,
      ...(await slotsOf(scenario, conditions)),
    })),
  );
  const counted = keeps ? all : fewestFirst(all);
  const least = Math.min(...counted.map(({ needed }) => needed ?? Infinity));
  const best =
    counted.find(({ needed }) => needed !== null && needed <= least * WORTH_KEEPING) ?? counted[0];
  if (best === undefined) throw new Error('no gate to add slots to');
  const others = counted.filter((one) => one !== best);
  return { ...best, others: others.map(({ under, needed }) => ({ under, needed })) };
}

/** A gate without a rule stays behind those that have some. */
function fewestFirst<T extends Pick<SlotsNeeded, 'under' | 'needed'>>(counted: readonly T[]): T[] {
  const rank = ({ under, needed }: T) =>
    needed === null || under === 'no rule' ? Number.MAX_VALUE : needed;
  return [...counted].sort((a, b) => rank(a) - rank(b));
}

/**
 * The fewest slots under which a scenario serves the target in time, of those that were tried:
 * doubled until it does, then halved in between. Where the endpoint works on fewer requests at a
 * time than the gate lets in, they queue inside it: more slots in the gate would be an emptier
 * looking endpoint and a longer queue in it, so its own slots are counted (vllm#11517).
 */
async function slotsOf(
  scenario: Scenario,
  { target, maxBreach, replications, evaluate }: Conditions,
): Promise<Omit<SlotsNeeded, 'under' | 'others'>> {
  const at = queuesInside(scenario) ? 'endpoint' : 'gate';
  const present = at === 'gate' ? scenario.gate.slots : scenario.model.slots;
  const withMore = at === 'gate' ? withSlots : withEndpointSlots;
  const curve = new Map<number, SlotsNeeded['curve'][number]>();
  const serves = async (slots: number): Promise<boolean> => {
    const changed = withMore(scenario, slots);
    const [runs = []] = await evaluate({ scenarios: [changed], replications, figures: 'requests' });
    const served = runs.flatMap((run) => goodputOf(run) ?? []);
    curve.set(slots, { slots, goodput: figureOf(served) });
    const breach = meanAt(runs, 'rates.breach') ?? 0;
    return meanOf(served) >= target && (maxBreach === null || breach <= maxBreach);
  };
  let short = present;
  let enough = present;
  let found = await serves(present);
  while (!found && enough < present * MOST_TIMES) {
    short = enough;
    enough *= 2;
    found = await serves(enough);
  }
  while (found && enough - short > 1) {
    const middle = Math.floor((short + enough) / 2);
    if (await serves(middle)) enough = middle;
    else short = middle;
  }
  const points = [...curve.values()].sort((a, b) => a.slots - b.slots);
  return { at, target, present, needed: found ? enough : null, curve: points };
}

/**
 * Of the scenario as it is, as advised, and without a rule; null where capacity is what is tuned.
 * @param keeps whether nothing is set: slots that are counted under what nobody sets would not be enough
 */
export async function slotsToBuy(
  paths: readonly string[],
  present: Scenario,
  chosen: Scenario,
  conditions: Conditions,
  keeps: boolean,
): Promise<SlotsNeeded | null> {
  if (paths.some(isCapacity)) return null;
  const gates: Gates = [
    { under: 'present', scenario: present },
    ...(keeps ? [] : [{ under: 'chosen', scenario: chosen } as const]),
    { under: 'no rule', scenario: withoutAnyRule(present) },
  ];
  const isFirst = ({ scenario }: Gates[number], i: number) =>
    gates.findIndex((one) => isDeepStrictEqual(one.scenario.gate, scenario.gate)) === i;
  return slotsNeeded(gates.filter(isFirst), conditions, keeps);
}
