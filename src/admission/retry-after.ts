import { drawsAt, type StreamKey, streamKey } from '../random.ts';
import type { GateRequest } from './types.ts';

/** The jitter is at most this share of the base. */
const SPREAD = 0.5;

/** The place of the draws. */
export function retryAfterKey(seed: number): StreamKey {
  return streamKey(seed, 'retry-after');
}

/**
 * What a refused client is told to wait, in microseconds: never less than `baseUs`, and spread over
 * half as much again so that a crowd that was refused together does not come back together.
 */
export function jitteredUs(key: StreamKey, baseUs: number, { seq, attempt }: GateRequest): number {
  return Math.ceil(baseUs * (1 + SPREAD * drawsAt(key, seq, attempt).uniform()));
}
