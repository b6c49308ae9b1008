/**
 * Runbook 000 rehearsed. `published`: its script, faults included. `corrected`: the same night with
 * the script's fault mended. `crossing`: the sessions hold on until the rule speaks.
 */
import { simulate } from '../engine/sim.ts';
import { UserError } from '../errors.ts';
import { loadScenario } from '../scenario/load.ts';
import { resolveScenario } from '../scenario/resolve.ts';
import type { Scenario } from '../scenario/types.ts';
import {
  claimsLine,
  type Drill,
  type DrillOptions,
  type DrillReport,
  type Step,
  step,
} from './drill.ts';
import { LEASE_HOLD_NOT_FOR, leaseHoldClaims } from './lease-hold/claims.ts';
import { playLeaseHold } from './lease-hold/live.ts';
import { LeaseHoldWatch, summaryLine, type Watched } from './lease-hold/watch.ts';
import { publishedLeaseHold, publishedSummary } from './lease-hold-published.ts';
import { simulatedRun } from './simulated-run.ts';

export const leaseHoldDrill: Drill = {
  name: 'lease-hold',
  summary: 'sessions hold slots while deadline-bound batch work ages (runbook 000)',
  ways: ['crossing', 'published', 'corrected'],
  modes: ['reject', 'admit'],
  async run(options) {
    const mode = options.mode === 'admit' ? 'admit' : 'reject';
    const way = options.as ?? 'crossing';
    if (way === 'published') return published(mode, options);
    if (way === 'corrected') return corrected(mode, options);
    return options.live ? crossingLive(mode, options) : crossing(mode, options);
  },
};

type Mode = 'reject' | 'admit';

/** A shipped scenario, whatever the environment says: a drill is always the same. */
async function shipped(name: string, sets: readonly string[], seed?: number): Promise<Scenario> {
  const { input } = await loadScenario(name);
  const seeds = seed === undefined ? [] : [`seed=${seed}`];
  return resolveScenario({ input, env: {}, flags: {}, sets: [...sets, ...seeds] });
}

function correctedScenario(mode: Mode): Promise<Scenario> {
  const admit = ['classes.dbg.arrivals.atS=[0,8]', 'gate.slackRejectS=null'];
  return shipped('lease-hold', mode === 'admit' ? admit : []);
}

/** Mode admit: the rule is off, and nothing else. */
function crossingScenario(mode: Mode): Promise<Scenario> {
  return shipped('lease-crossing', mode === 'admit' ? ['gate.slackRejectS=null'] : []);
}

function watch(scenario: Scenario): Watched {
  const sink = new LeaseHoldWatch('batch');
  simulate(scenario, { sink });
  return sink.seen();
}

async function claims() {
  return leaseHoldClaims(
    watch(await correctedScenario('reject')),
    watch(await crossingScenario('reject')),
  );
}

async function published(mode: Mode, { live }: DrillOptions): Promise<DrillReport> {
  if (live)
    throw new UserError(
      '--live: expected --as crossing, got --as published (a script in virtual time)',
    );
  const log = publishedLeaseHold(mode);
  const { dequeued, maxAgeS, rejects } = publishedSummary(log);
  const told = await claims();
  return {
    head: [
      'Do not take this script for the rule: a job that it dequeues never ends. `--as corrected` mends it, `--as crossing` makes the rule speak.',
      claimsLine(told),
    ],
    isScript: true,
    lines: [`${mode} ${summaryLine(dequeued, maxAgeS, rejects)}`],
    steps: [],
    claims: told,
    notFor: LEASE_HOLD_NOT_FOR,
    json: log,
  };
}

async function corrected(mode: Mode, options: DrillOptions): Promise<DrillReport> {
  if (options.live) throw new UserError('--live: expected --as crossing, got --as corrected');
  const scenario = await correctedScenario(mode);
  const seen = watch(scenario);
  const { dequeueAgesS, doneS, rejects, jobs } = seen;
  const done = jobs.filter(({ completed }) => completed).length;
  const summary = summaryLine(dequeueAgesS.length, Math.max(0, ...dequeueAgesS), rejects);
  return withPage(scenario, options, {
    head: [],
    lines: [
      `${mode} ${summary}`,
      `all ${done} done at t = ${text(doneS)} s, dequeued at ages ${ages(seen)} s`,
    ],
    steps: [],
    claims: await claims(),
    notFor: LEASE_HOLD_NOT_FOR,
    json: { as: 'corrected', mode, summary, ...seen, claims: await claims() },
  });
}

