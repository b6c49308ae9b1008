/** What the verdicts on a whole run are judged on. */
import type { Schedule } from '../arrivals/schedule.ts';
import { rerunCommand } from '../report/advice.ts';
import { numberOf } from '../result/figure.ts';
import { asWritten } from '../result/json.ts';
import type { Figure, Result } from '../result/types.ts';
import { windowsOf } from '../result/windows.ts';
import { expectedComputeS } from '../scenario/machines.ts';
import { shortSloOf } from '../scenario/short-slo.ts';
import { traceNotes } from '../scenario/trace-notes.ts';
import type { Scenario } from '../scenario/types.ts';
import type { Facts, HeldLease, Loss, RulesInForce } from '../verdicts/facts.ts';
import { GATEWAY, withGatewayLine } from '../verdicts/text.ts';
import type { Verdict } from '../verdicts/types.ts';
import { verdictsOf } from '../verdicts/verdicts.ts';
import { foreseeFor } from './foresee.ts';
import { withFreeCapacity, withNotes, withWarnings } from './free-capacity.ts';

/**
 * The same result headed by the actions that it supports. They are judged on the digits that are
 * written, so that a reader of the file comes to the same.
 */
export function withVerdicts(result: Result, schedule: Schedule): Result {
  const written = asWritten(result);
  return withRunNotes({ ...written, verdicts: runVerdicts(written, schedule) });
}

/** The same result with what its scenario says of its figures in its notes. */
export function withRunNotes(result: Result): Result {
  return withWarnings(withNotes(result, traceNotes(result.scenario.resolved)));
}

/** The verdicts on a run. A run that drove somebody's endpoint gets no forecast: no simulation speaks for it. */
export function runVerdicts(result: Result, schedule: Schedule): Verdict[] {
  const facts = factsOf(result, schedule);
  const verdicts = withFreeCapacity(result, verdictsOf(windowsOf(result), facts), facts);
  return verdicts.map(withGatewayLine);
}

function factsOf(result: Result, schedule: Schedule): Facts {
  const { resolved } = result.scenario;
  const leases = result.series.leases.map((lease) => heldLease(lease, resolved));
  return {
    source: result.engine === 'sim' ? 'simulated' : 'observed',
    isLive: false,
    distrust: result.health.status === 'ok' ? [] : distrust(result),
    rerun: rerunCommand(result),
    seeds: result.replications,
    slots: resolved.gate.slots,
    sloS: resolved.sloS,
    batch: batchOf(resolved),
    hasInteractive: Object.values(resolved.classes).some(({ kind }) => kind === 'interactive'),
    rules: rulesOf(resolved),
    leases,
    retries: retriesOf(result),
    served: servedOf(result),
    ...lostOf(result),
    ...shortSloIn(result),
    lostBy: lossesOf(result),
    // The gate of the run has ended: its commands are for the gate that the reader runs.
    adminUrl: GATEWAY,
    foresee:
      result.environment.target === 'endpoint' || result.environment.direct
        ? () => undefined
        : foreseeFor(resolved, schedule, leases),
  };
}

function distrust({ health }: Result): string[] {
  return health.notes.length > 0 ? [...health.notes] : [`the run is ${health.status}`];
}

type SeriesLease = Result['series']['leases'][number];

function heldLease(lease: SeriesLease, { classes }: Scenario): HeldLease {
  return {
    name: lease.client ?? `${lease.class} #${lease.seq}`,
    kind: classes[lease.class]?.kind ?? 'batch',
    fromS: lease.fromS,
    toS: lease.ended === 'open' ? null : lease.toS,
    lastReadS: lease.lastReadS,
    tokens: lease.outTokens,
  };
}

/** What the gate believes of batch work; null where none has a deadline. */
export function batchOf({ classes, model }: Scenario): Facts['batch'] {
  for (const spec of Object.values(classes)) {
    if (spec.kind !== 'batch' || spec.deadlineS === null) continue;
    return { deadlineS: spec.deadlineS, expectedS: expectedComputeS(spec, model) };
  }
  return null;
}

const LIMITS = [
  'ageRejectS',
  'depthMultiple',
  'queueCapacity',
  'maxWaitS',
  'predictedWaitS',
] as const;

/** The rules of a scenario's gate, as verdicts speak of them. */
function rulesOf({ gate }: Scenario): RulesInForce {
  const limits: Record<string, number> = {};
  for (const name of LIMITS) {
    const value = gate[name];
    if (value !== null && value < 1e6) limits[name] = value;
  }
  const { slackRejectS, holdRejectS, slackAdmitS, retryBudget, killWindowS, rejectInteractive } =
    gate;
  return {
    ...{ slackRejectS, holdRejectS, slackAdmitS, retryBudget, killWindowS, rejectInteractive },
    limits,
  };
}

function retriesOf({ series, scenario }: Result): Facts['retries'] {
  return series.retried
    .filter((each) => scenario.resolved.classes[each.class]?.kind === 'interactive')
    .map(({ class: name, seq, retries }) => ({ name: `${name} #${seq}`, retries }));
}

function lostOf({ lossSplit }: Result): Pick<Facts, 'lost'> {
  const threshold = numberOf(lossSplit?.threshold ?? null);
  const capacity = numberOf(lossSplit?.capacity ?? null);
  return threshold === null || capacity === null ? {} : { lost: { threshold, capacity } };
}

/** What an endpoint takes nobody has described. */
function shortSloIn({ environment, scenario }: Result): Pick<Facts, 'shortSlo'> {
  const shortSlo = environment.target === 'endpoint' ? undefined : shortSloOf(scenario.resolved);
  return shortSlo === undefined ? {} : { shortSlo };
}

/** Shares of offered that were not served in time, by what became of them. */
function lossesOf({ outcomes, rates, rejectedBy, failedBy }: Result): Loss[] {
  const offered = numberOf(outcomes.offered) ?? 0;
  if (offered === 0) return [];
  const share = (n: Figure) => (numberOf(n) ?? 0) / offered;
  const coded = (kind: Loss['kind'], by: Result['rejectedBy']): Loss[] =>
    Object.entries(by).map(([what, n]) => ({ kind, what, share: share(n) }));
  const other = (what: string, of: number): Loss => ({ kind: 'other', what, share: of });
  const late = share(outcomes.completed) - (numberOf(rates.goodput) ?? 0);
  return [
    ...coded('refused', rejectedBy),
    ...coded('failed', failedBy),
    other('late', late),
    other('abandoned', share(outcomes.abandoned)),
    other('in flight at the end', share(outcomes.censored)),
    other('never sent', share(outcomes.unsent)),
  ]
    .filter((loss) => loss.share > 0.0005)
    .sort((a, b) => b.share - a.share);
}

function servedOf({ outcomes, rates }: Result): Facts['served'] {
  return {
    offered: numberOf(outcomes.offered) ?? 0,
    rejection: numberOf(rates.rejection) ?? 0,
    breach: numberOf(rates.breach) ?? 0,
    goodput: numberOf(rates.goodput) ?? 0,
  };
}
