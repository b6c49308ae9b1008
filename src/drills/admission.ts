/**
 * Runbook 003 rehearsed. `published`: its closed loop, which cannot reject. `corrected`: the open
 * loop that its numbers describe. `--live` rehearses the roll-back.
 */
import { simulateResult } from '../commands/simulate.ts';
import { ADMISSION_NOT_FOR, admissionClaims, type Measured } from './admission/claims.ts';
import {
  burst,
  inBurst,
  measureOpen,
  measurePublished,
  type OpenLoop,
  RUNS,
  scheduled,
} from './admission/measure.ts';
import { rollBack } from './admission/roll-back.ts';
import { claimsLine, type Drill, type DrillOptions, type DrillReport } from './drill.ts';
import { simulatedRun } from './simulated-run.ts';

const SEED = 1;

export const admissionDrill: Drill = {
  name: 'admission',
  summary: 'a queue in front of four workers, its threshold and its roll-back (runbook 003)',
  ways: ['corrected', 'published'],
  modes: [],
  run: (options) => (options.as === 'published' ? published(options) : corrected(options)),
};

async function published({ seed = SEED }: DrillOptions): Promise<DrillReport> {
  const { one, mean } = measurePublished(seed);
  const measured = await measureAll(seed);
  const claims = admissionClaims(measured);
  return {
    head: [
      'Do not take thresholds from this script: it cannot reject. `--as corrected` plays the load that its numbers describe.',
      claimsLine(claims),
    ],
    isScript: true,
    lines: [
      `offered ${one.offered} admitted ${one.offered} rejected ${one.rejected} slo_breach ${one.sloBreach}`,
      `a closed loop: arrivals stood still for ${one.stalledS.toFixed(0)} s of 300, once for ${one.longestStallS.toFixed(1)} s`,
      `mean of ${RUNS} runs: ${mean.offered.toFixed(1)} offered of ${scheduled()} scheduled, ${mean.rejected} rejected`,
    ],
    steps: [],
    claims,
    notFor: ADMISSION_NOT_FOR,
    json: { as: 'published', scheduled: scheduled(), one, mean },
  };
}

async function corrected(options: DrillOptions): Promise<DrillReport> {
  const measured = await measureAll(options.seed ?? SEED);
  const claims = admissionClaims(measured);
  const settings = [measured.asWritten, measured.ageOff, measured.always];
  const played = options.live ? await rollBack(options) : await simulated(options);
  return {
    head: [actionText(measured), claimsLine(claims)],
    lines: [
      `requests, mean of ${RUNS} runs each (AGE: of the oldest waiting one; DEPTH: how many wait):`,
      ...settings.map(openText),
    ],
    steps: played.steps,
    claims,
    notFor: ADMISSION_NOT_FOR,
    json: { as: 'corrected', settings, inBurst: measured.burst, steps: played.steps, claims },
    run: { result: played.result, schedule: played.schedule },
    ...(played.page === undefined ? {} : { page: played.page }),
  };
}

function actionText({ asWritten, ageOff, always }: Measured): string {
  const settings = [asWritten, ageOff, always];
  const best = settings.reduce((a, b) => (b.goodput > a.goodput ? b : a));
  return `Add workers or offer less: the best of these rules (${best.setting}) serves ${(100 * best.goodput).toFixed(0)} % of what is offered in time, none at all ${(100 * always.goodput).toFixed(0)} %.`;
}

function openText({ setting, offered, admitted, turnedAway, late, goodput }: OpenLoop): string {
  const parts = [
    `offered ${offered.toFixed(1)}`,
    `admitted ${admitted.toFixed(1)}`,
    `rejected ${turnedAway.toFixed(1)}`,
    `late ${late.toFixed(1)}`,
    `in time ${(100 * goodput).toFixed(0)} %`,
  ];
  return `${setting.padEnd(27)} ${parts.join(' | ')}`;
}

async function measureAll(seed: number): Promise<Measured> {
  const seeded = `seed=${seed}`;
  return {
    published: measurePublished(seed).mean,
    asWritten: await measureOpen('AGE 25 s, DEPTH 2 a worker', seeded),
    ageOff: await measureOpen('AGE 1e9 s, DEPTH 2 a worker', seeded, 'gate.ageRejectS=1e9'),
    always: await measureOpen('ADMIT_ALWAYS', seeded, 'gate.mode=admit-always'),
    burst: inBurst(simulateResult(await burst(seeded))),
  };
}

async function simulated(options: DrillOptions) {
  const scenario = await burst(`seed=${options.seed ?? SEED}`);
  return { steps: [] as DrillReport['steps'], ...(await simulatedRun(scenario, options)) };
}
