import type { BusyRow, DecisionRow, RequestRow, StateRow } from '../../src/ledger/rows.ts';
import type { FinishContext } from '../../src/result/fold.ts';
import type { ClassSpec, Scenario } from '../../src/scenario/types.ts';

const aClass: ClassSpec = {
  kind: 'batch',
  share: 1,
  arrivals: null,
  priority: 0,
  prompt: 'hello',
  maxTokens: 16,
  stream: false,
  inTokens: null,
  outTokens: null,
  mayQueue: true,
  deadlineS: null,
  expectedComputeS: null,
  service: null,
  hold: null,
  compute: 1,
  patience: null,
  timeoutS: null,
  retry: {
    max: 0,
    baseS: 1,
    capS: 10,
    jitter: 'full',
    budget: null,
    honourRetryAfter: true,
    onRefusal: true,
    onFailure: true,
  },
  replay: false,
  sloS: null,
};

/** A scenario of 10 s with one slot and an SLO of 2 s, for results worked out by hand. */
export function scenarioOf(changes: Partial<Scenario> = {}): Scenario {
  return {
    name: 'by-hand',
    description: '',
    durationS: 10,
    sloS: 2,
    seed: 1,
    drainS: null,
    warmupS: 0,
    arrivals: { process: 'poisson', ratePerS: 1, bursts: [] },
    classes: { small: aClass },
    gate: {
      slots: 1,
      ageRejectS: null,
      depthMultiple: null,
      queueCapacity: null,
      maxWaitS: null,
      maxHoldS: null,
      slackRejectS: null,
      holdRejectS: 60,
      slackAdmitS: 180,
      interactiveCap: null,
      retryBudget: null,
      predictedWaitS: null,
      killWindowS: null,
      retryAfterS: 5,
      mode: 'enforce',
      queueAgeFraction: null,
      taskBudgetTokens: null,
      restartFraction: 0.2,
      maxPreempts: null,
      stopAfterPreempts: false,
      rejectInteractive: true,
      rationale: null,
    },
    model: {
      service: { fixed: 1 },
      slots: 0,
      firstTokenS: null,
      slowdown: { perRequest: 0, from: 0 },
      checkpointTokens: 0,
      checkpointCostS: 0,
      preempts: { type: 'none' },
      preemptSignal: 'error',
      resume: false,
      file: null,
    },
    maxInFlight: 1000,
    thresholds: {},
    ...changes,
  };
}

export function classOf(changes: Partial<ClassSpec> = {}): ClassSpec {
  return { ...aClass, ...changes };
}

/** A request that went well: in at 0, out after 1 s, unless said otherwise. */
export function requestOf(changes: Partial<RequestRow> = {}): RequestRow {
  return {
    kind: 'request',
    seq: 0,
    class: 'small',
    intendedUs: 0,
    sentUs: 0,
    firstByteUs: null,
    firstTokenUs: null,
    endUs: 1_000_000,
    outcome: 'completed',
    code: null,
    doorUs: 0,
    doorAgeUs: 0,
    waitUs: 0,
    heldUs: 1_000_000,
    attempts: 1,
    inTokens: 10,
    outTokens: 5,
    preempts: 0,
    restartTokens: 0,
    wouldReject: null,
    ...changes,
  };
}

export function stateOf(changes: Partial<StateRow> = {}): StateRow {
  return {
    kind: 'state',
    atUs: 0,
    oldestUs: -1,
    queued: 0,
    leased: 0,
    slots: 1,
    slackUs: null,
    oldestBatchUs: -1,
    ...changes,
  };
}

export function decisionOf(changes: Partial<DecisionRow> = {}): DecisionRow {
  return {
    kind: 'decision',
    atUs: 0,
    seq: 0,
    attempt: 0,
    class: 'small',
    decision: 'admitted',
    code: null,
    ageUs: 0,
    ...changes,
  };
}

export function busyOf(atUs: number, computeUs: number): BusyRow {
  return { kind: 'busy', atUs, computeUs };
}

export const CONTEXT: FinishContext = {
  engine: 'sim',
  scenarioDigest: 'a',
  seed: 1,
  timeScale: 1,
  schedule: { digest: 'b', count: 10, ratePerS: 1 },
  environment: {
    target: 'none',
    endpoint: null,
    model: null,
    direct: false,
    loadline: '0.1.0',
    node: null,
    cpus: null,
    startedAt: null,
    notes: [],
  },
};
