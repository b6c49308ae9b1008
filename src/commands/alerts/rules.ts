/**
 * Prometheus rules with the numbers of one scenario. Each names the action that follows. Every
 * ratio guards its denominator: with no traffic it has no value, and a rule without a value is
 * silent; that the gate itself is silent is a rule of its own.
 */
import type { Scenario } from '../../scenario/types.ts';

export type Rule =
  | { readonly record: string; readonly expr: string }
  | {
      readonly alert: string;
      readonly expr: string;
      readonly for?: string;
      readonly labels: { readonly severity: 'warn' | 'page'; readonly action: string };
      readonly annotations: { readonly summary: string };
    };

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly Rule[];
}

/** A page is worth its noise only where its number is a multiple of what the scenario promises. */
const WARN_SHARE_OF_AGE = 0.6;
const WARN_SHARE_OF_SLO = 0.75;
/** Runbook 003: "queue is already older than about 40 % of the SLO". */
const AGE_SHARE_OF_SLO = 0.4;
/** Runbook 003's table: shares of what arrives. */
const REJECTION_WARN = 0.05;
const REJECTION_PAGE = 0.2;
/** Runbook 000: what stands where the scenario has the rule off. */
const SLACK_REJECT_S = 90;
const HALF_DEADLINE = 0.5;

/** The groups that apply to a scenario; a rule whose signal it cannot have is left out. */
export function ruleGroups(scenario: Scenario): RuleGroup[] {
  const deadlineS = batchDeadlineS(scenario);
  const groups = [
    { name: 'loadline_gate', rules: gateRules() },
    { name: 'loadline_queue', rules: queueRules(scenario) },
    { name: 'loadline_slack', rules: deadlineS === null ? [] : slackRules(scenario) },
    { name: 'loadline_preempts', rules: preemptRules(scenario, deadlineS) },
  ];
  return groups.filter(({ rules }) => rules.length > 0);
}

function batchDeadlineS({ classes }: Scenario): number | null {
  const batch = Object.values(classes).find(
    ({ kind, deadlineS }) => kind === 'batch' && deadlineS !== null,
  );
  return batch?.deadlineS ?? null;
}

function alert(
  name: string,
  severity: 'warn' | 'page',
  { expr, hold, action, summary }: { expr: string; hold?: string; action: string; summary: string },
): Rule {
  return {
    alert: name,
    expr,
    ...(hold === undefined ? {} : { for: hold }),
    labels: { severity, action },
    annotations: { summary },
  };
}

function gateRules(): Rule[] {
  return [
    alert('GateSilent', 'warn', {
      expr: 'absent(queue_age_seconds)',
      hold: '2m',
      action: 'check_scrape',
      summary: 'the gate is not scraped: none of the other rules can fire',
    }),
    alert('UpstreamDown', 'page', {
      expr: 'loadline_upstream_up == 0',
      hold: '30s',
      action: 'restore_upstream',
      summary: 'the endpoint cannot be reached; requests are refused with 503',
    }),
  ];
}

// ── Runbook 003 ───────────────────────────────────────────────────────────────────────────────

const REJECTION = 'loadline:rejection:ratio_rate5m';
/** Of fewer in five minutes a share says nothing: one refusal of one request is not 100 %. */
const ENOUGH = 10;
const TURNED_AWAY = 'sum(increase(loadline_decisions_total{decision=~"reject|expire"}[5m]))';
const P95 = 'loadline:turnaround_seconds:p95_rate5m';

/** For so long queue age stays above before a rule speaks. */
export const AGE_FOR_S = { warn: 120, page: 60 } as const;

/** From where on each signal of runbook 003 warns and pages: seconds, and a share. */
export function queueThresholds(scenario: Scenario) {
  const ageS = ageThresholdS(scenario);
  return {
    age: { warn: WARN_SHARE_OF_AGE * ageS, page: ageS },
    rejection: { warn: REJECTION_WARN, page: REJECTION_PAGE },
    p95: { warn: WARN_SHARE_OF_SLO * scenario.sloS, page: scenario.sloS },
  } as const;
}

/** Where the numbers come from, for the head of the file. */
export const THRESHOLDS_EXPLAINED = [
  `Queue age: page at the gate's own limit on age or wait, else at ${AGE_SHARE_OF_SLO} of the SLO; warn at ${WARN_SHARE_OF_AGE} of that.`,
  `Rejection: warn at ${REJECTION_WARN}, page at ${REJECTION_PAGE} of what arrives: the table of runbook 003, a convention.`,
  `Turnaround: page at the SLO, warn at ${WARN_SHARE_OF_SLO} of it, and only while nothing is turned away.`,
] as const;

