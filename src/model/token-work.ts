/**
 * When tokens are made, measured in work (microseconds on an idle model) since the start of a
 * run: the first after `firstUs`, the rest at even gaps, the last at the end.
 */

/** A nanosecond: what the rounding of sums may move a due instant, in microseconds. */
export const SLACK_US = 1e-3;

/** Work until the first token where `firstTokenUs` is null: one even share of the service. */
export function firstTokenWorkUs(
  firstTokenUs: number | null,
  serviceUs: number,
  outTokens: number,
): number {
  if (firstTokenUs !== null) return Math.min(firstTokenUs, serviceUs);
  return outTokens > 1 ? serviceUs / outTokens : serviceUs;
}

/** Work between two tokens of an answer of `outTokens`. */
export function tokenGapUs(firstUs: number, serviceUs: number, outTokens: number): number {
  return outTokens > 1 ? (serviceUs - firstUs) / (outTokens - 1) : 0;
}

/** Output tokens that need not be made again; at least one is left to make, so that a run ends with a token. */
export function usableResume(resumeTokens: number, outTokens: number): number {
  return Math.max(0, Math.min(resumeTokens, outTokens - 1));
}

/** Tokens made after `workUs`, 0 to `count`. */
export function tokensAfter(workUs: number, firstUs: number, gapUs: number, count: number): number {
  const pastUs = workUs - firstUs + SLACK_US;
  if (pastUs < 0) return 0;
  if (gapUs === 0) return count;
  return Math.min(count, Math.floor(pastUs / gapUs) + 1);
}

/** Work at which token `n` (from 1) is made. */
export function workOfToken(n: number, firstUs: number, gapUs: number): number {
  return n <= 1 ? firstUs : firstUs + (n - 1) * gapUs;
}

/** Output tokens that a restart need not make again: whole checkpoints, never fewer than were resumed from. */
export function checkpointOf(made: number, everyTokens: number, resumed: number): number {
  if (everyTokens <= 0) return resumed;
  return Math.max(resumed, Math.floor(made / everyTokens) * everyTokens);
}