async function crossing(mode: Mode, options: DrillOptions): Promise<DrillReport> {
  const scenario = await crossingScenario(mode);
  const seen = watch(scenario);
  const steps = mode === 'reject' ? crossingSteps(seen, 0) : [];
  return withPage(scenario, options, await crossingReport(mode, 'sim', seen, steps));
}

async function crossingLive(mode: Mode, options: DrillOptions): Promise<DrillReport> {
  const scenario = await crossingScenario(mode);
  const { seen, steps, result, schedule, page } = await playLeaseHold(scenario, mode, options);
  const exact = mode === 'reject' ? crossingSteps(seen, TOLERANCE * scenario.durationS) : [];
  const report = await crossingReport(mode, 'live', seen, [...exact, ...steps]);
  return { ...report, head: headOf(result.verdicts, report), run: { result, schedule }, page };
}

/** A live drill is judged to this share of its scenario time. */
const TOLERANCE = 0.02;
/** DESIGN.md: what an independent simulation of this night gives. */
const EXPECTED = { firstS: 371, agesS: [395, 391, 410, 404, 420, 411], doneS: 476 };

function crossingSteps(seen: Watched, toleranceS: number): Step[] {
  const near = (got: number | undefined | null, wanted: number) =>
    got !== undefined && got !== null && Math.abs(got - wanted) <= toleranceS;
  const { firstByRuleS, dequeueAgesS, doneS, jobs } = seen;
  const sameAges =
    dequeueAgesS.length === EXPECTED.agesS.length &&
    EXPECTED.agesS.every((age, i) => near(dequeueAgesS[i], age));
  return [
    step(
      'the first rejection by rule comes just after slack falls below 90 s, at t = 371',
      near(firstByRuleS, EXPECTED.firstS),
      `t = ${firstByRuleS === null ? 'never' : text(firstByRuleS)}`,
    ),
    step(`batch jobs are dequeued at ages ${EXPECTED.agesS.join(' ')}`, sameAges, ages(seen)),
    step(
      'all six batch jobs are done at t = 476',
      near(doneS, EXPECTED.doneS) && jobs.every(({ completed }) => completed),
      `${jobs.filter(({ completed }) => completed).length} of ${jobs.length} at t = ${text(doneS)}`,
    ),
  ];
}

async function crossingReport(
  mode: Mode,
  engine: 'sim' | 'live',
  seen: Watched,
  steps: readonly Step[],
): Promise<DrillReport> {
  const { firstByRuleS, dequeueAgesS, doneS, rejects } = seen;
  const summary = summaryLine(dequeueAgesS.length, Math.max(0, ...dequeueAgesS), rejects);
  return {
    head: [],
    lines: [
      `${mode} ${summary} [${engine === 'sim' ? 'simulated' : 'live'}]`,
      `first rejection by rule: ${firstByRuleS === null ? 'none' : `t = ${text(firstByRuleS)} s`}`,
      `dequeued at ages ${ages(seen)} s; all done at t = ${text(doneS)} s`,
    ],
    steps,
    claims: await claims(),
    notFor: LEASE_HOLD_NOT_FOR,
    json: { as: 'crossing', engine, mode, summary, ...seen, steps, claims: await claims() },
  };
}

/** With a run's page, headed by what it supports, where `--out` says where. */
async function withPage(
  scenario: Scenario,
  options: DrillOptions,
  report: DrillReport,
): Promise<DrillReport> {
  const { page, ...run } = await simulatedRun(scenario, options);
  const head = headOf(run.result.verdicts, report);
  return { ...report, head, run, ...(page === undefined ? {} : { page }) };
}

function headOf(
  verdicts: readonly { headline: string; evidence: string }[],
  report: Pick<DrillReport, 'claims'>,
): string[] {
  const action = verdicts.slice(0, 1).flatMap((one) => [one.headline, `  ${one.evidence}`]);
  return [...action, claimsLine(report.claims)];
}

function ages({ dequeueAgesS }: Watched): string {
  return dequeueAgesS.map(text).join(' ');
}

function text(value: number): string {
  return String(Number(value.toFixed(1)));
}
