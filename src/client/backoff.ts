/**
 * How long a client waits before it tries again: exponential backoff with full jitter (Brooker,
 * "Exponential Backoff And Jitter", 2015), and never less than the server asked for.
 */
import { drawsAt, type StreamKey } from '../random.ts';
import type { RetryRule } from './types.ts';

/** Nothing doubles for ever: twice as often is infinite, and a base of nothing times that is no number. */
const MOST_DOUBLINGS = 1023;

/**
 * Microseconds from the refusal or failure of `attempt` (0 for the first) to the next try.
 * What the server asked for is a floor, even above the cap, and the jitter is added to it: a crowd
 * that was told the same instant does not come back in it.
 */
export function retryDelayUs(
  rule: RetryRule,
  backoff: StreamKey,
  keySeq: number,
  attempt: number,
  retryAfterUs: number,
): number {
  const floorUs = rule.honourRetryAfter ? retryAfterUs : 0;
  const stepUs = Math.min(rule.capUs, rule.baseUs * 2 ** Math.min(attempt, MOST_DOUBLINGS));
  if (rule.jitter === 'none') return Math.ceil(Math.max(floorUs, stepUs));
  return Math.ceil(floorUs + stepUs * drawsAt(backoff, keySeq, attempt).uniform());
}
