import type { ServerResponse } from 'node:http';
import type { Code, Kind } from '../admission/types.ts';
import { msFromUs, sFromUs } from '../units.ts';
import type { Clock } from './clock.ts';
import { retryAfter } from './headers.ts';
import type { UpstreamFailure } from './upstream.ts';

/** A request that was turned away, as its caller shall hear it. */
export interface TurnedAway {
  readonly decision: 'reject' | 'expire';
  readonly code: Code;
  readonly reason: string;
  readonly queueAgeUs: number;
  readonly waitUs: number;
  readonly retryAfterUs: number;
  readonly kind: Kind;
}

/** 503 where there is no serving capacity at all, 429 where there is and it is contended. */
export function refusalStatus(code: Code): 429 | 503 {
  return code === 'draining' || code === 'upstream_down' ? 503 : 429;
}

/** Rounded for people: three decimals. */
export function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/**
 * Answers a refusal. `error` is the code, save for interactive leases, whose clients know one fixed
 * word (runbook 000) and are told not to try again.
 */
export function sendRefusal(response: ServerResponse, refusal: TurnedAway, clock: Clock): void {
  const wait = retryAfter(clock, refusal.retryAfterUs);
  const interactive = refusal.kind === 'interactive';
  const body = JSON.stringify({
    error: interactive ? 'interactive_lease_rejected' : refusal.code,
    reason: refusal.reason,
    queue_age_seconds: round3(sFromUs(refusal.queueAgeUs)),
    retry_after_seconds: wait.seconds,
  });
  if (interactive) response.setHeader('x-should-retry', 'false');
  response.writeHead(refusalStatus(refusal.code), {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'retry-after': String(wait.seconds),
    'retry-after-ms': wait.ms,
    'x-loadline-decision': refusal.decision,
    'x-loadline-reason': refusal.code,
    'x-loadline-queue-age-ms': round3(msFromUs(refusal.queueAgeUs)),
    'x-loadline-wait-ms': round3(msFromUs(refusal.waitUs)),
  });
  response.end(body);
}

/** What a failure after the decision is answered with. */
export type FailureStatus = 400 | 408 | 502 | 503 | 504;

const STATUS_OF = {
  connect: 503,
  reset: 502,
  truncated: 502,
  malformed: 502,
  timeout: 504,
  request: 400,
} as const;

/** How the caller hears of a failure of the upstream. */
export function answerTo(kind: UpstreamFailure['kind']): { status: FailureStatus; code: string } {
  const code = kind === 'connect' ? 'upstream_down' : `upstream_${kind}`;
  return { status: STATUS_OF[kind], code };
}

/** What the gate tells of its decision on a request that it let in, as a flat list of header fields. */
export function admittedFields(reason: string, ageUs: number, waitUs: number): string[] {
  return [
    ...['x-loadline-decision', 'admit', 'x-loadline-reason', reason],
    ...['x-loadline-queue-age-ms', String(round3(msFromUs(ageUs)))],
    ...['x-loadline-wait-ms', String(round3(msFromUs(waitUs)))],
  ];
}

/**
 * An answer of the gate's own making that is no refusal: a failure after the decision.
 * @param fields a flat list of header fields to go with it
 */
export function sendFailure(
  response: ServerResponse,
  status: FailureStatus,
  code: string,
  reason: string,
  fields: readonly string[],
): void {
  const body = JSON.stringify({ error: code, reason });
  const length = String(Buffer.byteLength(body));
  const own = ['content-type', 'application/json', 'content-length', length];
  response.writeHead(status, [...own, ...fields]);
  response.end(body);
}
