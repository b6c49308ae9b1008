import { createHash } from 'node:crypto';
import type { Demand } from '../model/types.ts';

/** What the digest covers of an arrival: what is offered, and when. */
export interface Offered {
  readonly seq: number;
  readonly atUs: number;
  readonly class: string;
  readonly demand: Demand;
}

/** Arrivals that are turned to text before they are hashed: bounds the memory of a long schedule. */
const BATCH = 4096;

/**
 * SHA-256, as hex, over the lines `seq atUs class serviceUs inTokens outTokens holdUs` of a
 * schedule, each ended by a line feed. The seed is not in it: what counts is what is offered.
 */
export function scheduleDigest(schedule: { readonly arrivals: readonly Offered[] }): string {
  const hash = createHash('sha256');
  for (let from = 0; from < schedule.arrivals.length; from += BATCH) {
    let text = '';
    for (const arrival of schedule.arrivals.slice(from, from + BATCH)) text += lineOf(arrival);
    hash.update(text);
  }
  return hash.digest('hex');
}

/** SHA-256 of a text in UTF-8, as hex. */
export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function lineOf({ seq, atUs, class: name, demand }: Offered): string {
  const { serviceUs, inTokens, outTokens, holdUs } = demand;
  return `${seq} ${atUs} ${name} ${serviceUs} ${inTokens} ${outTokens} ${holdUs}\n`;
}
