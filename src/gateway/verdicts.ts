/** What `/admin/verdicts` says: the actions that the present moment supports. */
import { stopOf } from '../admission/rules/stop.ts';
import { type LeaseView, type Policy, queueAgeUs } from '../admission/types.ts';
import { sFromUs } from '../units.ts';
import type { Facts, HeldLease, Window } from '../verdicts/facts.ts';
import type { Verdict } from '../verdicts/types.ts';
import { verdictsOf } from '../verdicts/verdicts.ts';
import type { GateContext } from './context.ts';
import { shownPolicy } from './policy-patch.ts';

const LIMITS = ['ageRejectS', 'depthMultiple', 'queueCapacity', 'maxWaitS', 'predictedWaitS'];

/** @param adminUrl scheme, host and port under which this gate was asked */
export function verdictsNow(gate: GateContext, adminUrl: string): Verdict[] {
  const nowUs = gate.clock.nowUs();
  const leases = gate.machine.admission.leases();
  const facts = factsNow(gate, leases, nowUs, adminUrl);
  return verdictsOf([windowNow(gate, leases, nowUs)], facts);
}

/** The present moment; it reaches back to the last instant at which batch work could have moved on. */
function windowNow(gate: GateContext, leases: readonly LeaseView[], nowUs: number): Window {
  const { view } = gate.machine.admission;
  const slackUs = view.slackUs(nowUs);
  return {
    fromS: sFromUs(stalledSinceUs(view.oldestBatchUs, leases, nowUs)),
    toS: sFromUs(nowUs),
    queueAgeS: sFromUs(queueAgeUs(view, nowUs)),
    queued: view.queued,
    leased: view.leased,
    busy: gate.busyRatio() ?? null,
    slackS: slackUs === undefined ? null : sFromUs(slackUs),
    completed: 0,
  };
}

/** While batch waits, each slot that comes free goes to it: no younger batch lease, no progress. */
function stalledSinceUs(
  oldestBatchUs: number,
  leases: readonly LeaseView[],
  nowUs: number,
): number {
  if (oldestBatchUs < 0) return nowUs;
  const batch = leases.filter(({ kind }) => kind === 'batch').map(({ sinceUs }) => sinceUs);
  return Math.max(oldestBatchUs, ...batch);
}

function factsNow(
  gate: GateContext,
  leases: readonly LeaseView[],
  nowUs: number,
  adminUrl: string,
): Facts {
  const { scenario } = gate.settings;
  const { view } = gate.machine.admission;
  return {
    source: 'observed',
    isLive: true,
    distrust: [],
    rerun: '',
    slots: view.policy.slots,
    sloS: scenario.sloS,
    batch: batchNow(gate),
    hasInteractive: Object.values(scenario.classes).some(({ kind }) => kind === 'interactive'),
    rules: rulesNow(gate),
    leases: leases.map((lease) => heldLease(gate, lease)),
    retries: gate.retries.since(nowUs),
    served: null,
    ...refusesNow(view.policy),
    adminUrl,
    foresee: () => undefined,
  };
}

function refusesNow(policy: Policy): Pick<Facts, 'refuses'> {
  const stop = stopOf(policy);
  return stop === undefined ? {} : { refuses: stop.code };
}

function batchNow({ settings, machine }: GateContext): Facts['batch'] {
  for (const [name, { kind, deadlineS }] of Object.entries(settings.scenario.classes)) {
    if (kind !== 'batch' || deadlineS === null) continue;
    const expectedS = sFromUs(machine.admission.view.expectedComputeUs(name));
    return { deadlineS, expectedS };
  }
  return null;
}

function rulesNow({ machine }: GateContext): Facts['rules'] {
  const { policy } = machine.admission.view;
  const shown = shownPolicy(policy);
  const secondsOf = (us: number | null) => (us === null ? null : sFromUs(us));
  const limits = LIMITS.map((name) => [name, shown[name]] as const).filter(
    (limit): limit is readonly [string, number] => typeof limit[1] === 'number',
  );
  return {
    slackRejectS: secondsOf(policy.slackRejectUs),
    holdRejectS: sFromUs(policy.holdRejectUs),
    slackAdmitS: sFromUs(policy.slackAdmitUs),
    retryBudget: policy.retryBudget,
    killWindowS: secondsOf(policy.killWindowUs),
    rejectInteractive: policy.rejectInteractive,
    limits: Object.fromEntries(limits),
  };
}

function heldLease(gate: GateContext, lease: LeaseView): HeldLease {
  const exchange = gate.leased.get(lease.id);
  const lastReadUs = exchange?.lastReadUs;
  return {
    name: lease.client ?? String(lease.id),
    kind: lease.kind,
    fromS: sFromUs(lease.sinceUs),
    toS: null,
    lastReadS: lastReadUs === undefined ? null : sFromUs(lastReadUs),
    tokens: exchange?.tokens ?? lease.tokens,
  };
}
