/** The worlds that are not as described, in which a setting is tried before it is advised. */
import { isDeepStrictEqual } from 'node:util';
import type { Scenario } from '../scenario/types.ts';
import { withRowsScaled, withRowsSpread } from './recorded.ts';
import { burstier, doubledVariance, scaledService, withService, withSlots } from './what-if.ts';

/** A world other than the one described. */
export interface Change {
  readonly name: string;
  readonly of: (scenario: Scenario) => Scenario;
  /** Two tenths of the run in which work takes this many times as long. */
  readonly slowPhases?: number;
  /** Why the world stays as it is: then nothing is learned in it. */
  readonly notMade?: string;
}

type Planned = Omit<Change, 'notMade'> & {
  /** Why there may be nothing to change. */
  readonly same: string;
};

const PLANNED: readonly Planned[] = [
  {
    name: 'service 20 % longer',
    same: 'no services',
    of: (s) => withWorkScaled(s, 1.2),
  },
  {
    name: 'service 20 % shorter',
    same: 'no services',
    of: (s) => withWorkScaled(s, 0.8),
  },
  {
    name: 'service variance doubled',
    same: 'no variance that can be doubled',
    of: (s) => withRowsSpread(withService(s, doubledVariance)),
  },
  {
    name: 'two slow phases, x 1.5',
    same: 'no services',
    of: (s) => s,
    slowPhases: 1.5,
  },
  {
    name: 'arrivals burstier, gap scv doubled',
    same: 'the arrivals are recorded or given, not drawn',
    of: burstier,
  },
  {
    name: 'one slot lost',
    same: 'there is one slot',
    of: (s) => withSlots(s, Math.max(1, s.gate.slots - 1)),
  },
];

/** All of them for one scenario; where a change would change nothing, that is said. */
export function changesFor(scenario: Scenario): Change[] {
  return PLANNED.map(({ same, ...change }) => {
    const isSame =
      change.slowPhases === undefined && isDeepStrictEqual(change.of(scenario), scenario);
    return isSame ? { ...change, of: (s: Scenario) => s, notMade: same } : change;
  });
}

/** Services that are drawn, and those that a log recorded. */
function withWorkScaled(scenario: Scenario, factor: number): Scenario {
  const drawn = withService(scenario, (service) => scaledService(service, factor));
  return withRowsScaled(drawn, factor);
}
