import { simulateResult } from '../../commands/simulate.ts';
import { numberOf } from '../../result/figure.ts';
import { loadScenario } from '../../scenario/load.ts';
import { resolveScenario } from '../../scenario/resolve.ts';
import type { Claim } from '../drill.ts';
import { PUBLISHED_PREEMPT, publishedPreempt } from '../preempt-published.ts';

/** The means of one setting of `preempt-night`. */
interface Night {
  readonly goodput: number;
  readonly preempts: number;
  readonly restarted: number;
  readonly busy: number;
}

export interface MeasuredPreempts {
  readonly asWritten: Night;
  /** Checkpoints every 600 tokens (none before the end) and every 50. */
  readonly coarse: Night;
  readonly fine: Night;
  /** Twice the slots on the same kind of host. */
  readonly scaledOut: Night;
  /** Without the budget of two preempts. */
  readonly thirdReplay: Night;
}

const RUNS = 20;
const NO_BUDGET = ['gate.maxPreempts=null', 'gate.taskBudgetTokens=null'];

async function measure(seed: number | undefined, ...sets: string[]): Promise<Night> {
  const { input } = await loadScenario('preempt-night');
  const seeded = seed === undefined ? sets : [...sets, `seed=${seed}`];
  const scenario = resolveScenario({ input, env: {}, flags: {}, sets: seeded });
  const { rates, preempts, tokens, utilization } = simulateResult(scenario, { replications: RUNS });
  const mean = (figure: Parameters<typeof numberOf>[0]) => numberOf(figure) ?? 0;
  return {
    goodput: mean(rates.goodput),
    preempts: mean(preempts),
    restarted: mean(tokens.restarted),
    busy: mean(utilization.busy),
  };
}

/** Twenty runs of each setting, with common random numbers. */
export async function measurePreempts(seed: number | undefined): Promise<MeasuredPreempts> {
  return {
    asWritten: await measure(seed),
    coarse: await measure(seed, 'model.checkpointTokens=600'),
    fine: await measure(seed, 'model.checkpointTokens=50'),
    scaledOut: await measure(seed, 'gate.slots=8'),
    thirdReplay: await measure(seed, ...NO_BUDGET),
  };
}

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

/** What runbook 001 says, beside what was measured. */
export function preemptClaims(measured: MeasuredPreempts): Claim[] {
  const { asWritten, coarse, fine, scaledOut, thirdReplay } = measured;
  const happy = publishedPreempt(PUBLISHED_PREEMPT, () => 0);
  const checkpoints = happy.filter(({ event }) => event === 'checkpoint').length;
  const perPreempt = ({ restarted, preempts }: Night) => (restarted / preempts).toFixed(0);
  return [
    {
      claim: 'the happy path prints one checkpoint',
      measured: `the script prints ${checkpoints}: the last tick is a multiple of 100 too`,
      verdict: 'in part',
    },
    {
      claim: 'a longer gap raises wasted tokens on each preempt',
      measured: `tokens made again for each preempt: ${perPreempt(fine)} at 50, ${perPreempt(asWritten)} at 100, ${perPreempt(coarse)} at 600`,
      verdict: 'holds',
    },
    {
      claim: 'fail the task instead of starting a third full replay',
      measured: `goodput ${percent(asWritten.goodput)} with the budgets, ${percent(thirdReplay.goodput)} without: where checkpoints are kept and slack is left, a third restart is cheap`,
      verdict: thirdReplay.goodput > asWritten.goodput ? 'does not hold' : 'holds',
    },
    {
      claim: 'scaling out onto another free host copies the preempt',
      measured: `twice the slots: ${scaledOut.preempts.toFixed(0)} preempts instead of ${asWritten.preempts.toFixed(0)}, goodput ${percent(scaledOut.goodput)} instead of ${percent(asWritten.goodput)}`,
      verdict: scaledOut.goodput > asWritten.goodput + 0.02 ? 'does not hold' : 'holds',
    },
    {
      claim: 'checkpoint more often at thirty seconds of slack, less often at fifteen minutes',
      measured:
        'slack does not move the best gap: the preempt rate and the cost of a checkpoint do; slack widens the range of gaps that are as good (docs/preempts.md)',
      verdict: 'in part',
    },
  ];
}

/** In our own words. */
export const PREEMPT_NOT_FOR: readonly string[] = [
  'whoever keeps no ledger of each task: without it neither waste nor slack can be told',
  'whoever pays for reserved hosts: nothing takes their slots back',
  'whoever serves chats with a tight p95: one restart is longer than the limit',
  'whoever may not keep token counts in a file on the host',
];
