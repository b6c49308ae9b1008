import type { Bundle } from '../../../src/engine/k6/bundle.ts';
import { decodeFacts, type Facts, METRICS } from '../../../src/engine/k6/metrics.ts';
import { type K6Run, type K6RunOptions, runK6 } from '../../support/k6/stand-in.ts';

/** What the metadata of a run's points say, by sequence number. */
export function readK6Facts({ points }: K6Run): Map<number, Facts> {
  const facts = new Map<number, Facts>();
  for (const { metric, metadata } of points) {
    if (metric !== METRICS.requests) continue;
    const each = decodeFacts(metadata['loadline'] ?? '');
    if (each === undefined) throw new Error(`no facts: ${JSON.stringify(metadata)}`);
    facts.set(each.seq, each);
  }
  return facts;
}

export function runUnderStandIn(bundle: Bundle, options: K6RunOptions) {
  const run = runK6(bundle.script, options);
  return { run, facts: readK6Facts(run) };
}