function queueRules(scenario: Scenario): Rule[] {
  const { age, rejection, p95: turnaround } = queueThresholds(scenario);
  const check = {
    action: 'verify_rejects',
    summary: 'verify that rejections are firing; check the latency of the model endpoint',
  };
  const raise = {
    action: 'raise_workers_if_latency_normal',
    summary: 'consider more workers for a while, if the latency of the endpoint is normal',
  };
  const undo = {
    action: 'roll_back_if_no_rejects',
    summary:
      'slow, and nothing is turned away: the gate is misconfigured, roll back (mode admit-always)',
  };
  return [
    { record: REJECTION, expr: rejectionRatio() },
    { record: P95, expr: p95() },
    alert('QueueAgeWarn', 'warn', {
      expr: `queue_age_seconds > ${number(age.warn)}`,
      hold: `${AGE_FOR_S.warn / 60}m`,
      ...check,
    }),
    alert('QueueAgePage', 'page', {
      expr: `queue_age_seconds > ${number(age.page)}`,
      hold: `${AGE_FOR_S.page / 60}m`,
      ...check,
    }),
    alert('RejectionWarn', 'warn', {
      expr: `${REJECTION} > ${rejection.warn}`,
      hold: '2m',
      ...raise,
    }),
    alert('RejectionPage', 'page', {
      expr: `${REJECTION} > ${rejection.page}`,
      hold: '5m',
      ...raise,
    }),
    alert('TurnaroundWarn', 'warn', {
      expr: slowUnlessRejecting(turnaround.warn),
      hold: '2m',
      ...undo,
    }),
    alert('TurnaroundPage', 'page', {
      expr: slowUnlessRejecting(turnaround.page),
      hold: '1m',
      ...undo,
    }),
  ];
}

/** With rejections firing a slow p95 is what overload looks like, and no fault of the gate. */
function slowUnlessRejecting(thresholdS: number): string {
  return `${P95} > ${number(thresholdS)} unless on() ${TURNED_AWAY} > 0`;
}

/** The scenario's own limit on age or wait, else the runbook's share of the SLO. */
function ageThresholdS({ gate, sloS }: Scenario): number {
  const isOff = gate.ageRejectS === null || gate.ageRejectS > 1e6;
  return (isOff ? gate.maxWaitS : gate.ageRejectS) ?? AGE_SHARE_OF_SLO * sloS;
}

function rejectionRatio(): string {
  const all = 'sum(rate(loadline_decisions_total[5m]))';
  const turnedAway = 'sum(rate(loadline_decisions_total{decision=~"reject|expire"}[5m]))';
  return `${turnedAway} / ${all} and sum(increase(loadline_decisions_total[5m])) >= ${ENOUGH}`;
}

function p95(): string {
  const buckets = 'sum by (le) (rate(loadline_turnaround_seconds_bucket[5m]))';
  const count = 'sum(increase(loadline_turnaround_seconds_count[5m]))';
  return `histogram_quantile(0.95, ${buckets}) and ${count} >= ${ENOUGH}`;
}

// ── Runbook 000 ───────────────────────────────────────────────────────────────────────────────

/**
 * Its two expressions as recording rules. `and on()`: the sides have other labels and would never
 * match without it. The page stands on slack alone; compute is only ever the contradiction beside.
 */
function slackRules({ gate }: Scenario): Rule[] {
  const { holdRejectS } = gate;
  const slackS = gate.slackRejectS ?? SLACK_REJECT_S;
  const heldLong = `lease_hold_seconds{lease_class="interactive"} > ${number(holdRejectS)}`;
  return [
    {
      record: 'loadline:deadline_slack_seconds',
      expr: 'batch_deadline_seconds - queue_age_seconds - expected_compute_seconds',
    },
    {
      record: 'loadline:reject_interactive',
      expr: `deadline_slack_seconds < ${number(slackS)} and on() ${heldLong}`,
    },
    alert('DeadlineSlackLow', 'page', {
      expr: `deadline_slack_seconds < ${number(slackS)}`,
      // Slack that is gone does not come back: at once.
      hold: '0s',
      action: 'reject_interactive',
      summary: `slack is under ${number(slackS)} s: reject new interactive leases, end the longest held`,
    }),
    alert('HoldLeak', 'warn', {
      expr: `cpu_busy_ratio < 0.3 and on() queue_age_seconds > 60 and on() ${heldLong}`,
      hold: '30s',
      action: 'do_not_scale',
      summary: 'slots are held, not busy: end the sessions that /admin/verdicts names',
    }),
  ];
}

// ── Runbook 001 ───────────────────────────────────────────────────────────────────────────────

function preemptRules({ gate }: Scenario, deadlineS: number | null): Rule[] {
  const rules: Rule[] = [];
  if (gate.taskBudgetTokens !== null) {
    rules.push(
      alert('RestartTokensBeatSlack', 'page', {
        expr: `restart_tokens > ${number(gate.restartFraction)} * task_budget`,
        hold: '0s',
        action: 'drain_and_reject',
        summary: 'do not replay: slack cannot absorb another preempt',
      }),
    );
  }
  if (deadlineS === null) return rules;
  const share = gate.queueAgeFraction ?? HALF_DEADLINE;
  return [
    ...rules,
    alert('QueueAgeHalfDeadline', 'page', {
      expr: `queue_age_ms > ${number(share)} * deadline_ms`,
      hold: '0s',
      action: 'reject_enqueue',
      summary: 'refuse what would queue; another host copies the preempts, it does not end them',
    }),
  ];
}

/** As a rule writes it. */
export function number(value: number): string {
  return String(Number(value.toPrecision(6)));
}
