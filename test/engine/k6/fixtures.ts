import { buildSchedule } from '../../../src/arrivals/build.ts';
import type { Schedule } from '../../../src/arrivals/schedule.ts';
import { type Bundle, bundleForK6 } from '../../../src/engine/k6/bundle.ts';
import { type PlanOptions, planOf } from '../../../src/engine/k6/plan.ts';
import { simulate } from '../../../src/engine/sim.ts';
import { scheduleDigest, textDigest } from '../../../src/ledger/digest.ts';
import type { RequestRow, RowSink } from '../../../src/ledger/rows.ts';
import { canonicalJson } from '../../../src/scenario/canonical.ts';
import type { Scenario } from '../../../src/scenario/types.ts';
import type { K6Answer, K6Request } from '../../support/k6/stand-in.ts';

export async function made(
  scenario: Scenario,
  options: Partial<PlanOptions> & { readonly largestInside?: number } = {},
): Promise<{ scenario: Scenario; schedule: Schedule; bundle: Bundle }> {
  const schedule = buildSchedule(scenario);
  const parts = planOf(scenario, schedule, {
    version: '0.0.0',
    scenarioDigest: textDigest(canonicalJson(scenario)),
    scheduleDigest: scheduleDigest(schedule),
    peakInFlight: 100,
    instances: 1,
    endpoint: 'http://127.0.0.1:8080',
    model: 'm',
    ...options,
  });
  const { largestInside } = options;
  const bundle = await bundleForK6(parts, {
    name: 'test.k6.js',
    ...(largestInside === undefined ? {} : { largestInside }),
  });
  return { scenario, schedule, bundle };
}

const IGNORED = () => {};

/** The requests of a simulation, by sequence number. */
export function simulatedRequests(scenario: Scenario): Map<number, RequestRow> {
  const rows = new Map<number, RequestRow>();
  const sink: RowSink = {
    request: (row) => rows.set(row.seq, { ...row }),
    state: IGNORED,
    busy: IGNORED,
    decision: IGNORED,
    preempt: IGNORED,
  };
  simulate(scenario, { sink });
  return rows;
}

export function seqOf({ headers }: K6Request): number {
  return Number(headers['x-loadline-seq']);
}

/** A server that answers as the gate and the model did in the simulation. */
export function replaying(rows: ReadonlyMap<number, RequestRow>): (request: K6Request) => K6Answer {
  return (request) => {
    const row = rows.get(seqOf(request));
    if (row === undefined) throw new Error(`no request ${seqOf(request)}`);
    const waitingMs = (row.endUs - row.intendedUs) / 1000;
    const facts = {
      'x-loadline-queue-age-ms': String((row.doorAgeUs ?? 0) / 1000),
      'x-loadline-wait-ms': String((row.waitUs ?? 0) / 1000),
      'x-loadline-reason': row.code ?? 'none',
    };
    if (row.outcome === 'completed') {
      const headers = { ...facts, 'x-loadline-decision': 'admit' };
      return { status: 200, headers, waitingMs, body: completion(row.outTokens) };
    }
    const decision = row.outcome === 'expired' ? 'expire' : 'reject';
    const headers = { ...facts, 'x-loadline-decision': decision };
    return { status: 429, headers, waitingMs, body: JSON.stringify({ error: row.code }) };
  };
}

export function completion(outTokens: number): string {
  return [
    'data: {"choices":[{"delta":{"content":"a"},"finish_reason":null}]}',
    'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}',
    `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":${outTokens}}}`,
    'data: [DONE]',
    '',
  ].join('\n\n');
}
