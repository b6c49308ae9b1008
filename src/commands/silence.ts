/** How long the gate of a run lets its upstream be silent before it takes the slot back. */
import type { Schedule } from '../arrivals/schedule.ts';
import type { Scenario } from '../scenario/types.ts';
import { sFromUs } from '../units.ts';

/** Wall seconds, as `loadline gateway` takes them. */
export interface SilenceLimits {
  /** From sending to the head of the answer. */
  readonly firstByteS: number;
  /** Between two pieces of it. */
  readonly idleS: number;
}

/** A healthy request that takes so many times what is promised, or needed, is none. */
const FACTOR = 3;
/** However short scenario time is: a busy machine pauses too. */
const LEAST_S = 5;
/** What OpenAI's own clients wait: of somebody's endpoint the scenario knows no service time. */
const LEAST_AT_ENDPOINT_S = 600;

/**
 * Three times the larger of what is promised (SLO, deadline) and of the longest that a request of
 * this schedule can need of an upstream that has everything in its gate to do. A request that is
 * healthy and slow is never ended by it; an upstream that hangs does not keep its slots for ever.
 */
export function silenceLimits(
  scenario: Scenario,
  schedule: Schedule,
  { timeScale, isStub }: { readonly timeScale: number; readonly isStub: boolean },
): SilenceLimits {
  const promisedS = longestPromiseS(scenario);
  const { workS, holdS } = longestNeedS(scenario, schedule);
  const leastS = isStub ? LEAST_S : LEAST_AT_ENDPOINT_S;
  const wallS = (scenarioS: number) => Math.max(leastS, FACTOR * scenarioS * timeScale);
  return {
    firstByteS: wallS(Math.max(promisedS, workS)),
    idleS: wallS(Math.max(promisedS, workS + holdS)),
  };
}

function longestPromiseS({ sloS, classes }: Scenario): number {
  const ofClasses = Object.values(classes).flatMap((spec) => [spec.sloS ?? 0, spec.deadlineS ?? 0]);
  return Math.max(sloS, ...ofClasses);
}

/** Work that no other request shares, times what a full gate makes of it, and what a host is away. */
function longestNeedS(scenario: Scenario, { arrivals }: Schedule) {
  let serviceUs = 0;
  let holdUs = 0;
  let outTokens = 0;
  for (const { demand } of arrivals) {
    serviceUs = Math.max(serviceUs, demand.serviceUs);
    holdUs = Math.max(holdUs, demand.holdUs);
    outTokens = Math.max(outTokens, demand.outTokens);
  }
  const { model, gate } = scenario;
  const { checkpointTokens, checkpointCostS, slowdown, preempts } = model;
  const checkpoints = checkpointTokens > 0 ? outTokens / checkpointTokens : 0;
  const slowed = 1 + slowdown.perRequest * Math.max(0, gate.slots - slowdown.from);
  const awayS = preempts.type === 'spot' ? preempts.noticeS + preempts.backS : 0;
  const aloneS = sFromUs(serviceUs) + checkpoints * checkpointCostS;
  return { workS: aloneS * slowed * turns(scenario) + awayS, holdS: sFromUs(holdUs) };
}

/** How many may have to be served one after the other inside the upstream. */
function turns({ gate, model }: Scenario): number {
  if (model.preempts.type === 'memory') return gate.slots;
  return model.slots > 0 ? Math.ceil(gate.slots / model.slots) : 1;
}
