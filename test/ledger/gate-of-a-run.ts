import { createAdmission } from '../../src/admission/admission.ts';
import type { AdmissionConfig, Effect, Input, Policy } from '../../src/admission/types.ts';
import type { Numbered } from '../../src/ledger/codec.ts';
import type { GateHeader, GateLine } from '../../src/ledger/lines.ts';

export const S = 1_000_000;

export function configOf(policy: Partial<Policy> = {}): AdmissionConfig {
  return {
    seed: 1,
    classes: {
      small: {
        kind: 'batch',
        priority: 0,
        mayQueue: true,
        deadlineUs: 100 * S,
        expectedComputeUs: S,
        replay: true,
      },
    },
    policy: {
      slots: 1,
      ageRejectUs: null,
      depthMultiple: null,
      queueCapacity: null,
      maxWaitUs: null,
      maxHoldUs: null,
      slackRejectUs: null,
      holdRejectUs: 60 * S,
      slackAdmitUs: 180 * S,
      interactiveCap: null,
      retryBudget: null,
      predictedWaitUs: null,
      killWindowUs: null,
      retryAfterUs: 5 * S,
      mode: 'enforce',
      queueAgeFraction: null,
      taskBudgetTokens: null,
      restartFraction: 0.2,
      maxPreempts: null,
      stopAfterPreempts: false,
      rejectInteractive: true,
      upstreamDown: false,
      ...policy,
    },
  };
}

export function headerOf(policy: Partial<Policy> = {}): GateHeader {
  return { ledger: 'gate', schemaVersion: 1, config: configOf(policy) };
}

/** What a gateway records that meets these inputs. */
export function record(
  header: GateHeader,
  inputs: readonly [number, Input][],
): Numbered<GateLine>[] {
  const admission = createAdmission(header.config);
  const lines: GateLine[] = [];
  for (const [t, input] of inputs) {
    lines.push({ t, in: input });
    for (const out of admission.apply(input, t)) lines.push({ t, out: out as Effect });
  }
  return lines.map((line, i) => ({ number: i + 2, line }));
}

export function arrive(id: number, attempt = 0, seq = id): Input {
  return { type: 'arrive', id, seq, attempt, class: 'small' };
}

export function done(id: number): Input {
  return { type: 'release', id, outcome: 'completed' };
}
