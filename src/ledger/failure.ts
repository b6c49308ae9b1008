/** What the words and numbers of a failing server mean. Runs in k6 too, so nothing here may need Node. */
import type { KillCode } from '../admission/types.ts';
import type { FailureCode } from './rows.ts';

/** 529 is what Anthropic's servers say when overloaded. */
const OVERLOAD_STATUS: readonly number[] = [429, 503, 529];
const OVERLOAD_WORDS =
  /overload|server busy|maximum pending requests|too many requests|rate.?limit/i;

/** The gate's words for a failure after its decision, in those of the ledger. */
const GATE_FAILURES: ReadonlyMap<string, FailureCode> = new Map([
  ['upstream_down', 'connect'],
  ['upstream_reset', 'reset'],
  ['upstream_truncated', 'truncated'],
  ['upstream_malformed', 'truncated'],
  ['upstream_timeout', 'timeout'],
  ['timeout', 'timeout'],
  ['preempted', 'preempted'],
]);

interface ErrorText {
  readonly code: string;
  readonly message: string;
}

/** A status of 300 or more. An overload is what says so, whatever its number (ollama says 500). */
export function codeOfStatus(status: number, text: string): FailureCode {
  if (OVERLOAD_STATUS.includes(status) || OVERLOAD_WORDS.test(text)) return 'overload';
  return 'status';
}

/** An error inside an answer of status 200. */
export function codeOfError({ code, message }: ErrorText): FailureCode {
  if (code === 'preempted') return 'preempted';
  const isOverload =
    OVERLOAD_STATUS.includes(Number(code)) || OVERLOAD_WORDS.test(`${code} ${message}`);
  return isOverload ? 'overload' : 'in_stream';
}

/**
 * The account has nothing left, which no waiting mends. The same words are also used for a limit
 * of concurrency, which it does; the exact code tells them apart.
 */
export function isQuotaSpent(error: ErrorText | undefined): boolean {
  return error?.code === 'insufficient_quota';
}

/** A failure after the decision of our own gate; undefined where the word is not one of its. */
export function gateFailure(code: string): FailureCode | undefined {
  return GATE_FAILURES.get(code);
}

/** Whether our own gate says that it ended the lease. */
export function isKill(code: string): code is KillCode {
  return code === 'max_hold' || code === 'no_progress' || code === 'operator';
}
