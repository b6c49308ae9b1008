/** Which paths a threshold may have, known before anything is played. */
import { UserError } from '../errors.ts';
import type { Scenario } from '../scenario/types.ts';
import { figureAt, isByCode } from './figure.ts';
import { createFold } from './fold.ts';
import type { Result } from './types.ts';

/** Figures in parts of a result that not every run has. */
const SOMETIMES: ReadonlySet<string> = new Set([
  ...['threshold', 'capacity', 'holds', 'retries', 'upstream'].map((name) => `lossSplit.${name}`),
  ...['p50', 'p99', 'max'].map((name) => `health.latenessMs.${name}`),
  ...['intended', 'achieved'].map((name) => `health.gapScv.${name}`),
]);

/** Parts that an empty result has as null, which looks like a figure without data. */
const PARTS = /^(lossSplit|health\.latenessMs|health\.gapScv|environment\..*)$/;

/** Whether a path is a figure that some runs lack: there it is no data. */
export function isSometimes(path: string): boolean {
  return SOMETIMES.has(path);
}

/**
 * Makes sure that each threshold names a figure that a run of this scenario will have, so that
 * nobody waits an hour for the news of a misspelt one.
 * @throws UserError with the first path that is none
 */
export function checkThresholdPaths(scenario: Scenario): void {
  const paths = Object.keys(scenario.thresholds);
  if (paths.length === 0) return;
  const empty = emptyResult(scenario);
  for (const path of paths) {
    const isFigure = figureAt(empty, path) !== undefined && !PARTS.test(path);
    if (!isFigure && !isByCode(path) && !isSometimes(path)) throw unknownPath(path);
  }
}

/** Said alike before a run and after one that was recorded. */
export function unknownPath(path: string): UserError {
  return new UserError(
    `thresholds: expected the path of a figure of the result such as rates.breach or byClass.<name>.waitS.p95, got '${path}'`,
  );
}

/** The result of a run in which nobody came: every figure is there, without data. */
function emptyResult(scenario: Scenario): Result {
  return createFold(scenario, { detail: 'full' }).finish({
    ...{ engine: 'sim', scenarioDigest: '', seed: scenario.seed, timeScale: 1 },
    schedule: { digest: '', count: 0, ratePerS: 0 },
    environment: {
      ...{ target: 'none', endpoint: null, model: null, direct: false, loadline: '', node: null },
      ...{ cpus: null, startedAt: null, notes: [] },
    },
  });
}
