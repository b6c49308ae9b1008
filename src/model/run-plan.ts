import type { Run } from './requests.ts';
import { firstTokenWorkUs, SLACK_US, tokenGapUs, tokensAfter, workOfToken } from './token-work.ts';
import type { ModelConfig } from './types.ts';

/**
 * Lays the tokens of a run into its work. A hold makes its tokens at its share of compute and ends
 * when its caller goes.
 * @param computeShare of a slot, that a run of its class uses
 */
export function planTokens(run: Run, config: ModelConfig, computeShare: number): void {
  const { serviceUs, outTokens, holdUs } = run.work.demand;
  const firstWork = firstTokenWorkUs(config.firstTokenUs, serviceUs, outTokens);
  const gapWork = tokenGapUs(firstWork, serviceUs, outTokens);
  run.firstWork = firstWork;
  run.gapWork = gapWork;
  run.totalWork = serviceUs;
  if (holdUs > 0) planHold(run, computeShare);
  else if (run.resumed > 0 || config.checkpointTokens > 0) planCheckpoints(run, config);
}

function planHold(run: Run, computeShare: number): void {
  run.gapWork /= computeShare;
  run.totalWork = Infinity;
}

/** What is resumed need not be made again; what is made is also written. */
function planCheckpoints(run: Run, config: ModelConfig): void {
  const { resumed, gapWork } = run;
  const { serviceUs, outTokens } = run.work.demand;
  const writing = writingWork(config);
  run.gapWork = gapWork + writing;
  run.totalWork = resumed > 0 ? serviceUs - resumed * gapWork : serviceUs;
  run.totalWork += Math.max(0, outTokens - resumed - 1) * writing;
}

/** What checkpoints add to the work of each token. */
function writingWork({ checkpointTokens, checkpointCostUs }: ModelConfig): number {
  return checkpointTokens > 0 ? checkpointCostUs / checkpointTokens : 0;
}

/** Output tokens in all, at this reading of the work clock: what was resumed from and what was made since. */
export function tokensMade(run: Run, work: number): number {
  const { resumed, firstWork, gapWork } = run;
  if (!run.isRunning) return resumed;
  const toMake = run.work.demand.outTokens - resumed;
  return resumed + tokensAfter(work - run.startWork, firstWork, gapWork, toMake);
}

/** The work clock when a running request has made `n` tokens in all. */
export function workWhenMade(run: Run, n: number): number {
  return run.startWork + workOfToken(n - run.resumed, run.firstWork, run.gapWork);
}

/** Work of a run when it is preempted after so many ticks. */
export function workOfTick(run: Run): number {
  return workOfToken(run.tickTokens, run.firstWork, run.gapWork);
}

/** When a run made its first token, or will have. */
export function firstTokenUsOf(run: Run): number {
  return run.firstTokenUs >= 0 ? run.firstTokenUs : firstTokenUnslowedUs(run);
}

/** When a run that meets no slowdown makes its first token. */
export function firstTokenUnslowedUs({ startedUs, firstWork }: Run): number {
  return startedUs + Math.ceil(firstWork - SLACK_US);
}
