/** From a scenario, in seconds, to what the three pure machines are made from, in microseconds. */
import type { AdmissionConfig, ClassRules, Policy } from '../admission/types.ts';
import type { ClientClass, ClientConfig, Patience } from '../client/types.ts';
import type { ModelConfig, Preempts } from '../model/types.ts';
import { usFromS } from '../units.ts';
import { meanS, tokensOf } from './distribution.ts';
import type { ClassSpec, Gate, ModelSpec, PreemptSpec, Scenario } from './types.ts';

function usOrNull(seconds: number | null): number | null {
  return seconds === null ? null : usFromS(seconds);
}

/** The gate's policy. `upstreamDown` is the driver's to set, never the scenario's. */
export function policyOf(gate: Gate): Policy {
  return {
    slots: gate.slots,
    ageRejectUs: usOrNull(gate.ageRejectS),
    depthMultiple: gate.depthMultiple,
    queueCapacity: gate.queueCapacity,
    maxWaitUs: usOrNull(gate.maxWaitS),
    maxHoldUs: usOrNull(gate.maxHoldS),
    slackRejectUs: usOrNull(gate.slackRejectS),
    holdRejectUs: usFromS(gate.holdRejectS),
    slackAdmitUs: usFromS(gate.slackAdmitS),
    interactiveCap: gate.interactiveCap,
    retryBudget: gate.retryBudget,
    predictedWaitUs: usOrNull(gate.predictedWaitS),
    killWindowUs: usOrNull(gate.killWindowS),
    retryAfterUs: usFromS(gate.retryAfterS),
    mode: gate.mode,
    queueAgeFraction: gate.queueAgeFraction,
    taskBudgetTokens: gate.taskBudgetTokens,
    restartFraction: gate.restartFraction,
    maxPreempts: gate.maxPreempts,
    stopAfterPreempts: gate.stopAfterPreempts,
    rejectInteractive: gate.rejectInteractive,
    upstreamDown: false,
  };
}

/**
 * What turns one gate into another: a `configure` that leaves alone what is the same, so that the
 * driver's own fields and an operator's changes elsewhere stand.
 */
export function policyPatch(from: Gate, to: Gate): Partial<Policy> {
  const before = policyOf(from);
  const changed = Object.entries(policyOf(to)).filter(
    ([key, value]) => value !== Reflect.get(before, key),
  );
  return Object.fromEntries(changed);
}

/** Seconds of compute that the gate believes of one request before it has evidence. */
export function expectedComputeS(spec: ClassSpec, model: ModelSpec): number {
  return spec.expectedComputeS ?? meanS(spec.service ?? model.service, tokensOf(spec));
}

function rulesOf(spec: ClassSpec, model: ModelSpec): ClassRules {
  return {
    kind: spec.kind,
    priority: spec.priority,
    mayQueue: spec.mayQueue,
    deadlineUs: usOrNull(spec.deadlineS),
    expectedComputeUs: usFromS(expectedComputeS(spec, model)),
    replay: spec.replay,
  };
}

function patienceOf(patience: ClassSpec['patience']): Patience | null {
  if (patience === null) return null;
  return 'fixed' in patience
    ? { type: 'fixed', us: usFromS(patience.fixed) }
    : { type: 'exponential', meanUs: usFromS(patience.exponential) };
}

function clientOf({ retry, patience, timeoutS }: ClassSpec): ClientClass {
  const { baseS, capS, ...rest } = retry;
  return {
    retry: { ...rest, baseUs: usFromS(baseS), capUs: usFromS(capS) },
    patience: patienceOf(patience),
    timeoutUs: usOrNull(timeoutS),
  };
}

function preemptsOf(spec: PreemptSpec): Preempts {
  if (spec.type !== 'spot') return spec;
  const { atS, noticeS, backS } = spec;
  return {
    type: 'spot',
    atUs: atS.map(usFromS),
    noticeUs: usFromS(noticeS),
    backUs: usFromS(backS),
  };
}

function eachClass<T>(scenario: Scenario, of: (spec: ClassSpec) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(scenario.classes).map(([name, spec]) => [name, of(spec)]),
  );
}

/** What the gate of this scenario is made from. */
export function admissionConfig(scenario: Scenario): AdmissionConfig {
  return {
    policy: policyOf(scenario.gate),
    classes: eachClass(scenario, (spec) => rulesOf(spec, scenario.model)),
    seed: scenario.seed,
  };
}

/** How the callers of this scenario behave. */
export function clientConfig(scenario: Scenario): ClientConfig {
  return { classes: eachClass(scenario, clientOf), seed: scenario.seed };
}

/** The endpoint of this scenario. */
export function modelConfig(scenario: Scenario): ModelConfig {
  const { slots, slowdown, firstTokenS, checkpointTokens, checkpointCostS, preempts } =
    scenario.model;
  return {
    slots,
    slowdown,
    compute: eachClass(scenario, (spec) => spec.compute),
    firstTokenUs: usOrNull(firstTokenS),
    checkpointTokens,
    checkpointCostUs: usFromS(checkpointCostS),
    preempts: preemptsOf(preempts),
    seed: scenario.seed,
  };
}
